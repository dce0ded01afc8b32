package ecs_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/tests/twin"
)

// FuzzWorld turns bytes into operations, five bytes each. Run it with
//
//	go test -fuzz FuzzWorld -fuzzminimizetime 0x ./ecs
//
// The first byte chooses the world: with room, or always full.
func FuzzWorld(f *testing.F) {
	for _, ops := range seeds() {
		f.Add(append([]byte{0}, twin.Encode(ops)...))
		f.Add(append([]byte{1}, twin.Encode(ops)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 2000 {
			return
		}
		options := ecs.Options{MaxBytes: 32 << 20, ReuseAfter: -1, Tag: 3}
		if data[0]%2 == 1 {
			options.MaxBytes, options.MaxEntities = 1, 50
		}
		twin.Run(t, options, twin.Decode(data[1:]))
	})
}

// seeds are histories that once mattered; each says what it is about.
func seeds() [][]twin.Op {
	op := func(k twin.Kind, b ...byte) twin.Op {
		b = append(b, 0, 0, 0, 0)
		return twin.Op{Kind: k, A: b[0], B: b[1], C: b[2], D: b[3]}
	}
	return [][]twin.Op{
		{ // a value replaced when its pool's last chunk is full, then removed
			op(twin.SpawnMany, 0, 0, 0x50, 1), op(twin.Add, 1, 0, 0x50, 2), op(twin.Remove, 1, 0, 0x50),
		},
		{ // a first parent, a second one, and a despawn that takes the family along
			op(twin.SpawnMany, 0, 0, 1), op(twin.SetParent, 1, 2), op(twin.SetParent, 1, 3),
			op(twin.SetParent, 3, 1), op(twin.Despawn, 3), op(twin.Step),
		},
		{ // commands for an entity that is reserved and dies before it is placed
			op(twin.RecordSpawn, 0, 0, 0xFF, 3), op(twin.RecordAdd, 0, 0, 0xFF, 4), op(twin.Despawn, 0),
			op(twin.RecordSpawn, 0, 7, 0, 1), op(twin.Apply), op(twin.Step),
		},
		{ // components of no bytes as the last thing that commands record
			op(twin.SpawnMany, 0, 0, 0), op(twin.RecordAdd, 1, 0, 0x24, 1), op(twin.Apply), op(twin.Look, 8),
		},
		{ // a prefab, its events and a system that panics
			op(twin.SpawnPrefab, 0, 0, 0x13, 5), op(twin.OpenReader), op(twin.RecordSend, 0, 0, 0, 9),
			op(twin.Apply), op(twin.System, 3, 3, 0, 2), op(twin.ReadEvents), op(twin.Refused, 0, 0, 0, 3),
		},
	}
}
