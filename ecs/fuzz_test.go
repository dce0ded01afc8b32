package ecs_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/ecstest"
)

// FuzzWorld turns bytes into operations, five bytes each. Run it with
//
//	go test -fuzz FuzzWorld -fuzzminimizetime 0x ./ecs
//
// The first byte chooses the world: with room, or always full.
func FuzzWorld(f *testing.F) {
	for _, ops := range seeds() {
		f.Add(append([]byte{0}, ecstest.Encode(ops)...))
		f.Add(append([]byte{1}, ecstest.Encode(ops)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 2000 {
			return
		}
		options := ecs.Options{MaxBytes: 32 << 20, ReuseAfter: -1, Tag: 3}
		if data[0]%2 == 1 {
			options.MaxBytes, options.MaxEntities = 1, 50
		}
		ecstest.Run(t, options, ecstest.Decode(data[1:]))
	})
}

// seeds are histories that once mattered; each says what it is about.
func seeds() [][]ecstest.Op {
	op := func(k ecstest.Kind, b ...byte) ecstest.Op {
		b = append(b, 0, 0, 0, 0)
		return ecstest.Op{Kind: k, A: b[0], B: b[1], C: b[2], D: b[3]}
	}
	return [][]ecstest.Op{
		{ // a value replaced when its pool's last chunk is full, then removed
			op(ecstest.SpawnMany, 0, 0, 0x50, 1), op(ecstest.Add, 1, 0, 0x50, 2), op(ecstest.Remove, 1, 0, 0x50),
		},
		{ // a first parent, a second one, and a despawn that takes the family along
			op(ecstest.SpawnMany, 0, 0, 1), op(ecstest.SetParent, 1, 2), op(ecstest.SetParent, 1, 3),
			op(ecstest.SetParent, 3, 1), op(ecstest.Despawn, 3), op(ecstest.Step),
		},
		{ // commands for an entity that is reserved and dies before it is placed
			op(ecstest.RecordSpawn, 0, 0, 0xFF, 3), op(ecstest.RecordAdd, 0, 0, 0xFF, 4), op(ecstest.Despawn, 0),
			op(ecstest.RecordSpawn, 0, 7, 0, 1), op(ecstest.Apply), op(ecstest.Step),
		},
		{ // components of no bytes as the last thing that commands record
			op(ecstest.SpawnMany, 0, 0, 0), op(ecstest.RecordAdd, 1, 0, 0x24, 1), op(ecstest.Apply), op(ecstest.Look, 8),
		},
		{ // a prefab, its events and a system that panics
			op(ecstest.SpawnPrefab, 0, 0, 0x13, 5), op(ecstest.OpenReader), op(ecstest.RecordSend, 0, 0, 0, 9),
			op(ecstest.Apply), op(ecstest.System, 3, 3, 0, 2), op(ecstest.ReadEvents), op(ecstest.Refused, 0, 0, 0, 3),
		},
	}
}
