package soak

import (
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/tests/twin"
)

// lastGeneration is the documented number of times that a slot is used.
const lastGeneration = 1<<20 - 1

// TestSoakOfOldWorlds makes random operations in a world whose few slots have
// nearly used up their generations, until all have retired: no handle may come
// back, and what nobody can be is refused without a trace.
func TestSoakOfOldWorlds(t *testing.T) {
	const slots, left = 5, 40
	seed := uint64(fromEnv(t, "PERIGEE_SEED", 20260403))
	t.Logf("PERIGEE_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	tw := twin.New(t, ecs.Options{MaxBytes: 32 << 20, MaxEntities: slots, ReuseAfter: -1})
	defer tw.Close()
	tw.Do(t, twin.Op{Kind: twin.Quiet})
	age(t, tw.World, slots, lastGeneration-left)
	tw.Do(t, twin.Op{Kind: twin.Quiet})
	ops := 0
	for ; tw.World.Stats().Retired < slots && ops < 100_000; ops++ {
		op := twin.Op{
			Kind: twin.Kind(random.IntN(int(twin.KindCount))),
			A:    uint8(random.Uint32()), B: uint8(random.Uint32()), C: uint8(random.Uint32()), D: uint8(random.Uint32()),
		}
		tw.Do(t, op)
		for e := range tw.World.Entities() {
			if generation := uint64(e) >> 32; generation > lastGeneration {
				t.Fatalf("%v is of generation %d", e, generation)
			}
		}
		if ops%16 == 15 {
			if err := tw.Compare(); err != nil {
				t.Fatalf("after operation %d, %v: %v", ops, op, err)
			}
		}
	}
	t.Logf("%d operations until %d slots of %d had retired", ops, tw.World.Stats().Retired, slots)
	if retired := tw.World.Stats().Retired; retired != slots {
		t.Errorf("%d slots of %d have retired", retired, slots)
	}
	if e, err := tw.World.TrySpawn(); err == nil {
		t.Errorf("a slot that has retired was issued as %v", e)
	}
	if err := tw.Compare(); err != nil {
		t.Error(err)
	}
}

// age uses each of some slots so often.
func age(t *testing.T, w *ecs.World, slots, times int) {
	t.Helper()
	var all []ecs.Entity
	for range slots {
		all = append(all, w.Spawn())
	}
	for _, e := range all {
		if err := w.Despawn(e); err != nil {
			t.Fatal(err)
		}
	}
	for range slots * (times - 1) {
		if err := w.Despawn(w.Spawn()); err != nil {
			t.Fatal(err)
		}
	}
}
