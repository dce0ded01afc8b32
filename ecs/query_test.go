package ecs

import (
	"fmt"
	"slices"
	"testing"
)

// mixedWorld has one entity for each mix of a column, an arena pool and a heap pool.
type mixedWorld struct {
	*World
	position Component[Position]
	frozen   Component[Frozen]
	burning  Component[Burning]
	label    Component[Label]
	byMix    map[string]Entity // "pfbl" has all four
}

func newMixedWorld(t testing.TB) *mixedWorld {
	w := open(t, Options{})
	z := &mixedWorld{
		World: w, position: Register[Position](w), frozen: Register[Frozen](w),
		burning: Register[Burning](w, Sparse), label: Register[Label](w), byMix: map[string]Entity{},
	}
	for mix := range 16 {
		name := ""
		var values []Value
		for bit, v := range []Value{
			z.position.With(Position{X: float64(mix)}), z.frozen.With(Frozen{}),
			z.burning.With(Burning{float32(mix)}), z.label.With(Label{fmt.Sprint(mix)}),
		} {
			if mix&(1<<bit) != 0 {
				values = append(values, v)
				name += "pfbl"[bit : bit+1]
			}
		}
		z.byMix[name] = w.Spawn(values...)
	}
	return z
}

// mixes returns the names of what a query yields, sorted.
func (z *mixedWorld) mixes(q *Query) []string {
	var got []string
	for c := range q.Chunks() {
		for _, e := range c.Entities() {
			for name, other := range z.byMix {
				if e == other {
					got = append(got, name)
				}
			}
		}
	}
	slices.Sort(got)
	return got
}

// TestWhatQueriesMatch, for terms that live in columns and in pools.
func TestWhatQueriesMatch(t *testing.T) {
	z := newMixedWorld(t)
	p, f, b, l := z.position, z.frozen, z.burning, z.label
	for name, c := range map[string]struct {
		query *Query
		want  []string
	}{
		"everything":            {z.Query(), []string{"", "b", "bl", "f", "fb", "fbl", "fl", "l", "p", "pb", "pbl", "pf", "pfb", "pfbl", "pfl", "pl"}},
		"a column":              {z.Query(Read(p)), []string{"p", "pb", "pbl", "pf", "pfb", "pfbl", "pfl", "pl"}},
		"a tag":                 {z.Query().With(f).Without(p), []string{"f", "fb", "fbl", "fl"}},
		"a pool":                {z.Query(Read(b)).Without(p, f), []string{"b", "bl"}},
		"two pools":             {z.Query(Read(b), Read(l)), []string{"bl", "fbl", "pbl", "pfbl"}},
		"all four":              {z.Query(Read(p), Read(b)).With(f, l), []string{"pfbl"}},
		"without pools":         {z.Query(Read(p)).Without(b, l), []string{"p", "pf"}},
		"any of two columns":    {z.Query().Any(p, f).Without(b, l), []string{"f", "p", "pf"}},
		"any of column or pool": {z.Query().Any(p, b).Without(l), []string{"b", "fb", "p", "pb", "pf", "pfb"}},
		"any of two pools":      {z.Query(Read(p)).Any(b, l).Without(f), []string{"pb", "pbl", "pl"}},
		"a contradiction":       {z.Query(Read(p)).Without(p), nil},
		"the same twice":        {z.Query(Read(b)).With(b).Without(p, f, l), []string{"b"}},
		"optional changes none": {z.Query(Read(p)).Optional(Read(b), Read(f)).Without(l), []string{"p", "pb", "pf", "pfb"}},
	} {
		if got := z.mixes(c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if n := c.query.Count(); n != len(c.want) {
			t.Errorf("%s: counts %d, want %d", name, n, len(c.want))
		}
		if first := c.query.First(); (first != 0) != (len(c.want) > 0) || first != 0 && !c.query.Matches(first) {
			t.Errorf("%s: the first is %v", name, first)
		}
		for mix, e := range z.byMix {
			if c.query.Matches(e) != slices.Contains(c.want, mix) {
				t.Errorf("%s: Matches(%q) is %v", name, mix, c.query.Matches(e))
			}
		}
	}
}

// TestOptionalComponentsAreThere where entities have them, columns or pools.
func TestOptionalComponentsAreThere(t *testing.T) {
	z := newMixedWorld(t)
	for name, q := range map[string]*Query{
		"from a column": z.Query(Read(z.position)).Optional(Read(z.burning), Read(z.label), Read(z.frozen)),
		"from a pool":   z.Query().With(z.burning).Optional(Read(z.position), Read(z.label)),
		"from nothing":  z.Query().Optional(Read(z.position), Read(z.burning), Read(z.label)),
	} {
		rows := 0
		for c := range q.Chunks() {
			p, b, l := z.position.Of(c), z.burning.Of(c), z.label.Of(c)
			for i, e := range c.Entities() {
				rows++
				if (p != nil) != z.position.Has(e) || (b != nil) != z.burning.Has(e) || (l != nil) != z.label.Has(e) {
					t.Fatalf("%s: %v is shown %v, %v, %v", name, e, p, b, l)
				}
				if l != nil && b != nil && fmt.Sprint(b[i].Left) != l[i].Text {
					t.Errorf("%s: the values are of different entities: %v, %v", name, b[i], l[i])
				}
			}
		}
		if rows != q.Count() {
			t.Errorf("%s: %d rows, Count says %d", name, rows, q.Count())
		}
	}
}

// TestRowHelpers give pointers into the columns and stamp what is declared as
// written, no more.
func TestRowHelpers(t *testing.T) {
	z := newMixedWorld(t)
	moved, burnt := z.Query(Read(z.position)).Changed(z.position), z.Query(Read(z.burning)).Changed(z.burning)
	z.mixes(moved)
	z.mixes(burnt)
	for e, r := range Rows2(z.Query(Write(z.position), Read(z.burning)).Optional(Read(z.label)), z.position, z.burning) {
		if r.A.X != float64(r.B.Left) {
			t.Errorf("%v has %v and %v", e, r.A, r.B)
		}
		r.A.Y = 7
	}
	for e, r := range Rows2(z.Query(Read(z.position)).Optional(Read(z.label)).Without(z.frozen), z.position, z.label) {
		if (r.B != nil) != z.label.Has(e) || (r.A.Y == 7) != z.burning.Has(e) {
			t.Errorf("%v has %v and %v", e, r.A, r.B)
		}
		break
	}
	n := 0
	for e, p := range Rows(z.Query(Read(z.position)), z.position) {
		if q, _ := z.position.Get(e); q != *p {
			t.Errorf("%v has %v, the row says %v", e, q, *p)
		}
		n++
	}
	if n != 8 {
		t.Errorf("%d rows, want 8", n)
	}
	if len(z.mixes(moved)) == 0 || len(z.mixes(burnt)) != 0 {
		t.Error("positions were written and burnings only read; the change filters say otherwise")
	}
}

// TestALateArchetypeIsFound by a query that was made and used before.
func TestALateArchetypeIsFound(t *testing.T) {
	w := open(t, Options{})
	position, velocity := Register[Position](w), Register[Velocity](w)
	q := w.Query(Read(position))
	for n := range 5 {
		if q.Count() != n {
			t.Fatalf("counts %d, want %d", q.Count(), n)
		}
		late, err := w.define(Schema{Name: fmt.Sprint("late", n)}, false)
		must(t, err)
		w.Spawn(position.With(Position{}), w.valueAt(late, nil))
		w.Spawn(velocity.With(Velocity{}), w.valueAt(late, nil))
	}
}

// TestTheOrderOfIteration is that in which archetypes and rows came to be; what
// it is matters less than that it is the same in every run.
func TestTheOrderOfIteration(t *testing.T) {
	w := open(t, Options{})
	position, frozen := Register[Position](w), Register[Frozen](w)
	burning := Register[Burning](w, Sparse)
	a, b := w.Spawn(position.With(Position{}), frozen.With(Frozen{})), w.Spawn(position.With(Position{}))
	c, d := w.Spawn(position.With(Position{}), frozen.With(Frozen{})), w.Spawn(position.With(Position{}))
	for _, e := range []Entity{d, a, c} {
		must(t, burning.Set(e, Burning{}))
	}
	order := func(q *Query) (es []Entity) {
		for c := range q.Chunks() {
			es = append(es, c.Entities()...)
		}
		return es
	}
	// Position alone was the first archetype: Spawn passes through it.
	if got := order(w.Query(Read(position))); !slices.Equal(got, []Entity{b, d, a, c}) {
		t.Errorf("columns: %v", got)
	}
	if got := order(w.Query(Read(position), Read(burning))); !slices.Equal(got, []Entity{d, a, c}) {
		t.Errorf("with a pool: %v", got)
	}
	must(t, w.Despawn(d)) // the last of the pool takes its place
	if got := order(w.Query(Read(position), Read(burning))); !slices.Equal(got, []Entity{c, a}) {
		t.Errorf("with a pool, after a removal: %v", got)
	}
}

// TestLoopsNest, over one query and over several.
func TestLoopsNest(t *testing.T) {
	z := newMixedWorld(t)
	for name, q := range map[string]*Query{
		"columns": z.Query(Read(z.position)), "pool": z.Query(Read(z.burning)), "mixed": z.Query(Read(z.position), Read(z.label)),
		"rows": z.Query(Read(z.position)).Without(z.burning),
	} {
		pairs, n := 0, q.Count()
		for outer := range q.Chunks() {
			for i, e := range outer.Entities() {
				for inner := range q.Chunks() {
					pairs += inner.Len()
				}
				if outer.Entities()[i] != e {
					t.Fatalf("%s: the inner loop changed what the outer one looks at", name)
				}
			}
		}
		if pairs != n*n || z.locks != 0 {
			t.Errorf("%s: %d pairs of %d entities, %d locks left", name, pairs, n, z.locks)
		}
	}
}

func TestTerms(t *testing.T) {
	z := newMixedWorld(t)
	q := z.Query(Write(z.position), Read(z.burning)).Optional(Write(z.label)).With(z.frozen)
	var got []string
	for _, term := range q.Terms() {
		got = append(got, fmt.Sprint(z.schemaByID(term.ID()).Name, " ", term.Writes()))
	}
	if !slices.Equal(got, []string{"Position true", "Burning false", "Label true"}) {
		t.Errorf("the terms are %q", got)
	}
}

// TestWhereYieldsRuns of rows whose values pass, of columns and of pools.
func TestWhereYieldsRuns(t *testing.T) {
	w := open(t, Options{})
	position, burning, label := Register[Position](w), Register[Burning](w, Sparse), Register[Label](w)
	for i := range 10 {
		w.Spawn(position.With(Position{X: float64(i)}), burning.With(Burning{float32(i)}), label.With(Label{"x"}))
	}
	for name, q := range map[string]*Query{
		"column":    Where(w.Query(), position, func(p *Position) bool { return int(p.X)%5 != 0 }),
		"pool":      Where(w.Query(Read(position)), burning, func(b *Burning) bool { return int(b.Left)%5 != 0 }),
		"of both":   Where(w.Query(Read(position), Read(label)), burning, func(b *Burning) bool { return int(b.Left)%5 != 0 }),
		"two tests": Where(Where(w.Query(), position, func(p *Position) bool { return p.X != 0 }), position, func(p *Position) bool { return p.X != 5 }),
	} {
		var runs []int
		for c := range q.Chunks() {
			runs = append(runs, c.Len())
			for i, e := range c.Entities() {
				if p, _ := position.Get(e); position.Of(c)[i] != p || int(p.X)%5 == 0 {
					t.Errorf("%s: %v has %v, the run says %v", name, e, p, position.Of(c)[i])
				}
			}
			if b := burning.Of(c); name != "column" && name != "two tests" && int(b[len(b)-1].Left) != int(position.Of(c)[len(b)-1].X) {
				t.Errorf("%s: the pool's column is of others: %v", name, b)
			}
		}
		if !slices.Equal(runs, []int{4, 4}) || q.Count() != 8 {
			t.Errorf("%s: runs of %v, %d counted", name, runs, q.Count())
		}
	}
	if terms := Where(w.Query(), position, func(*Position) bool { return true }).Terms(); len(terms) != 1 || terms[0] != Read(position) {
		t.Errorf("a test reads: %v", terms)
	}
	if q := Where(w.Query(Write(position)), position, func(p *Position) bool { return p.X == 3 }); len(q.Terms()) != 1 || q.Count() != 1 || !q.Matches(q.First()) || q.Matches(w.Query().First()) {
		t.Error("the test is not part of the match, or a term was named twice")
	}
}

func TestQueriesByRelation(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	r := relate(t, w, "Targets", RelationOptions{})
	var es []Entity
	for range 6 {
		es = append(es, w.Spawn(position.With(Position{})))
	}
	plain := w.Spawn() // no position
	must(t, r.Set(es[3], es[0]))
	must(t, r.Set(es[1], es[0]))
	must(t, r.Set(es[0], es[2]))
	must(t, r.Set(plain, es[0]))
	for name, c := range map[string]struct {
		q    *Query
		want []Entity
	}{
		"sources of one": {w.Query(Read(position)).SourcesOf(r, es[0]), []Entity{es[3], es[1]}},
		"sources":        {w.Query(Read(position)).Sources(r), []Entity{es[3], es[0], es[1]}},
		"targets":        {w.Query(Read(position)).Targets(r), []Entity{es[0], es[2]}},
		"both":           {w.Query().Sources(r).Targets(r), []Entity{es[0]}},
		"either":         {w.Query().With(r), []Entity{es[3], es[0], es[1], es[2], plain}},
		"neither":        {w.Query(Read(position)).Without(r), []Entity{es[4], es[5]}},
		"children":       {w.Query().Sources(w.ChildOf()), nil},
	} {
		var got []Entity
		for chunk := range c.q.Chunks() {
			got = append(got, chunk.Entities()...)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || c.q.Count() != len(c.want) {
			t.Errorf("%s: %v, counted %d, want %v", name, got, c.q.Count(), c.want)
		}
	}
	sources := w.Query().Sources(r)
	must(t, r.Set(es[1], 0))
	if sources.Matches(es[1]) || !sources.Matches(es[3]) {
		t.Error("a query remembers a link that has gone")
	}
}
