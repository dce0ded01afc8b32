package ecs

import (
	"cmp"
	"errors"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/internal/testmain"
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

// scored is the component of indexes, in each storage: with a pointer it lies on the heap.
type (
	scored     struct{ Score int32 }
	scoredName struct {
		Score int32
		Name  string
	}
)

// TestIndexFindsWhatAScanFinds after random changes by every kind of write, of chunks that grow,
// move and are emptied, in each storage.
func TestIndexFindsWhatAScanFinds(t *testing.T) {
	for name, options := range map[string][]ComponentOption{"column": nil, "pool": {Sparse}} {
		t.Run(name, func(t *testing.T) {
			w := open(t, Options{ReuseAfter: -1, Tag: 9})
			c := Register[scored](w, options...)
			x, err := NewIndex(c, func(v *scored) int32 { return v.Score })
			must(t, err)
			testIndex(t, w, c, x, func(n int32) scored { return scored{n} }, func(v *scored) *int32 { return &v.Score })
		})
	}
	t.Run("heap", func(t *testing.T) {
		w := open(t, Options{ReuseAfter: -1, Tag: 9})
		c := Register[scoredName](w)
		x, err := NewIndex(c, func(v *scoredName) int32 { return v.Score })
		must(t, err)
		testIndex(t, w, c, x, func(n int32) scoredName { return scoredName{n, "x"} }, func(v *scoredName) *int32 { return &v.Score })
	})
}

// testIndex compares an index with a scan after each of some random changes.
func testIndex[T any](t *testing.T, w *World, c Component[T], x *Index[int32], of func(int32) T, score func(*T) *int32) {
	testmain.OneGoroutine(t)
	flag, wide, burning := Register[Ghost](w), Register[Velocity](w), Register[Burning](w, Sparse)
	q, pages := w.Query(Read(c)), w.Query(Write(c))
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 7))
		var es []Entity
		for e := range w.Entities() {
			es = append(es, e)
		}
		pick := func() Entity {
			if len(es) == 0 {
				return 0
			}
			return es[r.IntN(len(es))]
		}
		for range 60 {
			n := int32(r.IntN(100))
			switch e := pick(); r.IntN(14) {
			case 0, 1:
				for range r.IntN(400) {
					values := []Value{c.With(of(int32(r.IntN(100))))}
					if r.IntN(2) == 0 {
						values = append(values, wide.With(Velocity{}))
					}
					es = append(es, w.Spawn(values...))
				}
			case 2:
				_ = w.Despawn(e)
			case 3:
				_ = c.Set(e, of(n))
			case 4:
				_ = c.Remove(e)
			case 5:
				_ = w.Add(e, flag.With(Ghost{}), wide.With(Velocity{}))
			case 6:
				if p := c.Edit(e); p != nil {
					*score(p) = n
				}
			case 7:
				for k := range pages.Chunks() {
					if v := c.Mut(k); r.IntN(3) == 0 && len(v) > 0 {
						*score(&v[r.IntN(len(v))]) = n
					}
				}
			case 8:
				must(t, w.SpawnMany(r.IntN(1500), nil, c.With(of(n))))
			case 9:
				if r.IntN(4) == 0 {
					_, err := w.DespawnAll(w.Query(Read(c)).Without(flag))
					must(t, err)
				}
			case 10:
				w.Raw().Compact()
			case 11:
				_, err := w.ExchangeAll(w.Query(Read(flag)), []ComponentRef{flag}, burning.With(Burning{}))
				must(t, err)
			case 12:
				must(t, w.Step(1))
			default: // an index that looks within a loop, before a write of the loop
				for k := range pages.Chunks() {
					v := c.Mut(k)
					x.Count(0, 50)
					*score(&v[r.IntN(len(v))]) = n
				}
			}
			lo, hi := int32(r.IntN(100)), int32(r.IntN(100))
			type found struct {
				e Entity
				n int32
			}
			var within, below, above []found
			for k := range q.Chunks() {
				for i, v := range c.Of(k) {
					f := found{k.Entities()[i], *score(&v)}
					if lo <= f.n && f.n <= hi {
						within = append(within, f)
					}
					if f.n < hi {
						below = append(below, f)
					}
					if f.n > lo {
						above = append(above, f)
					}
				}
			}
			for what, c := range map[string]struct {
				got  iter.Seq2[Entity, int32]
				want []found
			}{"range": {x.Range(lo, hi), within}, "below": {x.Below(hi), below}, "above": {x.Above(lo), above}} {
				var got []found
				for e, n := range c.got {
					got = append(got, found{e, n})
				}
				order := func(a, b found) int { return cmp.Compare(a.e, b.e) }
				slices.SortFunc(got, order)
				slices.SortFunc(c.want, order)
				if !slices.Equal(got, c.want) {
					t.Fatalf("seed %d: %s from %d to %d: %d entities, want %d", seed, what, lo, hi, len(got), len(c.want))
				}
			}
			if n := x.Count(lo, hi); n != len(within) {
				t.Fatalf("Count said %d, want %d", n, len(within))
			}
		}
	}
	if x.Err() != nil || len(x.runs) != len(x.order) {
		t.Errorf("%v; %d runs of %d", x.Err(), len(x.runs), len(x.order))
	}
}

// TestAKeyThatPanics leaves no half-read chunk behind: the next look reads it again.
func TestAKeyThatPanics(t *testing.T) {
	w := open(t, Options{})
	c, broken := Register[scored](w), false
	x, err := NewIndex(c, func(v *scored) int32 {
		if broken && v.Score == 2 {
			panic(errors.New("no key"))
		}
		return v.Score
	})
	must(t, err)
	for n := range int32(4) {
		w.Spawn(c.With(scored{n}))
	}
	if n := x.Count(0, 9); n != 4 {
		t.Errorf("%d entities before", n)
	}
	w.Spawn(c.With(scored{9}))
	broken = true
	if r := recovered(func() { x.Count(0, 9) }); r == nil {
		t.Error("the panic is lost")
	}
	broken = false
	if n, last := x.Count(0, 9), x.Count(9, 9); n != 5 || last != 1 {
		t.Errorf("%d entities after a key that panicked, want 5; %d of the last, want 1", n, last)
	}
	must(t, w.Add(w.Spawn())) // the world is not locked
}

// TestNumbersOnly: no key is above or below one that is no number, whether a chunk is sorted or not.
func TestNumbersOnly(t *testing.T) {
	w := open(t, Options{})
	type weight struct{ Kilos float64 }
	c := Register[weight](w)
	x, err := NewIndex(c, func(v *weight) float64 { return v.Kilos })
	must(t, err)
	for _, n := range []float64{3, nan(), 1} {
		w.Spawn(c.With(weight{n}))
	}
	count := func(found iter.Seq2[Entity, float64]) (n int) {
		for range found {
			n++
		}
		return n
	}
	for look := range 3 { // the second sorts
		for name, got := range map[string]int{"above": count(x.Above(nan())), "below": count(x.Below(nan()))} {
			if got != 0 {
				t.Errorf("look %d: %d entities are %s what is no number", look, got, name)
			}
		}
		if n, m := count(x.Above(0)), count(x.Range(nan(), nan())); n != 2 || m != 1 {
			t.Errorf("look %d: %d numbers, want 2; %d of what is none, want 1", look, n, m)
		}
	}
}

// TestIndexOfAField by its name, over a migration that moves it and one that takes it away.
func TestIndexOfAField(t *testing.T) {
	w := open(t, Options{})
	schema := func(fields ...Field) Schema { return Schema{Name: "Health", Fields: fields} }
	id, err := w.define(schema(Field{Name: "hp", Kind: F32}, Field{Name: "name", Kind: U8, Len: 4}), false)
	must(t, err)
	x, err := w.Raw().Index(id, "hp")
	must(t, err)
	var es []Entity
	for _, hp := range []float32{10, 60, 49.5, float32(nan())} {
		v := [2]float32{hp}
		es = append(es, w.Spawn(w.valueAt(id, unsafe.Pointer(&v))))
	}
	below := func() (found []Entity) {
		for e := range x.Below(50) {
			found = append(found, e)
		}
		return found
	}
	if got := below(); !slices.Equal(got, []Entity{es[0], es[2]}) {
		t.Errorf("below 50: %v of %v", got, es)
	}
	m := w.Raw().Migrate()
	must(t, m.Component(schema(Field{Name: "armor", Kind: F64}, Field{Name: "hp", Kind: I32}), func(_ Entity, to, from unsafe.Pointer) error {
		*(*int32)(unsafe.Add(to, 8)) = int32(min(*(*float32)(from), 100))
		return nil
	}))
	must(t, m.Prepare())
	m.Commit()
	if got := below(); len(got) < 2 || got[0] == es[1] || x.Err() != nil {
		t.Errorf("after the migration, below 50: %v of %v, %v", got, es, x.Err())
	}
	m = w.Raw().Migrate()
	must(t, m.Component(schema(Field{Name: "armor", Kind: F64}), func(_ Entity, _, _ unsafe.Pointer) error { return nil }))
	must(t, m.Prepare())
	m.Commit()
	if got := below(); len(got) != 0 || !errors.Is(x.Err(), ErrUnknown) {
		t.Errorf("without the field: %v, %v", got, x.Err())
	}
}

// TestIndexesThatMakeNoSense, and what a loop over one allows.
func TestIndexesThatMakeNoSense(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	label := Register[Label](w)
	id, err := w.define(Schema{Name: "Bag", Fields: []Field{{Name: "items", Kind: U8, Len: 4}}}, false)
	must(t, err)
	x, err := NewIndex(position, func(p *Position) float64 { return p.X })
	must(t, err)
	var none Component[Position]
	for name, c := range map[string]struct{ got, want error }{
		"no component": {onlyError(NewIndex(none, func(p *Position) float64 { return 0 })), ErrConflict},
		"no key":       {onlyError(NewIndex[Position, int](position, nil)), ErrConflict},
		"no number":    {onlyError(w.Raw().Index(999, "x")), ErrUnknown},
		"no field":     {onlyError(w.Raw().Index(position.ID(), "z")), ErrUnknown},
		"a list":       {onlyError(w.Raw().Index(id, "items")), ErrConflict},
		"a text":       {onlyError(w.Raw().Index(label.ID(), "text")), ErrConflict},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v", name, c.got)
		}
	}
	for i := range 10 {
		w.Spawn(position.With(Position{X: float64(i)}))
	}
	var seen []float64
	for e, n := range x.Range(2, 4) {
		seen = append(seen, n)
		if _, err := w.TrySpawn(); !errors.Is(err, ErrIterating) {
			t.Errorf("spawned in a loop: %v", err)
		}
		position.Edit(e).X = 100
		if n := x.Count(100, 100); n != len(seen) {
			t.Errorf("%d were moved so far, the index says %d", len(seen), n)
		}
	}
	if !slices.Equal(seen, []float64{2, 3, 4}) || w.locks != 0 {
		t.Errorf("the loop yielded %v", seen)
	}
}

// skipping is a system over a query, and how often it was called.
type skipping struct {
	calls, rows int
	dt          float64
	drawn       uint64
}

// system makes a system of a query that counts its calls.
func (k *skipping) system(name string, q *Query) System {
	return System{Name: name, Queries: []*Query{q}, Run: func(t *Tick) error {
		k.calls++
		k.dt, k.drawn = t.DT, t.Random().Uint64()
		for c := range q.Chunks() {
			k.rows += c.Len()
		}
		return nil
	}}
}

// TestASystemOfWhatHasChangedIsSkipped when nothing has, in each kind of storage, serial and
// parallel; time and random numbers are as if it had run.
func TestASystemOfWhatHasChangedIsSkipped(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		z := newMixedWorld(t)
		e := z.byMix["pfbl"]
		queries := map[string]*Query{
			"column": z.Query(Read(z.position)).Changed(z.position), "pool": z.Query(Read(z.burning)).Changed(z.burning),
			"heap": z.Query(Read(z.label)).Changed(z.label), "mixed": z.Query(Read(z.position)).Changed(z.burning),
			"tag": z.Query(Read(z.position)).Changed(z.frozen),
		}
		counts := map[string]*skipping{"always": {}}
		always := counts["always"].system("always", z.Query(Read(z.position)))
		must(t, z.Schedule().Add(always))
		for name, q := range queries {
			counts[name] = &skipping{}
			sys := counts[name].system(name, q)
			sys.Parallel = parallel
			must(t, z.Schedule().Add(sys))
		}
		for i, step := range []struct {
			write  func()
			called string
		}{
			{func() {}, "column heap mixed pool tag"}, // the first look
			{func() {}, ""},
			{func() { z.position.Edit(e).X++ }, "column"},
			{func() { must(t, z.burning.Set(e, Burning{3})) }, "mixed pool"},
			{func() { z.label.Edit(e).Text += "x" }, "heap"},
			{func() { must(t, z.frozen.Remove(e)) }, "column tag"}, // the row has moved
			{func() { must(t, z.burning.Remove(e)) }, "mixed pool"},
			{func() {}, ""},
		} {
			before := map[string]int{}
			for name, k := range counts {
				before[name] = k.calls
			}
			step.write()
			must(t, z.Step(0.25))
			called := ""
			for _, name := range []string{"column", "heap", "mixed", "pool", "tag"} {
				if k := counts[name]; k.calls > before[name] {
					called += " " + name
					if k.dt != 0.25 {
						t.Errorf("step %d: %q gets a time of %v", i, name, k.dt)
					}
				}
			}
			if want := step.called; called != "" && called[1:] != want || called == "" && want != "" {
				t.Errorf("parallel %v, step %d: called were%s, want %s", parallel, i, called, want)
			}
		}
		for _, s := range z.Schedule().Stats(nil) {
			if k := counts[s.Name]; int(s.Runs) != k.calls || s.Runs+s.Skipped != 8 || s.Name == "always" && s.Skipped > 0 {
				t.Errorf("%q was called %d times; stats: %d runs, %d skipped", s.Name, k.calls, s.Runs, s.Skipped)
			}
		}
	}
}

// TestSkippingChangesNothing: random writes in two worlds, in one of which no system is ever
// skipped; all that the systems see is the same.
func TestSkippingChangesNothing(t *testing.T) {
	for seed := range uint64(40) {
		var seen [2][]string
		for side := range seen {
			random := NewRandom(seed)
			z := newMixedWorld(t)
			all := []ComponentRef{z.position, z.burning, z.label, z.frozen}
			for i := range 8 {
				q := z.Query()
				if n := random.Uint64() % 3; n < 2 {
					q = z.Query(Read([]ComponentRef{z.position, z.burning}[n]))
				}
				q.Changed(all[random.Uint64()%4])
				if random.Uint64()%3 == 0 {
					q.Changed(all[random.Uint64()%4])
				}
				if random.Uint64()%3 == 0 {
					q.Without(z.frozen)
				}
				sys := System{Name: string(rune('a' + i)), Queries: []*Query{q}, Every: float64(random.Uint64()%2) / 2, Parallel: random.Uint64()%2 == 0}
				sys.Unchanged = func(*World) bool { return side == 0 }
				note := func(tick *Tick) {
					for c := range q.Chunks() {
						for _, e := range c.Entities() {
							seen[side] = append(seen[side], sys.Name, e.String())
						}
					}
					if n := len(seen[side]); n > 0 && seen[side][n-1] != "" {
						seen[side] = append(seen[side], sys.Name, string(rune(tick.DT*4+'0')), "")
					}
				}
				fails := random.Uint64()%4 == 0
				sys.Run = func(tick *Tick) error {
					before := len(seen[side])
					note(tick)
					if len(seen[side]) > before+3 {
						seen[side] = append(seen[side], string(rune(tick.Random().Uint64()%64+'0')), "")
						if fails && tick.Random().Uint64()%2 == 0 {
							return ErrTransient
						}
					}
					return nil
				}
				must(t, z.Schedule().Add(sys))
			}
			for range 60 {
				es := slices.Collect(z.Entities())
				e := es[random.Uint64()%uint64(len(es))]
				switch random.Uint64() % 12 {
				case 0:
					z.position.Edit(e)
				case 1:
					z.burning.Edit(e)
				case 2:
					must(t, z.label.Set(e, Label{"y"}))
				case 3:
					must(t, z.Remove(e, all[random.Uint64()%4]))
				case 4:
					must(t, z.frozen.Set(e, Frozen{}))
				case 5:
					z.Spawn(z.position.With(Position{}), z.burning.With(Burning{}))
				case 6:
					if len(es) > 8 {
						must(t, z.Despawn(e))
					}
				case 7:
					must(t, z.burning.Sort(func(a, b *Burning) int { return int(b.Left - a.Left) }))
				}
				z.Step(0.25)
			}
			if skipped := z.Schedule().Stats(nil)[3].Skipped; (side == 0) != (skipped == 0) {
				t.Errorf("seed %d, world %d: %d turns were skipped", seed, side, skipped)
			}
			must(t, z.Close())
		}
		if !slices.Equal(seen[0], seen[1]) {
			t.Fatalf("seed %d: systems that may be skipped have seen something else", seed)
		}
	}
}

// TestAFailedSystemIsNotSkipped: a run that finds nothing is a success, and counts as one.
func TestAFailedSystemIsNotSkipped(t *testing.T) {
	z := newMixedWorld(t)
	q := z.Query(Read(z.position)).Changed(z.position)
	calls, fail := 0, true
	must(t, z.Schedule().Add(System{Name: "it", Queries: []*Query{q}, Run: func(*Tick) error {
		calls++
		for range q.Chunks() {
			if fail {
				return ErrConflict
			}
		}
		return nil
	}}))
	z.Step(1)
	must(t, z.Step(1))
	must(t, z.Step(1))
	if h, _ := z.Schedule().Health("it"); calls != 2 || h != Healthy {
		t.Errorf("%d calls, it is %v", calls, h)
	}
}

// TestAdditionsAreNoReasonToSkip: a query that asks for both uses additions up with each look, also
// with those that show nothing; a system over it runs in each tick.
func TestAdditionsAreNoReasonToSkip(t *testing.T) {
	z := newMixedWorld(t)
	q := z.Query(Read(z.position)).Added(z.burning).Changed(z.position)
	k := &skipping{}
	must(t, z.Schedule().Add(k.system("it", q)))
	must(t, z.Step(1))
	must(t, z.burning.Set(z.byMix["p"], Burning{})) // its position stays what it is
	must(t, z.Step(1))
	z.position.Edit(z.byMix["p"])
	must(t, z.Step(1))
	if k.calls != 3 || k.rows != 0 {
		t.Errorf("%d calls, %d rows", k.calls, k.rows)
	}
}

// TestEventsThatWaitKeepASystemFromBeingSkipped: a system of Event.Each is called for each event,
// whether what it declares to iterate has changed or not.
func TestEventsThatWaitKeepASystemFromBeingSkipped(t *testing.T) {
	w := open(t, Options{})
	type hit struct{ N int64 }
	position, hits := Register[Position](w), RegisterEvent[hit](w)
	w.Spawn(position.With(Position{}))
	var got []int64
	must(t, w.Schedule().Add(hits.Each(System{Name: "s", Queries: []*Query{w.Query(Read(position)).Changed(position)}},
		func(_ *Tick, v hit) error { got = append(got, v.N); return nil })))
	must(t, w.Step(1))
	for i := range int64(3) {
		must(t, hits.Emit(hit{i}))
		must(t, w.Step(1))
	}
	if !slices.Equal(got, []int64{0, 1, 2}) {
		t.Errorf("it was called for %v", got)
	}
}
