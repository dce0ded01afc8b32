package ecs

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// menagerie has a query of every manner of iteration over one mixedWorld.
func menagerie(z *mixedWorld) map[string]*Query {
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
	z := newMixedWorld(t)
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
	z := newMixedWorld(t)
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
	spans := func() (ns []int) {
		for c := range mixed.Chunks() {
			if ns = append(ns, c.Len()); len(burning.Of(c)) != c.Len() || len(label.Of(c)) != c.Len() {
				t.Errorf("columns of %d and %d rows in a run of %d", len(burning.Of(c)), len(label.Of(c)), c.Len())
			}
		}
		return ns
	}
	if got := spans(); !slices.Equal(got, []int{8}) {
		t.Errorf("in step: spans of %v", got)
	}
	must(t, burning.Remove(w.Query().First())) // the last of the pool takes the place
	if got := spans(); !slices.Equal(got, []int{1, 6}) {
		t.Errorf("out of step: spans of %v", got)
	}
}

// TestQueriesAllocateNothingOnceWarm, in any manner of iteration.
func TestQueriesAllocateNothingOnceWarm(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	z := newMixedWorld(t)
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

// entities returns what a query yields, in order.
func entities(q *Query) (es []Entity) {
	for c := range q.Chunks() {
		es = append(es, c.Entities()...)
	}
	return es
}

// TestFindShowsTheRow of each entity that matches and no other.
func TestFindShowsTheRow(t *testing.T) {
	z := newMixedWorld(t)
	for name, q := range map[string]*Query{
		"columns": z.Query(Read(z.position)).Without(z.frozen), "pool": z.Query(Read(z.burning)),
		"mixed": z.Query(Read(z.position), Read(z.label)).Without(z.burning), "all": z.Query(),
		"optional": z.Query(Read(z.position)).Optional(Read(z.burning), Read(z.label)),
	} {
		for _, e := range z.byMix {
			c, row := q.Find(e)
			if (c != nil) != q.Matches(e) {
				t.Fatalf("%s: Find(%v) is %v, Matches says %v", name, e, c, q.Matches(e))
			}
			if c == nil {
				continue
			}
			p, had := z.position.Get(e)
			if got := z.position.Of(c); c.Entities()[row] != e || (got != nil) != had || had && got[row] != p {
				t.Errorf("%s: %v is found in row %d of %v", name, e, row, c.Entities())
			}
			if l, has := z.label.Get(e); has && z.label.Of(c) != nil && z.label.Of(c)[row] != l {
				t.Errorf("%s: %v is shown the label of another", name, e)
			}
		}
		if c, row := q.Find(0); c != nil || row != 0 {
			t.Errorf("%s: nobody is found in row %d", name, row)
		}
	}
}

// TestSingle says which one, or how many there are.
func TestSingle(t *testing.T) {
	z := newMixedWorld(t)
	for _, c := range []struct {
		query *Query
		want  int
	}{
		{z.Query(Read(z.position), Read(z.burning)).With(z.frozen, z.label), 1},
		{z.Query(Read(z.position)).Without(z.frozen, z.label, z.burning), 1},
		{z.Query(Read(z.position)).Without(z.position), 0},
		{z.Query(), 16},
		{z.Query(Read(z.burning)), 8},
		{z.Query(Read(z.burning), Read(z.label)), 4},
	} {
		e, err := c.query.Single()
		text := map[int]string{0: "there is none"}[c.want]
		if c.want > 1 {
			text = fmt.Sprint("there are ", c.want)
		}
		switch {
		case c.want == 1 && (err != nil || e != c.query.First() || e == 0):
			t.Errorf("the only one is %v, %v", e, err)
		case c.want != 1 && (!errors.Is(err, ErrNotOne) || e != 0 || err.Error() != ErrNotOne.Error()+": "+text):
			t.Errorf("of %d: %v, %v", c.want, e, err)
		}
		if c.query.Empty() != (c.want == 0) {
			t.Errorf("of %d: empty is %v", c.want, c.query.Empty())
		}
	}
}

// TestExact leaves out who has anything that the query does not name.
func TestExact(t *testing.T) {
	z := newMixedWorld(t)
	must(t, z.SetParent(z.byMix["p"], z.byMix["pf"])) // no component in this sense
	for name, c := range map[string]struct {
		query *Query
		want  []string
	}{
		"a column":         {z.Query(Read(z.position)).Exact(), []string{"p"}},
		"two columns":      {z.Query(Read(z.position)).With(z.frozen).Exact(), []string{"pf"}},
		"a pool":           {z.Query(Read(z.burning)).Exact(), []string{"b"}},
		"a mix":            {z.Query(Read(z.position), Read(z.label)).Exact(), []string{"pl"}},
		"with an optional": {z.Query(Read(z.position)).Optional(Read(z.label), Read(z.frozen)).Exact(), []string{"p", "pf", "pfl", "pl"}},
		"with any":         {z.Query().Any(z.burning, z.frozen).Exact(), []string{"b", "f", "fb"}},
		"nothing":          {z.Query().Exact(), []string{""}},
	} {
		if got := z.mixes(c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if n := c.query.Count(); n != len(c.want) {
			t.Errorf("%s: counts %d", name, n)
		}
	}
	bare := z.Query(Read(z.position)).Exact()
	bare.Count()
	late := Register[struct{ N int }](z.World, Sparse, Named("late"))
	must(t, late.Set(z.byMix["p"], struct{ N int }{1}))
	if got := z.mixes(bare); len(got) != 0 {
		t.Errorf("a pool that came later is not left out: %q", got)
	}
}

// TestChildrenOf are found in the order of the children, as far as they match.
func TestChildrenOf(t *testing.T) {
	z := newMixedWorld(t)
	parent, other := z.byMix[""], z.byMix["f"]
	var want []Entity
	for _, mix := range []string{"pl", "b", "p", "pfbl"} {
		must(t, z.SetParent(z.byMix[mix], parent))
		if z.position.Has(z.byMix[mix]) {
			want = append(want, z.byMix[mix])
		}
	}
	q := z.Query(Read(z.position)).ChildrenOf(parent)
	if got := entities(q); !slices.Equal(got, want) {
		t.Errorf("the children with a position are %v, want %v", got, want)
	}
	if q.Count() != 3 || q.First() != want[0] || !q.Matches(want[2]) || q.Matches(z.byMix["b"]) || q.Matches(z.byMix["pf"]) {
		t.Error("counting and matching know nothing of the parent")
	}
	must(t, z.SetParent(want[1], other))
	if got := entities(q.ChildrenOf(other)); !slices.Equal(got, want[1:2]) {
		t.Errorf("the children of the other are %v", got)
	}
	for _, nobody := range []Entity{0, 99, z.byMix["pl"]} {
		if got := entities(q.ChildrenOf(nobody)); len(got) != 0 || q.Matches(parent) {
			t.Errorf("%v has the children %v", nobody, got)
		}
	}
	must(t, z.Despawn(other))
	if got := entities(q.ChildrenOf(other)); len(got) != 0 {
		t.Errorf("the dead have the children %v", got)
	}
}

type (
	wide   struct{ A, B, C int64 }
	narrow struct{ A int64 }
	held   struct{ A *int64 } // a Go pointer: in a pool of the heap
)

// TestRunsOverPoolsInRandomOrder: pools that were filled together, and then less
// and less so, give the loop every entity that is in all of them once, in the
// order of the smallest, each with its own values.
func TestRunsOverPoolsInRandomOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	w := open(t, Options{})
	a, b, c := Register[wide](w, Sparse), Register[narrow](w, Sparse), Register[held](w)
	put := func(e Entity) {
		id := int64(e.Index())
		must(t, a.Set(e, wide{A: id, C: -id}))
		must(t, b.Set(e, narrow{id}))
		must(t, c.Set(e, held{&id}))
	}
	q := w.Query(Read(a), Read(b), Read(c))
	es := spawnMany(w, 3000)
	for _, e := range es {
		put(e)
	}
	longest := 0
	for range 300 {
		var want []Entity
		lead := w.components[a.ID()].pool
		for _, id := range []ComponentID{b.ID(), c.ID()} {
			if p := w.components[id].pool; p.len() < lead.len() {
				lead = p
			}
		}
		for i := 0; lead.page(i) != nil; i++ {
			for _, e := range lead.page(i).Entities() {
				if a.Has(e) && b.Has(e) && c.Has(e) {
					want = append(want, e)
				}
			}
		}
		at := 0
		for chunk := range q.Chunks() {
			longest = max(longest, chunk.Len())
			as, bs, cs := a.Of(chunk), b.Of(chunk), c.Of(chunk)
			for i, e := range chunk.Entities() {
				if id := int64(e.Index()); at == len(want) || e != want[at] || as[i] != (wide{A: id, C: -id}) || bs[i].A != id || *cs[i].A != id {
					t.Fatalf("seed %d: candidate %d is %v with %v %v %v", seed, at, e, as[i], bs[i], *cs[i].A)
				}
				at++
			}
		}
		if at != len(want) {
			t.Fatalf("seed %d: %d entities, want %d", seed, at, len(want))
		}
		switch e := es[r.IntN(len(es))]; r.IntN(5) {
		case 0:
			a.Remove(e)
		case 1:
			b.Remove(e)
		case 2:
			c.Remove(e)
		default:
			put(e)
		}
	}
	if longest < 100 {
		t.Errorf("the longest run had %d rows: nothing went together", longest)
	}
}
