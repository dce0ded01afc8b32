package ecs_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/tests/twin"
)

// TestTheSameRandomOperationsMakeTheSameWorld: whatever is done, two worlds to which the
// same was done hold the same, to the bit and in the same order; only their tags
// differ. Map iteration or addresses that crept into an order would show here.
func TestTheSameRandomOperationsMakeTheSameWorld(t *testing.T) {
	op := rapid.Custom(func(t *rapid.T) twin.Op {
		return twin.Decode(rapid.SliceOfN(rapid.Byte(), 5, 5).Draw(t, "op"))[0]
	})
	rapid.Check(t, func(t *rapid.T) {
		ops := rapid.SliceOfN(op, 1, 60).Draw(t, "history")
		a := twin.New(t, ecs.Options{MaxBytes: 32 << 20, ReuseAfter: -1, Tag: 1})
		b := twin.New(t, ecs.Options{MaxBytes: 32 << 20, ReuseAfter: -1, Tag: 77})
		defer a.Close()
		defer b.Close()
		for i, op := range ops {
			a.Do(t, op)
			b.Do(t, op)
			if a.World.Checksum() != b.World.Checksum() {
				t.Fatalf("after operation %d, %v, two equal histories differ", i, op)
			}
		}
		if got, want := order(b.World), order(a.World); got != want {
			t.Fatalf("queries yield\n%s, and in the other world\n%s", got, want)
		}
	})
}

// order lists the entities in the order in which queries yield them.
func order(w *ecs.World) string {
	text := ""
	for c := range w.Query().Chunks() {
		text += "|"
		for _, e := range c.Entities() {
			text += e.String() + " "
		}
	}
	return text
}

// TestSimulationIsReproducible: systems with intervals, randomness, events,
// commands and observers, twice.
func TestSimulationIsReproducible(t *testing.T) {
	if a, b := simulate(t, 5, 1), simulate(t, 5, 200); a != b {
		t.Error("the same seed gave two worlds")
	}
	if a, b := simulate(t, 5, 1), simulate(t, 6, 1); a == b {
		t.Error("the seed changes nothing: the test sees nothing")
	}
}

func simulate(t *testing.T, seed uint64, tag uint16) uint64 {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Seed: seed, Tag: tag, MaxBytes: 32 << 20, ReuseAfter: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	position, name, frozen := ecs.Register[Position](w), ecs.Register[Name](w), ecs.Register[Frozen](w, ecs.Sparse)
	hit := ecs.RegisterEvent[Hit](w)
	reader := w.Raw().Reader(hit.ID())
	moving := w.Query(ecs.Write(position)).Without(frozen)
	systems := []ecs.System{
		{Name: "spawn", Every: 0.1, Run: func(t *ecs.Tick) error {
			for range t.Random().Uint64() % 8 {
				t.Commands.Spawn(position.With(Position{X: t.Random().Float64()}), name.With(Name{"x"}))
			}
			return nil
		}},
		{Name: "move", Fixed: true, Run: func(t *ecs.Tick) error {
			for e, p := range ecs.Rows(moving, position) {
				p.Y += t.Random().Float64() * t.DT
				if p.Y > 0.4 {
					hit.Send(t.Commands, Hit{Target: e, Damage: float32(p.Y)})
				}
			}
			return nil
		}},
		{Name: "freeze", After: []string{"move"}, Run: func(t *ecs.Tick) error {
			for h := range hit.Read(reader) {
				if t.Random().Uint64()%2 == 0 {
					t.Commands.Add(h.Target, frozen.With(Frozen{}))
				} else {
					t.Commands.Despawn(h.Target)
				}
			}
			return nil
		}},
	}
	if err := w.Schedule().Add(systems...); err != nil {
		t.Fatal(err)
	}
	err = w.Observe(ecs.Observer{Name: "echo", On: ecs.OnDespawn, Run: func(t *ecs.Tick, n ecs.Notice) error {
		if t.Random().Uint64()%4 == 0 {
			t.Commands.Spawn(position.With(Position{X: float64(n.Entity.Index())}))
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		if err := w.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	return w.Checksum()
}
