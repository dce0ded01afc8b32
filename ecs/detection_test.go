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
	z := newMixedWorld(t)
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

// TestNothingChangedYieldsNothing, however often one looks, and reading is no
// change.
func TestNothingChangedYieldsNothing(t *testing.T) {
	z := newMixedWorld(t)
	for name, q := range map[string]*Query{
		"a column":             z.Query(Read(z.position)).Changed(z.position),
		"an arena pool":        z.Query(Read(z.burning)).Changed(z.burning),
		"a heap pool":          z.Query(Read(z.label)).Changed(z.label),
		"a pool from a column": z.Query(Read(z.position)).Changed(z.burning),
		"a column from a pool": z.Query(Read(z.burning)).Changed(z.position),
		"a tag":                z.Query(Read(z.position)).Changed(z.frozen),
		"several":              z.Query(Read(z.position), Read(z.label)).Changed(z.position, z.label),
	} {
		if len(z.mixes(q)) == 0 {
			t.Errorf("%s: the first look shows nothing", name)
		}
		for range 3 {
			for c := range z.Query(Read(z.position)).Chunks() {
				z.position.Of(c)
			}
			z.position.Get(z.byMix["p"])
			must(t, z.Step(1))
			if got := z.mixes(q); len(got) != 0 {
				t.Errorf("%s: nothing was written, yet it shows %q", name, got)
			}
		}
	}
}

// TestEveryWayToWriteIsAChange, in each kind of storage, seen by each filter.
func TestEveryWayToWriteIsAChange(t *testing.T) {
	z := newMixedWorld(t)
	e := z.byMix["pfbl"]
	byColumn, byPool, byHeap := z.Query(Read(z.position)).Changed(z.position), z.Query(Read(z.burning)).Changed(z.burning), z.Query(Read(z.label)).Changed(z.label)
	columnOfPool, poolOfColumn := z.Query(Read(z.burning)).Changed(z.position), z.Query(Read(z.position)).Changed(z.burning, z.label)
	all := []*Query{byColumn, byPool, byHeap, columnOfPool, poolOfColumn}
	for name, c := range map[string]struct {
		write func()
		seen  []*Query
	}{
		"set a column":  {func() { must(t, z.position.Set(e, Position{})) }, []*Query{byColumn, columnOfPool}},
		"set a pool":    {func() { must(t, z.burning.Set(e, Burning{})) }, []*Query{byPool, poolOfColumn}},
		"set the heap":  {func() { must(t, z.label.Set(e, Label{})) }, []*Query{byHeap, poolOfColumn}},
		"edit a column": {func() { z.position.Edit(e) }, []*Query{byColumn, columnOfPool}},
		"edit a pool":   {func() { z.burning.Edit(e) }, []*Query{byPool, poolOfColumn}},
		"edit the heap": {func() { z.label.Edit(e) }, []*Query{byHeap, poolOfColumn}},
		"a patch": {func() {
			c := z.NewCommands()
			c.Patch(e, z.position.ID(), 0, []byte{1})
			must(t, c.Apply())
		}, []*Query{byColumn, columnOfPool}},
		"a column in a loop": {func() {
			for c := range z.Query(Write(z.position)).Chunks() {
				z.position.Mut(c)
			}
		}, []*Query{byColumn, columnOfPool}},
		"a pool in a loop": {func() {
			for c := range z.Query(Write(z.burning)).Chunks() {
				z.burning.Mut(c)
			}
		}, []*Query{byPool, poolOfColumn}},
		"the heap in a loop": {func() {
			for c := range z.Query(Write(z.label)).Chunks() {
				z.label.Mut(c)
			}
		}, []*Query{byHeap, poolOfColumn}},
		"single rows in a loop": {func() {
			for c := range z.Query(Write(z.position), Write(z.burning), Write(z.label)).Chunks() {
				z.position.Mut(c)
				z.burning.Mut(c)
				z.label.Mut(c)
			}
		}, all},
		"raw memory": {func() {
			for c := range z.Query().Chunks() {
				c.Column(z.position.ID(), true)
			}
		}, []*Query{byColumn, columnOfPool}},
		"touching what somebody wrote": {func() { z.touch(e, z.position.ID()) }, []*Query{byColumn, columnOfPool}},
		"a component that came": {func() {
			must(t, z.burning.Remove(e))
			must(t, z.burning.Set(e, Burning{}))
		}, []*Query{byPool, poolOfColumn}},
	} {
		for _, q := range all {
			z.mixes(q) // look, so that only what follows is new
		}
		c.write()
		for i, q := range all {
			want := false
			for _, s := range c.seen {
				want = want || s == q
			}
			if seen := contains(z.mixes(q), "pfbl"); seen != want {
				t.Errorf("%s: filter %d shows it: %v, want %v", name, i, seen, want)
			}
		}
	}
}

func contains(all []string, s string) bool {
	for _, one := range all {
		if one == s {
			return true
		}
	}
	return false
}

// TestWritingWhileLookingIsSeenNextTime: a loop that writes what it filters by
// meets its own writes once more, and so never misses one of somebody else.
func TestWritingWhileLookingIsSeenNextTime(t *testing.T) {
	z := newMixedWorld(t)
	q := z.Query(Write(z.position)).Changed(z.position)
	for c := range q.Chunks() {
		z.position.Mut(c)
	}
	if len(z.mixes(q)) == 0 {
		t.Error("writes made during the look are lost to the next one")
	}
	if len(z.mixes(q)) != 0 {
		t.Error("writes are shown twice")
	}
}

// TestCountAndFirstAreNoLooks: they leave the filter as it is.
func TestCountAndFirstAreNoLooks(t *testing.T) {
	z := newMixedWorld(t)
	for _, q := range []*Query{z.Query(Read(z.position)).Changed(z.position), z.Query(Read(z.position), Read(z.burning)).Changed(z.burning)} {
		if q.Count() == 0 || q.First() == 0 || len(z.mixes(q)) == 0 {
			t.Error("counting has used up the changes")
		}
		if q.Count() == 0 || q.First() == 0 || q.Empty() {
			t.Error("counting and finding leave change filters aside")
		}
	}
}

// TestDatesLeaveNoTrace: what a call has stamped and looked at is as before once its
// dates are taken back, in each kind of storage; what others have stamped since stays.
func TestDatesLeaveNoTrace(t *testing.T) {
	z := newMixedWorld(t)
	e := z.byMix["pfbl"]
	watchers := map[string]*Query{
		"column": z.Query(Read(z.position)).Changed(z.position), "pool": z.Query(Read(z.burning)).Changed(z.burning),
		"heap": z.Query(Read(z.label)).Changed(z.label), "column of a pool": z.Query(Read(z.burning)).Changed(z.position),
	}
	look := func() (seen []string) {
		for name, q := range watchers {
			if len(z.mixes(q)) > 0 {
				seen = append(seen, name)
			}
		}
		slices.Sort(seen)
		return seen
	}
	all := z.Query(Read(z.position), Read(z.burning), Read(z.label))
	var d Dates
	stamp := map[string]func(){
		"touch": func() {
			for _, h := range []ComponentRef{z.position, z.burning, z.label} {
				d.Touch(z.World, e, h.ID())
			}
		},
		"columns": func() {
			for c := range all.Chunks() {
				for _, h := range []ComponentRef{z.position, z.burning, z.label, z.frozen} {
					d.Column(c, h.ID())
				}
			}
		},
	}
	for name, write := range stamp {
		look()
		write()
		d.Rewind()
		if got := look(); len(got) > 0 {
			t.Errorf("%s: taken back, and yet %q is changed", name, got)
		}
		write()
		d.Forget()
		if got := look(); len(got) != len(watchers) {
			t.Errorf("%s: only %q is changed", name, got)
		}
	}
	// What the host writes in between.
	for _, sealed := range []bool{false, true} {
		look()
		d.Touch(z.World, e, z.position.ID())
		if sealed {
			d.Seal(z.World)
			z.touch(e, z.position.ID())
		}
		d.Rewind()
		if got := look(); (len(got) > 0) != sealed {
			t.Errorf("the host has written: %v; changed is %q", sealed, got)
		}
	}
}

// TestDatesRewindLooks: a look that is taken back shows the same to the next one.
func TestDatesRewindLooks(t *testing.T) {
	z := newMixedWorld(t)
	a, b := z.Query(Read(z.position)).Changed(z.position), z.Query(Read(z.label)).Changed(z.label)
	var d Dates
	seen := func(q *Query) int {
		d.Look(q)
		return len(z.mixes(q))
	}
	whole := seen(a)
	mark := d.Mark()
	if seen(b) == 0 || seen(a) != 0 || seen(a) != 0 {
		t.Fatal("looks do not show what is new")
	}
	z.position.Edit(z.byMix["p"])
	if seen(a) == 0 || seen(a) != 0 {
		t.Fatal("a write is not seen once")
	}
	d.RewindLooks(mark)
	if seen(a) == 0 || seen(b) == 0 {
		t.Error("what looks since the mark have seen is not there for the next")
	}
	d.Rewind()
	if seen(a) != whole {
		t.Error("what the first look has seen is not there for the next")
	}
	d.Forget()
	if d.Rewind(); seen(a) != 0 {
		t.Error("a look that is forgotten was taken back")
	}
}
