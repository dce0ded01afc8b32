package ecs

import (
	"runtime"
	"slices"
	"testing"
)

// TestAddedIsExact: who got the component since the last loop, once, in order,
// if it is alive and has it still.
func TestAddedIsExact(t *testing.T) {
	for name, options := range map[string][]ComponentOption{"column": nil, "pool": {Sparse}} {
		w := open(t, Options{ReuseAfter: -1})
		position, burning := Register[Position](w), Register[Burning](w, options...)
		old := w.Spawn(position.With(Position{}), burning.With(Burning{}))
		q := w.Query(Read(position)).Added(burning)
		expect := func(what string, want ...Entity) {
			t.Helper()
			if got := entities(q); !slices.Equal(got, want) {
				t.Errorf("%s: %s: got %v, want %v", name, what, got, want)
			}
		}
		expect("what came before the query")
		a := w.Spawn(position.With(Position{}))
		b := w.Spawn(burning.With(Burning{}), position.With(Position{}))
		must(t, burning.Set(a, Burning{}))
		must(t, burning.Set(b, Burning{2}))
		if q.Count() != 3 || q.First() == 0 {
			t.Errorf("%s: Count and First leave Added aside", name)
		}
		expect("spawned with it and given it", b, a)
		expect("nothing since")
		must(t, burning.Set(a, Burning{3}))
		expect("a value that is overwritten is not added")
		must(t, burning.Remove(old))
		must(t, burning.Set(old, Burning{}))
		must(t, burning.Remove(a))
		must(t, burning.Set(a, Burning{}))
		must(t, burning.Remove(a))
		expect("taken and given again; and taken", old)
		c := w.NewCommands()
		d := c.Spawn(burning.With(Burning{}), position.With(Position{}))
		dies := c.Spawn(burning.With(Burning{}), position.With(Position{}))
		c.Despawn(dies)
		c.Add(a, burning.With(Burning{}))
		c.Spawn(burning.With(Burning{})) // no position
		must(t, c.Apply())
		expect("commands", d, a)
		must(t, w.Despawn(d))
		e := w.Spawn(burning.With(Burning{}), position.With(Position{})) // in the slot of the dead
		for range q.Chunks() {
			break
		}
		expect("a loop that ends early has looked at all")
		must(t, burning.Remove(e))
		must(t, burning.Set(e, Burning{}))
		q.Close()
		expect("closed")
		must(t, burning.Set(a, Burning{}))
		expect("closed for good")
		must(t, w.Check())
	}
}

// TestAddedOfSeveral components: each entity comes once, where the first came.
func TestAddedOfSeveral(t *testing.T) {
	z := newZoo(t)
	q := z.Query().Added(z.frozen, z.burning, z.frozen)
	a, b := z.Spawn(), z.Spawn(z.frozen.With(Frozen{}))
	must(t, z.burning.Set(a, Burning{}))
	must(t, z.burning.Set(b, Burning{}))
	must(t, z.frozen.Remove(b))
	must(t, z.frozen.Set(a, Frozen{}))
	if got := entities(q); !slices.Equal(got, []Entity{a, b}) && !slices.Equal(got, []Entity{b, a}) {
		t.Errorf("got %v", got)
	}
}

// TestAdditionsStayBounded however many come and go between two looks.
func TestAdditionsStayBounded(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	burning := Register[Burning](w, Sparse)
	q := w.Query(Read(burning)).Added(burning)
	keep := w.Spawn(burning.With(Burning{}))
	for range 5000 {
		must(t, w.Despawn(w.Spawn(burning.With(Burning{}))))
	}
	if n := len(q.added.entries); n > 200 {
		t.Errorf("%d entries for one entity", n)
	}
	late := w.Spawn(burning.With(Burning{}))
	if got := entities(q); !slices.Equal(got, []Entity{keep, late}) {
		t.Errorf("got %v, want %v and %v", got, keep, late)
	}
}

// TestADroppedQueryIsForgotten by the components that it asked for.
func TestADroppedQueryIsForgotten(t *testing.T) {
	w := open(t, Options{})
	burning := Register[Burning](w, Sparse)
	func() { w.Query(Read(burning)).Added(burning) }()
	for range 10 {
		runtime.GC()
	}
	w.Spawn(burning.With(Burning{}))
	if n := len(w.components[burning.ID()].added); n != 0 {
		t.Errorf("%d dropped queries are still told of additions", n)
	}
}

// TestCheckFindsBrokenAdditions, each of their invariants broken on purpose.
func TestCheckFindsBrokenAdditions(t *testing.T) {
	for name, corrupt := range map[string]func(a *additions, e Entity){
		"a place leads to another's entry": func(a *additions, e Entity) { a.places[0][e.Index()] = 2 },
		"a place leads past the end":       func(a *additions, e Entity) { a.places[0][e.Index()] = 9 },
		"a place of another component":     func(a *additions, e Entity) { a.entries[0].which = 1 },
		"an entry of another entity":       func(a *additions, e Entity) { a.entries[0].entity++ },
		"places of no component":           func(a *additions, e Entity) { a.places = append(a.places, nil) },
	} {
		w := open(t, Options{})
		burning, frozen := Register[Burning](w, Sparse), Register[Frozen](w)
		q := w.Query().Added(burning, frozen)
		e := w.Spawn(burning.With(Burning{}))
		w.Spawn(burning.With(Burning{}), frozen.With(Frozen{}))
		must(t, w.Check())
		if corrupt(q.added, e); w.Check() == nil {
			t.Errorf("%s: went unnoticed", name)
		}
	}
}
