package ecs

import (
	"errors"
	"slices"
	"testing"
)

// TestSystemsAreToldAfterTheirCommands, before the next system runs.
func TestSystemsAreToldAfterTheirCommands(t *testing.T) {
	w := newWatched(t)
	watch(t, w, w.position, OnAdd)
	must(t, w.Schedule().Add(
		System{Name: "a", Run: func(tick *Tick) error {
			tick.Commands.Spawn(w.position.With(Position{}))
			w.log = append(w.log, "a ran")
			return nil
		}},
		System{Name: "b", Run: func(*Tick) error { w.log = append(w.log, "b ran"); return nil }},
	))
	must(t, w.Step(0))
	if got := w.told(); !slices.Equal(got, []string{"a ran", "add Position 1", "b ran"}) {
		t.Errorf("the order was %q", got)
	}
}

func TestUnobserveInAnObserver(t *testing.T) {
	w := newWatched(t)
	told := map[string]int{}
	for _, name := range []string{"first", "second", "third"} {
		must(t, w.Observe(Observer{Name: name, On: OnSpawn, Run: func(*Tick, Notice) error {
			if told[name]++; name == "first" {
				w.Unobserve("second")
				w.Unobserve("first")
				w.Unobserve("nobody")
			}
			return nil
		}}))
	}
	spawnMany(w.World, 3)
	must(t, w.Step(0))
	if told["first"] != 1 || told["second"] != 0 || told["third"] != 3 {
		t.Errorf("told %v; who was removed must hear nothing more", told)
	}
	must(t, w.Observe(Observer{Name: "first", On: OnSpawn, Run: func(*Tick, Notice) error { return nil }}))
}

func TestObserveInAnObserver(t *testing.T) {
	w := newWatched(t)
	late := 0
	must(t, w.Observe(Observer{Name: "early", On: OnSpawn, Run: func(*Tick, Notice) error {
		return w.Observe(Observer{Name: "late", On: OnSpawn, Run: func(*Tick, Notice) error { late++; return nil }})
	}}))
	spawnMany(w.World, 2)
	err := w.Step(0)
	if !errors.Is(err, ErrConflict) || late != 1 {
		t.Errorf("the second registration answered %v; the late observer was told %d times", err, late)
	}
}

// TestObserversFailAsSystemsDo: their commands are dropped, others are told, and
// after three failures they are parked.
func TestObserversFailAsSystemsDo(t *testing.T) {
	w := newWatched(t)
	tries, heard := 0, 0
	must(t, w.Observe(Observer{Name: "bad", On: OnAdd, Component: w.position.ID(), Run: func(tick *Tick, _ Notice) error {
		tries++
		tick.Commands.Spawn()
		panic("oh no")
	}}))
	must(t, w.Observe(Observer{Name: "good", On: OnAdd, Component: w.position.ID(), Run: func(*Tick, Notice) error { heard++; return nil }}))
	for range 5 {
		w.Spawn(w.position.With(Position{}))
	}
	err := w.Step(0)
	var failed *SystemError
	if !errors.As(err, &failed) || failed.System != "bad" || len(failed.Stack) == 0 {
		t.Fatalf("the failure is reported as %v", err)
	}
	if tries != 3 || heard != 5 || w.Len() != 5 {
		t.Errorf("%d tries, %d heard by the other, %d entities", tries, heard, w.Len())
	}
}

func TestObserveRefuses(t *testing.T) {
	w := newWatched(t)
	run := func(*Tick, Notice) error { return nil }
	must(t, w.Observe(Observer{Name: "taken", On: OnSpawn, Run: run}))
	for name, c := range map[string]struct {
		Observer
		want error
	}{
		"no name":              {Observer{On: OnAdd, Run: run}, ErrConflict},
		"no function":          {Observer{Name: "a", On: OnAdd}, ErrConflict},
		"nothing to watch":     {Observer{Name: "a", Run: run}, ErrConflict},
		"a taken name":         {Observer{Name: "taken", On: OnSpawn, Run: run}, ErrConflict},
		"no such component":    {Observer{Name: "a", On: OnSet, Component: 99, Run: run}, ErrUnknown},
		"no component by name": {Observer{Name: "a", On: OnAdd, Component: ComponentID(w.componentCount()), Run: run}, ErrUnknown},
	} {
		if err := w.Observe(c.Observer); !errors.Is(err, c.want) {
			t.Errorf("%s: answered %v", name, err)
		}
	}
	must(t, w.Observe(Observer{Name: "entities need none", On: OnDespawn, Component: 99, Run: run}))
}
