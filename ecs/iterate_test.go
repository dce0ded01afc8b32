package ecs

import (
	"cmp"
	"errors"
	"slices"
	"testing"
)

// menagerie has a query of every manner of iteration over one zoo.
func menagerie(z *zoo) map[string]*Query {
	must := func(err error) {
		if err != nil {
			panic(err) // the test's own mistake
		}
	}
	for _, e := range z.byMix {
		if p := z.byMix[""]; e != p {
			must(z.SetParent(e, p))
		}
	}
	must(z.Group(z.burning, z.label))
	all := func(*Position) bool { return true }
	return map[string]*Query{
		"whole chunks": z.Query(Read(z.position)), "whole pages": z.Query(Read(z.burning)),
		"a group": z.Query(Read(z.burning), Read(z.label)), "rows of chunks": z.Query(Read(z.position)).Without(z.label),
		"a pool leads": z.Query(Read(z.position), Read(z.burning)), "values": Where(z.Query(), z.position, all),
		"children": z.Query(Read(z.position)).ChildrenOf(z.byMix[""]), "exact": z.Query(Read(z.label)).Optional(Read(z.position)).Exact(),
		"optional": z.Query().Optional(Read(z.position), Read(z.label)),
	}
}

// TestEveryLoopIsALock, left by its end, by a break or by a panic, alone and in
// another loop over the same query.
func TestEveryLoopIsALock(t *testing.T) {
	z := newZoo(t)
	for name, q := range menagerie(z) {
		count := q.Count()
		leave := map[string]func(c *Chunk) bool{
			"to the end": func(*Chunk) bool { return true },
			"break":      func(*Chunk) bool { return false },
			"panic":      func(*Chunk) bool { panic("inside") },
			"inner": func(c *Chunk) bool {
				kept, n := slices.Clone(c.Entities()), 0
				for inner := range q.Chunks() {
					n += inner.Len()
				}
				return n == count && slices.Equal(kept, c.Entities())
			},
			"inner panic": func(c *Chunk) bool {
				for range Rows(q, z.position) {
					panic("inside")
				}
				return true
			},
		}
		for how, body := range leave {
			func() {
				defer func() { _ = recover() }()
				for c := range q.Chunks() {
					if _, err := z.TrySpawn(); !errors.Is(err, ErrIterating) {
						t.Errorf("%s, %s: spawning inside answers %v", name, how, err)
					}
					if !body(c) {
						break
					}
				}
			}()
			if z.locks != 0 || q.Count() != count || q.running != 0 {
				t.Errorf("%s, %s: %d locks and %d loops are left, %d match", name, how, z.locks, q.running, q.Count())
			}
		}
	}
}

// TestRowsAgreeWithChunks in what they yield and in order.
func TestRowsAgreeWithChunks(t *testing.T) {
	z := newZoo(t)
	for name, q := range menagerie(z) {
		var rows []Entity
		for e, r := range Rows2(q, z.position, z.label) {
			rows = append(rows, e)
			if named, _ := q.term(z.label.ID()); (r.B != nil) != (named && z.label.Has(e)) {
				t.Errorf("%s: %v is shown the label %v", name, e, r.B)
			}
			if p, has := z.position.Get(e); r.A != nil && (!has || *r.A != p) {
				t.Errorf("%s: %v has %v, the row says %v", name, e, p, r.A)
			}
		}
		if want := entities(q); !slices.Equal(rows, want) || len(rows) != q.Count() {
			t.Errorf("%s: rows %v, chunks %v, %d counted", name, rows, want, q.Count())
		}
		n := 0
		for range Rows(q, z.position) {
			n++
			break
		}
		if n != min(1, len(rows)) || z.locks != 0 {
			t.Errorf("%s: a loop that ends at once has %d rows and leaves %d locks", name, n, z.locks)
		}
	}
}

// TestTheSmallerSideLeads, and says in which order.
func TestTheSmallerSideLeads(t *testing.T) {
	w := open(t, Options{})
	position, burning := Register[Position](w), Register[Burning](w, Sparse)
	var es []Entity
	for range 4 {
		es = append(es, w.Spawn(position.With(Position{})))
	}
	for _, e := range slices.Backward(es) {
		must(t, burning.Set(e, Burning{}))
	}
	q := w.Query(Read(position), Read(burning))
	if got := entities(q); !slices.Equal(got, reversed(es)) {
		t.Errorf("a pool as small as the archetypes leads: %v", got)
	}
	for range 10 {
		w.Spawn(burning.With(Burning{}))
	}
	if got := entities(q); !slices.Equal(got, es) {
		t.Errorf("archetypes smaller than the pool lead: %v", got)
	}
}

// TestRunsJoinRows that follow each other in the chunk and in the pools.
func TestRunsJoinRows(t *testing.T) {
	w := open(t, Options{})
	position, burning, label := Register[Position](w), Register[Burning](w, Sparse), Register[Label](w)
	for range 8 {
		w.Spawn(position.With(Position{}), burning.With(Burning{}), label.With(Label{"x"}))
	}
	mixed := w.Query(Read(position), Read(burning), Read(label))
	runs := func() (ns []int) {
		for c := range mixed.Chunks() {
			if ns = append(ns, c.Len()); len(burning.Of(c)) != c.Len() || len(label.Of(c)) != c.Len() {
				t.Errorf("columns of %d and %d rows in a run of %d", len(burning.Of(c)), len(label.Of(c)), c.Len())
			}
		}
		return ns
	}
	if got := runs(); !slices.Equal(got, []int{8}) {
		t.Errorf("in step: runs of %v", got)
	}
	must(t, burning.Remove(w.Query().First())) // the last of the pool takes the place
	if got := runs(); !slices.Equal(got, []int{1, 6}) {
		t.Errorf("out of step: runs of %v", got)
	}
}

// TestQueriesAllocateNothingOnceWarm, in any manner of iteration.
func TestQueriesAllocateNothingOnceWarm(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	z := newZoo(t)
	sum := 0
	for name, q := range menagerie(z) {
		allocates(t, name, func() {
			for c := range q.Chunks() {
				for inner := range q.Chunks() {
					sum += c.Len() * inner.Len()
				}
			}
		})
		allocates(t, name+", rows", func() {
			for range Rows2(q, z.position, z.label) {
				sum++
			}
		})
		allocates(t, name+", one", func() {
			e := q.First()
			if c, row := q.Find(e); c.Entities()[row] != e || q.Empty() {
				t.Errorf("%s: the first is not found", name)
			}
		})
		allocates(t, name+", sorted", func() {
			for c := range Sorted(q, z.position, func(a, b *Position) int { return cmp.Compare(b.X, a.X) }) {
				sum += c.Len()
			}
		})
	}
	added := z.Query(Read(z.position)).Added(z.burning, z.frozen)
	e := z.byMix["p"]
	allocates(t, "added", func() {
		must(t, z.burning.Set(e, Burning{}))
		must(t, z.frozen.Set(e, Frozen{}))
		for c := range added.Chunks() {
			sum += c.Len()
		}
		must(t, z.burning.Remove(e))
		must(t, z.frozen.Remove(e))
	})
	rising := false
	allocates(t, "sorting a group", func() {
		rising = !rising
		must(t, z.burning.Sort(func(a, b *Burning) int {
			if rising {
				return cmp.Compare(a.Left, b.Left)
			}
			return cmp.Compare(b.Left, a.Left)
		}))
	})
}
