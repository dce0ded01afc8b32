package ecs

import (
	"fmt"
	"strings"
	"testing"
)

// kinds joins the kinds of warnings.
func kinds(all []Warning) string {
	ns := []string{}
	for _, w := range all {
		ns = append(ns, w.Name)
	}
	return strings.Join(ns, ", ")
}

// TestAWorldInOrderHasNoWarnings, empty or in use, open or closed.
func TestAWorldInOrderHasNoWarnings(t *testing.T) {
	w := open(t, Options{})
	for _, n := range []int{0, 1, 5000} {
		position := Register[Position](w)
		for range n {
			w.Spawn(position.With(Position{}))
		}
		if got := w.Stats().Warnings(); got != nil {
			t.Errorf("with %d entities: %v", n, got)
		}
	}
	must(t, w.Close())
	if got := w.Stats().Warnings(); got != nil {
		t.Errorf("closed: %v", got)
	}
}

// TestEachWarning from a world that deserves it, and no other one.
func TestEachWarning(t *testing.T) {
	for want, make := range map[string]func() *World{
		"archetypes, chunks": func() *World { return combined(t, 11, 2048, 10) },
		"thin archetypes":    func() *World { return combined(t, 6, 64, 9) },
		"chunks":             func() *World { return combined(t, 7, 100, 20) },
		"events": func() *World {
			w := open(t, Options{MaxBytes: 64 << 20})
			event := RegisterEvent[Position](w)
			w.newReader(event.ID())
			must(t, w.Run("send", func(tick *Tick) error {
				for range MaxUnread + 1 {
					event.Send(tick.Commands, Position{})
				}
				return nil
			}))
			return w
		},
		"entities": func() *World { w := open(t, Options{MaxEntities: 20}); spawnMany(w, 18); return w },
		"memory": func() *World {
			w := open(t, Options{MaxBytes: 1})
			wide := Register[Wide2](w)
			for {
				if _, err := w.TrySpawn(wide.With(Wide2{})); err != nil {
					return w
				}
			}
		},
	} {
		s := make().Stats()
		if got := s.Warnings(); kinds(got) != want || !strings.Contains(s.String(), "warning: "+got[0].Text) {
			t.Errorf("%s: got %v", want, got)
		}
	}
}

// combined spreads entities over combinations of tags, so many to each.
func combined(t *testing.T, tags, combinations, each int) *World {
	w := open(t, Options{MaxBytes: 64 << 20})
	ids := []ComponentID{}
	for i := range tags {
		id, err := w.define(Schema{Name: fmt.Sprint("tag", i)}, false)
		must(t, err)
		ids = append(ids, id)
	}
	for mix := range combinations {
		values := []Value{}
		for bit, id := range ids {
			if mix>>bit&1 == 1 {
				values = append(values, w.valueAt(id, nil))
			}
		}
		for range each {
			w.Spawn(values...)
		}
	}
	return w
}

// TestStatsCountBytes: used is values, reserved is what they take.
func TestStatsCountBytes(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position, burning, label := Register[Position](w), Register[Burning](w, Sparse), Register[Label](w)
	for i := range 1000 {
		e := w.Spawn(position.With(Position{}))
		if i%10 == 0 {
			must(t, burning.Set(e, Burning{1}))
			must(t, label.Set(e, Label{"x"}))
		}
	}
	s := w.Stats()
	for _, want := range []ComponentStats{
		{"Position", 1000, 16_000, 16_000, 0}, {"Burning", 100, 400, 2 * ChunkBytes, 0}, {"Label", 100, 1600, 1600, 0},
	} {
		got := s.Components[position.ID()]
		switch want.Component {
		case "Burning":
			got = s.Components[burning.ID()]
		case "Label":
			got = s.Components[label.ID()]
		}
		if got.Component != want.Component || got.Entities != want.Entities || got.Used != want.Used || got.Reserved < want.Reserved || got.Reserved > 6*want.Reserved {
			t.Errorf("got %+v, want about %+v", got, want)
		}
	}
	largest := s.Largest(9)
	if len(largest) != 1 || largest[0].Entities != 1000 || largest[0].Bytes != 2*ChunkBytes {
		t.Errorf("the largest archetypes are %+v", largest)
	}
	if text := s.String(); !strings.Contains(text, "1000 of 16777215 entities") && !strings.Contains(text, "1000 of") || !strings.Contains(text, "Burning") {
		t.Errorf("the table is\n%s", text)
	}
}

// TestTransitionsOfTheLastTick are those since the tick before.
func TestTransitionsOfTheLastTick(t *testing.T) {
	w := open(t, Options{})
	frozen := Register[Frozen](w)
	es := spawnMany(w, 5)
	for round := range 3 {
		for _, e := range es[:round] {
			must(t, frozen.Set(e, Frozen{}))
			must(t, frozen.Remove(e))
		}
		must(t, w.Step(0))
		if s := w.Stats(); s.TickMoves != uint64(2*round) {
			t.Errorf("round %d made %d transitions", round, s.TickMoves)
		}
	}
	must(t, w.Step(0))
	if s := w.Stats(); s.TickMoves != 0 || s.Transitions != 6 {
		t.Errorf("after a tick without any: %d, %d in all", s.TickMoves, s.Transitions)
	}
}
