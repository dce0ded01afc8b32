package ecs_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/testmain"
	"github.com/perigee-ecs/perigee/tests/twin"
	"pgregory.net/rapid"
)

// drive lets rapid choose operations and compares after each.
func drive(t *testing.T, options ecs.Options) {
	testmain.OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		tw := twin.New(t, options)
		defer tw.Close()
		actions := map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				if err := tw.Compare(); err != nil {
					t.Fatal(err)
				}
			},
		}
		for k := range twin.KindCount {
			actions[k.String()] = func(t *rapid.T) {
				b := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "op")
				tw.Do(t, twin.Op{Kind: k, A: b[0], B: b[1], C: b[2], D: b[3]})
			}
		}
		t.Repeat(actions)
	})
}

// TestWorldAgainstModel is the first judge of everything in this package: any
// sequence of operations leaves the world as the model is.
func TestWorldAgainstModel(t *testing.T) {
	for name, options := range map[string]ecs.Options{
		"slots are reused late": {MaxBytes: 32 << 20},
		"slots are reused soon": {MaxBytes: 32 << 20, ReuseAfter: -1},
	} {
		t.Run(name, func(t *testing.T) { drive(t, options) })
	}
}

// TestFullWorldAgainstModel does the same in a world that is always short of
// memory or of entities: what is refused must leave no trace.
func TestFullWorldAgainstModel(t *testing.T) {
	for name, options := range map[string]ecs.Options{
		"little memory": {MaxBytes: 1, ReuseAfter: -1},
		"few entities":  {MaxBytes: 32 << 20, MaxEntities: 7},
	} {
		t.Run(name, func(t *testing.T) { drive(t, options) })
	}
}

// TestLongHistories goes further than a state machine that stops after some
// dozen steps: chunks fill, slots come round, archetypes are met again.
func TestLongHistories(t *testing.T) {
	testmain.OneGoroutine(t)
	op := rapid.Custom(func(t *rapid.T) twin.Op {
		b := rapid.SliceOfN(rapid.Byte(), 5, 5).Draw(t, "op")
		return twin.Decode(b)[0]
	})
	rapid.Check(t, func(t *rapid.T) {
		tw := twin.New(t, ecs.Options{MaxBytes: 32 << 20, ReuseAfter: -1})
		defer tw.Close()
		for i, op := range rapid.SliceOfN(op, 150, 250).Draw(t, "history") {
			tw.Do(t, op)
			if i%8 != 7 {
				continue // the operations compare their answers; all that is held, now and then
			}
			if err := tw.Compare(); err != nil {
				t.Fatalf("after operation %d, %v: %v", i, op, err)
			}
		}
	})
}
