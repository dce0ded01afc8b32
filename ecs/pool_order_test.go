package ecs

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// groupWorld is a world with three pools, two of them in a group.
type groupWorld struct {
	*World
	position Component[Position]
	burning  Component[Burning]
	label    Component[Label]
	heavy    Component[Heavy]
	es       []Entity
}

// Heavy is a component that few rows of fill a page.
type Heavy struct{ V [300]int64 }

func newGroupWorld(t testing.TB, n int) *groupWorld {
	w := open(t, Options{ReuseAfter: -1})
	h := &groupWorld{
		World: w, position: Register[Position](w), burning: Register[Burning](w, Sparse),
		label: Register[Label](w), heavy: Register[Heavy](w, Sparse),
	}
	for i := range n {
		h.es = append(h.es, w.Spawn(h.burning.With(Burning{float32(i)})))
	}
	return h
}

func (h *groupWorld) labels() *group { return h.components[h.label.ID()].group }

// TestRandomChangesKeepAGroupInOrder through any coming and going.
func TestRandomChangesKeepAGroupInOrder(t *testing.T) {
	h := newGroupWorld(t, 40)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for i, e := range h.es {
		if i%3 == 0 {
			must(t, h.label.Set(e, Label{fmt.Sprint(i)}))
		}
	}
	must(t, h.Group(h.burning, h.label, h.heavy))
	must(t, h.Group(h.heavy, h.label, h.burning)) // the same again
	q := h.Query(Write(h.burning), Read(h.label)).With(h.heavy)
	mixed := h.Query(Read(h.label), Read(h.burning), Read(h.heavy)).Without(h.position)
	for step := range 3000 {
		i := r.IntN(len(h.es))
		e := h.es[i]
		switch r.IntN(8) {
		case 0:
			must(t, h.burning.Set(e, Burning{float32(i)}))
		case 1, 2:
			must(t, h.label.Set(e, Label{fmt.Sprint(i)}))
		case 3, 4:
			must(t, h.heavy.Set(e, Heavy{[300]int64{299: int64(i)}}))
		case 5:
			must(t, h.Remove(e, h.label.ID(), h.burning.ID()))
		case 6:
			must(t, h.heavy.Remove(e))
		case 7:
			must(t, h.Despawn(e))
			h.es[i] = h.Spawn(h.label.With(Label{fmt.Sprint(i)}), h.burning.With(Burning{float32(i)}))
		}
		if err := h.Check(); err != nil {
			t.Fatalf("seed %d, step %d: %v", seed, step, err)
		}
		want := 0
		for _, e := range h.es {
			if h.label.Has(e) && h.burning.Has(e) && h.heavy.Has(e) {
				want++
			}
		}
		for name, q := range map[string]*Query{"alone": q, "mixed": mixed} {
			if got := h.compare(t, q); got != want || q.Count() != want {
				t.Fatalf("seed %d, step %d, %s: %d rows, %d counted, want %d", seed, step, name, got, q.Count(), want)
			}
		}
	}
}

// compare checks that the columns of each span are of its entities.
func (h *groupWorld) compare(t testing.TB, q *Query) (rows int) {
	t.Helper()
	for c := range q.Chunks() {
		rows += c.Len()
		b, l, v := h.burning.Of(c), h.label.Of(c), h.heavy.Of(c)
		for i, e := range c.Entities() {
			if l[i].Text != fmt.Sprint(b[i].Left) || v[i].V[299] != int64(b[i].Left) || h.label.Edit(e) != &l[i] {
				t.Fatalf("%v is shown %v, %v, %v", e, b[i], l[i], v[i].V[299])
			}
		}
	}
	return rows
}

// TestCheckFindsBrokenGroups, each of their invariants broken on purpose.
func TestCheckFindsBrokenGroups(t *testing.T) {
	for name, corrupt := range map[string]func(h *groupWorld){
		"two rows of one pool swapped":          func(h *groupWorld) { h.labels().pools[1].swap(0, 1) },
		"one row fewer":                         func(h *groupWorld) { h.labels().n-- },
		"one row more":                          func(h *groupWorld) { h.labels().n++ },
		"more rows than a pool has":             func(h *groupWorld) { h.labels().n = 99 },
		"a pool that knows no group":            func(h *groupWorld) { h.components[h.heavy.ID()].group = nil },
		"a pool that knows another":             func(h *groupWorld) { h.components[h.heavy.ID()].group = &group{} },
		"a first pool that knows none":          func(h *groupWorld) { h.components[h.label.ID()].group = nil },
		"a row of a group at the end of a pool": func(h *groupWorld) { h.components[h.burning.ID()].pool.(ranked).swap(0, 9) },
	} {
		h := newGroupWorld(t, 10)
		for i, e := range h.es[:7] {
			must(t, h.Add(e, h.label.With(Label{"x"}), h.heavy.With(Heavy{})))
			must(t, h.heavy.Remove(h.es[i/2]))
		}
		must(t, h.Group(h.label, h.heavy, h.burning))
		must(t, h.Check())
		if h.labels().n != 3 {
			t.Fatalf("%d rows have it all", h.labels().n)
		}
		if corrupt(h); h.Check() == nil {
			t.Errorf("%s: went unnoticed", name)
		}
	}
}

// TestGroupsAreRefused with a reason.
func TestGroupsAreRefused(t *testing.T) {
	h := newGroupWorld(t, 3)
	for name, hs := range map[string][]ComponentRef{
		"nothing": nil, "one": {h.label}, "a column": {h.label, h.position}, "twice": {h.label, h.label},
	} {
		if err := h.Group(hs...); !errors.Is(err, ErrConflict) || h.labels() != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range h.Query().Chunks() {
		if err := h.Group(h.label, h.burning); !errors.Is(err, ErrIterating) {
			t.Errorf("inside a loop: %v", err)
		}
	}
	must(t, h.Group(h.label, h.burning))
	for _, hs := range [][]ComponentRef{{h.label, h.heavy}, {h.heavy, h.label}, {h.label, h.burning, h.heavy}} {
		if err := h.Group(hs...); !errors.Is(err, ErrConflict) || h.components[h.heavy.ID()].group != nil {
			t.Errorf("a pool in two groups: %v", err)
		}
	}
}

// TestSortOrdersAPool, and a group with all its pools.
func TestSortOrdersAPool(t *testing.T) {
	h := newGroupWorld(t, 300)
	for i, e := range h.es {
		if i%2 == 0 {
			must(t, h.label.Set(e, Label{fmt.Sprint(i)}))
			must(t, h.heavy.Set(e, Heavy{[300]int64{299: int64(i)}}))
		}
	}
	falling := func(a, b *Burning) int { return cmp.Compare(b.Left, a.Left) }
	must(t, h.burning.Sort(falling))
	must(t, h.Check())
	if got := entities(h.Query(Read(h.burning))); !slices.Equal(got, reversed(h.es)) {
		t.Errorf("falling: %v", got)
	}
	must(t, h.burning.Sort(func(a, b *Burning) int { return cmp.Compare(int(a.Left)%2, int(b.Left)%2) }))
	if got := entities(h.Query(Read(h.burning))); got[0] != h.es[298] || got[1] != h.es[296] || got[150] != h.es[299] {
		t.Errorf("by parity, equal ones in the order that they had: %v", got)
	}
	must(t, h.Group(h.label, h.burning, h.heavy))
	must(t, h.heavy.Sort(func(a, b *Heavy) int { return cmp.Compare(a.V[299], b.V[299]) }))
	must(t, h.Check())
	q := h.Query(Read(h.label), Read(h.burning), Read(h.heavy))
	if h.compare(t, q) != 150 || !slices.Equal(entities(q)[:2], []Entity{h.es[0], h.es[2]}) {
		t.Errorf("the group: %v", entities(q))
	}
	must(t, h.label.Sort(func(a, b *Label) int { return cmp.Compare(len(a.Text), len(b.Text)) }))
	must(t, h.Check())
	for range q.Chunks() {
		if err := h.burning.Sort(falling); !errors.Is(err, ErrIterating) {
			t.Errorf("inside a loop: %v", err)
		}
	}
	if err := h.position.Sort(func(a, b *Position) int { return 0 }); !errors.Is(err, ErrConflict) {
		t.Errorf("a column: %v", err)
	}
}

func reversed(es []Entity) []Entity {
	es = slices.Clone(es)
	slices.Reverse(es)
	return es
}

// TestSortedFollowsAKey of columns and pools; who lacks it comes last.
func TestSortedFollowsAKey(t *testing.T) {
	z := newMixedWorld(t)
	byX := func(a, b *Position) int { return cmp.Compare(b.X, a.X) }
	byText := func(a, b *Label) int { return cmp.Compare(len(a.Text), len(b.Text)) }
	for name, q := range map[string]*Query{
		"columns": z.Query(Read(z.position)), "mixed": z.Query(Read(z.position), Read(z.burning)).Without(z.label),
	} {
		var got, want []Entity
		for c := range Sorted(q, z.position, byX) {
			got = append(got, c.Entities()...)
		}
		want = entities(q)
		slices.SortStableFunc(want, func(a, b Entity) int { return byX(z.position.Edit(a), z.position.Edit(b)) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	q := z.Query(Read(z.position)).Optional(Read(z.label))
	var got []Entity
	for c := range Sorted(q, z.label, byText) {
		for i, e := range c.Entities() {
			got = append(got, e)
			if l := z.label.Of(c); (l != nil) != z.label.Has(e) || l != nil && &l[i] != z.label.Edit(e) {
				t.Errorf("%v is shown the label %v", e, l)
			}
		}
		if _, err := z.TrySpawn(); !errors.Is(err, ErrIterating) {
			t.Errorf("a sorted loop is no lock: %v", err)
		}
	}
	if len(got) != 8 || !z.label.Has(got[3]) || z.label.Has(got[4]) || z.locks != 0 {
		t.Errorf("those without a label come last: %v", got)
	}
}
