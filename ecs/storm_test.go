package ecs

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestAStormIsCut: observers that answer each other without end are stopped, by
// name, and the world goes on.
func TestAStormIsCut(t *testing.T) {
	w := newWatched(t)
	rounds := 0
	must(t, w.Observe(Observer{Name: "echo", On: OnSet, Component: w.position.ID(), Run: func(tick *Tick, n Notice) error {
		rounds++
		tick.Commands.Add(n.Entity, w.position.With(Position{float64(rounds), 0}))
		return nil
	}}))
	must(t, w.Observe(Observer{Name: "quiet", On: OnSet, Component: w.label.ID(), Run: func(*Tick, Notice) error { return nil }}))
	ran := 0
	must(t, w.Schedule().Add(System{Name: "after", Run: func(*Tick) error { ran++; return nil }}))
	e := w.Spawn(w.position.With(Position{}))
	w.position.Edit(e)
	err := w.Step(0)
	if !errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), `"echo" → "echo"; after 64 rounds 1 changes`) || strings.Contains(err.Error(), "quiet") {
		t.Errorf("the storm is reported as %v", err)
	}
	if rounds != maxRounds || ran != 1 {
		t.Errorf("%d rounds, the next system ran %d times", rounds, ran)
	}
	must(t, w.Step(0)) // nothing is left of it
}

// TestAStormNamesItsChain, in order, and nobody who only stands by.
func TestAStormNamesItsChain(t *testing.T) {
	w := newWatched(t)
	adds := func(name string, on Trigger, watch ComponentID, do func(*Commands, Entity)) {
		t.Helper()
		must(t, w.Observe(Observer{Name: name, On: on, Component: watch, Run: func(tick *Tick, n Notice) error {
			do(tick.Commands, n.Entity)
			return nil
		}}))
	}
	adds("begins", OnSpawn, 0, func(c *Commands, e Entity) { c.Add(e, w.position.With(Position{})) })
	adds("a", OnAdd, w.position.ID(), func(c *Commands, e Entity) { c.Add(e, w.burning.With(Burning{})) })
	adds("b", OnAdd, w.burning.ID(), func(c *Commands, e Entity) { c.Remove(e, w.burning.ID()); c.Remove(e, w.position.ID()) })
	adds("c", OnRemove, w.position.ID(), func(c *Commands, e Entity) { c.Add(e, w.position.With(Position{})) })
	adds("stands by", OnRemove, w.burning.ID(), func(*Commands, Entity) {})
	w.Spawn()
	err := w.Step(0)
	if !errors.Is(err, ErrStorm) {
		t.Fatalf("answered %v", err)
	}
	ok := false
	for _, chain := range []string{`: "a" → "b" → "c" → "a";`, `: "b" → "c" → "a" → "b";`, `: "c" → "a" → "b" → "c";`} {
		ok = ok || strings.Contains(strings.Replace(err.Error(), `"a" → "b" → "stands by", `, "", 1), chain)
	}
	if !ok {
		t.Errorf("the chain is not in %v", err)
	}
	must(t, w.Step(0))
}

// TestAStormThatGrowsIsCutEarly: two answers to each change would be 2⁶⁴ of them
// by the last round.
func TestAStormThatGrowsIsCutEarly(t *testing.T) {
	w := newWatched(t)
	told := 0
	must(t, w.Observe(Observer{Name: "rabbits", On: OnSpawn, Run: func(tick *Tick, _ Notice) error {
		told++
		tick.Commands.Spawn()
		tick.Commands.Spawn()
		return nil
	}}))
	w.Spawn()
	err := w.Step(0)
	if !errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), `"rabbits" → "rabbits"`) || told > 2*maxWaiting {
		t.Errorf("told %d times; reported as %v", told, err)
	}
	must(t, w.Step(0))
	must(t, w.Check())
}

// TestAChainWithoutEnd that is no circle is named from its beginning.
func TestAChainWithoutEnd(t *testing.T) {
	w := newWatched(t)
	for i := range maxRounds + 2 {
		id, err := w.define(Schema{Name: fmt.Sprint("c", i)}, true)
		must(t, err)
		must(t, w.Observe(Observer{Name: fmt.Sprint("o", i), On: OnAdd, Component: id, Run: func(tick *Tick, n Notice) error {
			next, _ := w.componentNamed(fmt.Sprint("c", i+1))
			tick.Commands.Add(n.Entity, w.valueAt(next, nil))
			return nil
		}}))
	}
	first, _ := w.componentNamed("c0")
	w.Spawn(w.valueAt(first, nil))
	if err := w.Step(0); !errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), `: "o0" → "o1" → `) || !strings.Contains(err.Error(), `→ "o64";`) {
		t.Errorf("reported as %v", err)
	}
}

// TestAStormOfSpawnsNamesItsObserver, which watches no component.
func TestAStormOfSpawnsNamesItsObserver(t *testing.T) {
	w := newWatched(t)
	must(t, w.Observe(Observer{Name: "rabbits", On: OnSpawn, Component: w.label.ID(), Run: func(tick *Tick, _ Notice) error {
		tick.Commands.Spawn()
		return nil
	}}))
	w.Spawn()
	if err := w.Step(0); !errors.Is(err, ErrStorm) || !strings.Contains(err.Error(), "rabbits") {
		t.Errorf("reported as %v", err)
	}
}
