package fields_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/fields"
	"github.com/perigee-ecs/perigee/internal/misuse"
)

type (
	misusedPlace struct{ X, Y float64 }
	misusedHook  struct{ N int32 }
	misusedBag   struct {
		Name  string
		Items []string
		Cells [3]uint8
	}
)

// wrongUses are calls of package fields in two worlds.
type wrongUses struct {
	*misuse.Calls
	w, other *ecs.World
	hooked   func() // what the hook of component Hook does
}

func newWrongUses(t *testing.T, api *misuse.API, seed uint64) *wrongUses {
	c := &wrongUses{Calls: misuse.NewCalls(t, api, seed)}
	var entities []ecs.Entity
	var refs []ecs.ComponentRef
	var texts []*fields.TextQuery
	open := func(tag uint16) *ecs.World {
		w, err := ecs.Open(ecs.Options{Tag: tag, MaxEntities: 100, MaxBytes: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Close() })
		if tag == 2 {
			ecs.Register[struct{ Other int32 }](w, ecs.Named("Other"))
		}
		place, bag := ecs.Register[misusedPlace](w, ecs.Named("Place")), ecs.Register[misusedBag](w, ecs.Named("Bag"))
		refs = append(refs, place, bag, place.ID(), bag.ID(), w.ChildOf())
		entities = append(entities, w.Spawn(place.With(misusedPlace{})), w.Spawn(bag.With(misusedBag{})), w.Spawn())
		dead := w.Spawn()
		if err := w.Despawn(dead); err != nil {
			t.Fatal(err)
		}
		entities = append(entities, dead)
		ecs.Register[misusedHook](w, ecs.Named("Hook"), ecs.Hooks[misusedHook]{Added: func(ecs.Entity, *misusedHook) { c.hooked() }})
		c.Receivers["Fields"] = append(c.Receivers["Fields"], fields.Of(w))
		for _, text := range []string{"", "Place", "?Bag, Place.x < 5"} {
			q, err := fields.Of(w).Query(text)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, q)
		}
		return w
	}
	c.w, c.other = open(1), open(2)
	for _, q := range texts {
		c.Receivers["TextQuery"] = append(c.Receivers["TextQuery"], q)
	}
	c.Receivers["QueryError"] = []any{&fields.QueryError{}, &fields.QueryError{Column: -1, Err: ecs.ErrRange}}
	c.Functions["Of"] = fields.Of
	misuse.Offer(c.Calls, append(entities, 0, ^ecs.Entity(0), 77)...)
	misuse.Offer(c.Calls, append(refs, nil, ecs.ComponentID(99), (*ecs.Relation)(nil), ecs.Component[misusedPlace]{})...)
	misuse.Offer[any](c.Calls, nil, 1, "x", true, 1e300, []any{1, 2, 3}, []any{nil}, map[string]any{"x": 1, "none": 2}, map[string]any{"cells": []any{1, 2, 300}}, struct{}{}, ecs.Entity(5))
	misuse.Offer(c.Calls, "", "x", "name", "items", "cells", "cells[2]", "cells[-1]", "cells[", "Place", "Bag", "Place.x < 5, !Bag", "any(Place|Bag", "Bag.name == 1", "\"\\", "Other", "ChildOf")
	misuse.Offer(c.Calls, nil, []byte(`{"Place":{"x":1}}`), []byte(`{"Bag":{"cells":[1,2,3]}}`), []byte(`{"Bag":{"cells":[1]}}`), []byte(`{"None":{}}`), []byte(`{}`), []byte(`{`), []byte(`null`), []byte(`[]`), []byte("\xff"))
	misuse.Offer(c.Calls, c.w, c.other, nil)
	return c
}

// TestWrongUsesHaveDocumentedOutcomes: a named error, a panic that the doc speaks of, or success;
// and then the worlds are whole.
func TestWrongUsesHaveDocumentedOutcomes(t *testing.T) {
	api := &misuse.API{
		Situations: []string{"outside", "elsewhere", "loop", "text loop", "system", "goroutine", "observer", "hook", "beside", "closed", "zero"},
		Prefix:     "ecs",
		Named:      misuse.Among(ecs.ErrIterating, ecs.ErrClosed, ecs.ErrDead, ecs.ErrArenaFull, ecs.ErrEntityLimit, ecs.ErrUnknown, ecs.ErrConflict, ecs.ErrRange, ecs.ErrCycle),
	}
	api.Exported(t, ".")
	for seed := range uint64(12) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			for round := range uint64(4) {
				c := newWrongUses(t, api, seed*100+round)
				for _, where := range api.Situations {
					for name := c.Next(where); name != "" && !t.Failed(); name = c.Next(where) {
						c.inSituation(where, name)
					}
				}
			}
		})
	}
	api.Print(t)
}

// inSituation makes a call where a world may be.
func (c *wrongUses) inSituation(where, name string) {
	w := c.w
	call := func() { c.Call(name, where, false) }
	switch where {
	case "outside":
		call()
	case "elsewhere":
		c.Call(name, where, true)
	case "loop":
		for range w.Query().Chunks() {
			call()
			break
		}
	case "text loop":
		q, err := fields.Of(w).Query("Place.x < 5")
		if err != nil {
			c.Fatal(err)
		}
		for range q.All() {
			call()
			break
		}
	case "system", "goroutine", "beside":
		c.inStep(where, call)
	case "observer":
		c.Expect("Observe", w.Observe(ecs.Observer{Name: "o", On: ecs.OnSpawn, Run: func(*ecs.Tick, ecs.Notice) error {
			w.Unobserve("o")
			call()
			return nil
		}}))
		w.Spawn()
		c.Expect("Step", w.Step(0.1))
	case "hook":
		c.hooked = call
		w.Spawn(ecs.Register[misusedHook](w, ecs.Named("Hook")).With(misusedHook{}))
	case "closed":
		c.Expect("Close", w.Close())
		c.Expect("Close", c.other.Close())
		call()
		return
	case "zero":
		c.Receivers = map[string][]any{"Fields": {fields.Fields{}}, "TextQuery": {&fields.TextQuery{}, (*fields.TextQuery)(nil)}, "QueryError": {&fields.QueryError{}}}
		call()
		return
	}
	for _, w := range []*ecs.World{w, c.other} {
		if err := w.Check(); err != nil {
			c.Fault("the world is broken: %v", err)
		}
	}
}

// inStep makes a call in a system: by itself, on another goroutine, or beside others.
func (c *wrongUses) inStep(where string, call func()) {
	s := c.w.Schedule()
	systems := []ecs.System{{Name: "misuse", Parallel: where == "beside", Run: func(*ecs.Tick) error {
		if where == "goroutine" {
			done := make(chan bool)
			go func() { defer close(done); call() }()
			<-done
			return nil
		}
		call()
		return nil
	}}, {Name: "other", Parallel: true, Run: func(*ecs.Tick) error { return nil }}}
	if err := s.Change(s.Names(), systems); err != nil {
		c.Fatal(err)
	}
	c.Expect("Step", c.w.Step(0.1))
}
