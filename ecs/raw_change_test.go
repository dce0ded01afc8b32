package ecs_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestChangesHaveAuthors: a change is reported with the system that was at work, with where its command was
// recorded, and with the entity whose death has ended another.
func TestChangesHaveAuthors(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	type place struct{ X float64 }
	type burning struct{}
	position, fire := ecs.Register[place](w), ecs.Register[burning](w)
	line := 0
	w.Raw().CallersFrom(func() ecs.Caller { line++; return ecs.Caller{Code: "script", At: line} })
	var seen []string
	remove, err := w.Raw().OnChange(func(c *ecs.RawChange) {
		text := fmt.Sprintf("%s %d", c.System, c.Caller.At)
		switch c.Kind {
		case 0:
			text += fmt.Sprintf(" link %v to %v", c.Entity, c.Target)
		case ecs.OnDespawn:
			text += fmt.Sprintf(" end %v with %v", c.Entity, c.With)
		default:
			text += fmt.Sprintf(" %b %v %v", c.Kind, c.Entity, c.Components)
		}
		seen = append(seen, text)
		if _, err := w.TrySpawn(); !errors.Is(err, ecs.ErrIterating) {
			t.Errorf("a change in a report: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(seen, want) {
			t.Errorf("%s:\n got %q\nwant %q", what, seen, want)
		}
		seen, line = nil, 0
	}
	step := func() {
		t.Helper()
		if err := w.Step(1); err != nil {
			t.Fatal(err)
		}
	}

	a := w.Spawn(position.With(place{}))
	b := w.Spawn()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.SetParent(b, a))
	expect("a host", " 0 1000 1v1 [1]", " 0 1000 2v1 []", " 0 link 2v1 to 1v1")

	var script func(*ecs.Commands)
	must(w.Schedule().Add(
		ecs.System{Name: "one", Run: func(tick *ecs.Tick) error { script(tick.Commands); return nil }},
		ecs.System{Name: "two", Run: func(*ecs.Tick) error {
			if p := position.Edit(a); p != nil {
				p.X++
			}
			return nil
		}},
	))
	script = func(c *ecs.Commands) {
		c.Add(a, position.With(place{1}), fire.With(burning{}))
		mark := c.Mark()
		c.Add(a)
		c.Rewind(mark)
		c.Remove(a, fire)
	}
	step()
	expect("a system", "one 1 1 1v1 [2]", "one 1 10 1v1 [1]", "one 3 100 1v1 [2]", "two 0 10 1v1 [1]")

	script = func(c *ecs.Commands) { c.DespawnLater(a) }
	must(w.Observe(ecs.Observer{Name: "heir", On: ecs.OnDespawn, Run: func(tick *ecs.Tick, n ecs.Notice) error {
		if n.Entity == a {
			tick.Commands.Spawn()
		}
		return nil
	}}))
	step()
	expect("the end of a tick", "two 0 10 1v1 [1]", "one 1 end 2v1 with 1v1", "one 1 end 1v1 with 0v0", "heir 2 1000 3v1 []")

	must(w.SpawnMany(2, nil, fire.With(burning{})))
	if _, err := w.DespawnAll(w.Query().With(fire)); err != nil {
		t.Fatal(err)
	}
	expect("batches", " 0 1000 4v1 [2]", " 0 1000 5v1 [2]", " 0 end 4v1 with 0v0", " 0 end 5v1 with 0v0")

	script = func(*ecs.Commands) {}
	remove()
	w.Spawn()
	step()
	expect("after remove")
	if line != 0 {
		t.Error("callers are asked for without reports")
	}
}

// TestReportsOfChangesAreRefused: nil functions, inside of a step; and one that panics is called no more.
func TestReportsOfChangesAreRefused(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	if _, err := w.Raw().OnChange(nil); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("a nil function: %v", err)
	}
	if err := w.Run("inside", func(*ecs.Tick) error {
		if _, err := w.Raw().OnChange(func(*ecs.RawChange) {}); !errors.Is(err, ecs.ErrIterating) {
			t.Errorf("inside: %v", err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	calls := 0
	if _, err := w.Raw().OnChange(func(*ecs.RawChange) { calls++; panic("loud") }); err != nil {
		t.Fatal(err)
	}
	w.Spawn()
	w.Spawn()
	var failed *ecs.SystemError
	if err := w.Step(1); !errors.As(err, &failed) || failed.System != "OnChange" || calls != 1 {
		t.Errorf("%d calls, and the step returned %v", calls, err)
	}
	if err := w.Step(1); err != nil {
		t.Error(err)
	}
}

// TestSpawnsNameTheirPrefab, and so do those of its children, while changes are reported; what else is recorded names
// none.
func TestSpawnsNameTheirPrefab(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	type place struct{ X float64 }
	position := ecs.Register[place](w)
	ship := &ecs.Prefab{Name: "Ship", Base: &ecs.Prefab{Name: "Hull"}, Values: []ecs.Value{position.With(place{})}, Children: []ecs.Prefab{{Name: "Gun"}}}
	if _, err := w.SpawnPrefab(ship); err != nil {
		t.Fatal(err)
	}
	var spawned []string
	if _, err := w.Raw().OnChange(func(c *ecs.RawChange) {
		if c.Kind == ecs.OnSpawn {
			spawned = append(spawned, c.Caller.Prefab)
		} else if c.Caller.Prefab != "" {
			t.Errorf("%+v", c)
		}
	}); err != nil {
		t.Fatal(err)
	}
	c := w.NewCommands()
	c.Spawn(position.With(place{}))
	c.Add(c.SpawnPrefab(ship, position.With(place{X: 1})))
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.SpawnPrefab(ship); err != nil {
		t.Fatal(err)
	}
	if want := []string{"", "Ship", "Gun", "Ship", "Gun"}; !slices.Equal(spawned, want) {
		t.Errorf("spawns of %q, want %q", spawned, want)
	}
}
