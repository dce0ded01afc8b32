package ecs

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// entities returns what a query yields, in order.
func entities(q *Query) (es []Entity) {
	for c := range q.Chunks() {
		es = append(es, c.Entities()...)
	}
	return es
}

// TestFindShowsTheRow of each entity that matches and no other.
func TestFindShowsTheRow(t *testing.T) {
	z := newZoo(t)
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
	z := newZoo(t)
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
	z := newZoo(t)
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
	z := newZoo(t)
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
