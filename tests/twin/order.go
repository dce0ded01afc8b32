package twin

import (
	"cmp"
	"errors"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// arrivals are the components that came to entities since a query was last iterated.
type arrivals struct {
	kinds []int
	list  []arrival
	tidy  int // entries after which the list is looked through
}

// arrival is a component that an entity got.
type arrival struct {
	entity ecs.Entity
	kind   int
}

// follow makes a log of additions of the kinds.
func (m *Model) follow(kinds []int) *arrivals {
	a := &arrivals{kinds: kinds, tidy: 2000}
	m.logs = append(m.logs, a)
	return a
}

// arrive notes that e gets a component; entries that say nothing new, and those
// of the dead, are dropped now and then.
func (m *Model) arrive(e ecs.Entity, kind int) {
	for _, a := range m.logs {
		if !slices.Contains(a.kinds, kind) {
			continue
		}
		if a.list = append(a.list, arrival{e, kind}); len(a.list) < a.tidy {
			continue
		}
		seen := map[arrival]bool{}
		a.list = slices.DeleteFunc(a.list, func(g arrival) bool {
			drop := seen[g] || m.things[g.entity] == nil
			seen[g] = true
			return drop
		})
		a.tidy = 2*len(a.list) + 2000
	}
}

// still returns the entities that still have the components that came to them, in the
// order in which the first of these came.
func (a *arrivals) still(m *Model) (es []ecs.Entity) {
	if a == nil {
		return nil
	}
	met := map[ecs.Entity]bool{}
	for _, g := range a.list {
		t := m.things[g.entity]
		if t == nil || !t.placed || met[g.entity] {
			continue
		}
		if _, has := t.values[g.kind]; has {
			met[g.entity] = true
			es = append(es, g.entity)
		}
	}
	return es
}

// named reports whether the query names all components of an entity.
func (tw *Twin) named(l *liveQuery, t *modelEntity) bool {
	for k := range t.values {
		if !slices.Contains(slices.Concat(l.with, l.optional, l.any, l.test), k) {
			return false
		}
	}
	return true
}

// children returns the model's children of an entity, in order.
func (tw *Twin) children(e ecs.Entity) []ecs.Entity {
	if t := tw.Model.things[e]; t != nil {
		return t.links[0].sources
	}
	return nil
}

// inOrder compares the order of a loop where the model knows it, and ends the
// log of what came.
func (tw *Twin) inOrder(t T, op Op, l *liveQuery, got []ecs.Entity, may map[ecs.Entity]bool) {
	t.Helper()
	var want []ecs.Entity
	switch {
	case l.log != nil:
		want = l.log.still(tw.Model)
		l.log.list = l.log.list[:0]
	case l.family:
		want = slices.Clone(tw.children(l.parent))
	default:
		return
	}
	if len(l.changed) > 0 {
		may = map[ecs.Entity]bool{}
		for _, e := range got {
			may[e] = true // what a change filter leaves out is compared elsewhere
		}
	}
	want = slices.DeleteFunc(want, func(e ecs.Entity) bool { return !may[e] })
	if !slices.Equal(got, want) {
		t.Fatalf("%v: %+v yields %v, the model has the order %v", op, l.spec, got, want)
	}
}

// seek compares what a query says about single entities: Matches and Find.
func (tw *Twin) seek(t T, op Op) {
	t.Helper()
	l := tw.lookers[int(op.B)%len(tw.lookers)]
	_, may := tw.matches(l)
	q, e := l.query, tw.pick(op.A)
	c, row := q.Find(e)
	if q.Matches(e) != may[e] || (c != nil) != may[e] || c != nil && c.Entities()[row] != e {
		t.Fatalf("%v: %+v finds %v in row %d of %v, the model says %v", op, l.spec, e, row, c, may[e])
	}
	if c != nil {
		tw.found(t, op, l, c, row)
	}
	first, empty := q.First(), q.Empty()
	if may[first] != (len(may) > 0) || empty != (len(may) == 0) {
		t.Fatalf("%v: the first of %+v is %v, empty %v; %d match", op, l.spec, first, empty, len(may))
	}
	single, err := q.Single()
	if len(may) == 1 && (err != nil || single != first) || len(may) != 1 && !errors.Is(err, ecs.ErrNotOne) {
		t.Fatalf("%v: the only one of %+v is %v, %v; %d match", op, l.spec, single, err, len(may))
	}
}

// found compares the values in the row that Find gave.
func (tw *Twin) found(t T, op Op, l *liveQuery, c *ecs.Chunk, row int) {
	t.Helper()
	e := c.Entities()[row]
	for _, k := range slices.Concat(l.with, l.optional, l.test) {
		p := c.Column(tw.kinds[k].id, false)
		n, has := tw.Model.things[e].values[k]
		if has != (p != nil) || has && !tw.kinds[k].holds(tw.kinds[k].at(p, row), n) {
			t.Fatalf("%v: %+v finds %v, whose kind %d is not that of %d", op, l.spec, e, k, n)
		}
	}
}

// lookSorted iterates a query by the values of kind 0 or 7, rising or falling.
func (tw *Twin) lookSorted(t T, op Op) {
	t.Helper()
	var fit []*liveQuery
	k := []int{0, 7}[op.C%2]
	for _, l := range tw.lookers {
		if l.plain() && slices.Contains(slices.Concat(l.with, l.optional, l.test), k) {
			fit = append(fit, l)
		}
	}
	l, sign := fit[int(op.A)%len(fit)], 1-2*int(op.D%2)
	var got, want []ecs.Entity
	for c := range l.query.Chunks() {
		want = append(want, c.Entities()...)
	}
	slices.SortStableFunc(want, func(a, b ecs.Entity) int { return tw.byValue(k, sign, a, b) })
	for c := range tw.kinds[k].sorted(l.query, sign) {
		if err := tw.visit(l, c, map[ecs.Entity]bool{}, Op{B: 1}); err != nil {
			t.Fatalf("%v: %+v: %v", op, l.spec, err)
		}
		got = append(got, c.Entities()...)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%v: %+v sorted by kind %d yields %v, want %v", op, l.spec, k, got, want)
	}
}

// byValue compares by the model's values; an entity without a value comes last.
func (tw *Twin) byValue(k, sign int, a, b ecs.Entity) int {
	m, hasM := tw.Model.things[a].values[k]
	n, hasN := tw.Model.things[b].values[k]
	switch {
	case hasM && hasN:
		return sign * cmp.Compare(m, n)
	case hasM:
		return -1
	case hasN:
		return 1
	}
	return 0
}

// sortPool puts a pool into order; a kind of chunks has none.
func (tw *Twin) sortPool(t T, op Op) {
	t.Helper()
	k, sign := []int{4, 7, 0}[op.A%3], 1-2*int(op.D%2)
	all := tw.World.Query(ecs.Read(tw.kinds[k].id)).Prefabs()
	rows := func() (es []ecs.Entity) {
		for c := range all.Chunks() {
			es = append(es, c.Entities()...)
		}
		return es
	}
	want := rows()
	err := tw.kinds[k].sort(sign)
	if k == 0 {
		agree(t, op, err, ecs.ErrConflict)
		return
	}
	agree(t, op, err, nil)
	n := tw.inGroup(k)
	for _, part := range [][]ecs.Entity{want[:n], want[n:]} {
		slices.SortStableFunc(part, func(a, b ecs.Entity) int { return tw.byValue(k, sign, a, b) })
	}
	if got := rows(); !slices.Equal(got, want) {
		t.Fatalf("%v: the pool of kind %d has the order %v, want %v", op, k, got, want)
	}
}

// inGroup counts the entities that have all of the group that a kind is in.
func (tw *Twin) inGroup(k int) int {
	n := 0
	for _, g := range tw.Model.groups {
		if !slices.Contains(g, k) {
			continue
		}
		for _, t := range tw.Model.things {
			if !slices.ContainsFunc(g, func(k int) bool { _, has := t.values[k]; return !has }) {
				n++
			}
		}
	}
	return n
}

// group makes one of some groups, or is refused because kinds cannot be grouped
// or are in another.
func (tw *Twin) group(t T, op Op) {
	t.Helper()
	choices := [][]int{{4, 7}, {7, 4}, {7, 8, 4}, {10, 6}, {5, 8}, {4, 0}, {11, 5}, {6}, {6, 6}}
	ks := choices[int(op.A)%len(choices)]
	var hs []ecs.ComponentRef
	for _, id := range tw.ids(ks) {
		hs = append(hs, id)
	}
	agree(t, op, tw.World.Group(hs...), tw.Model.group(ks))
}

func (m *Model) group(ks []int) error {
	sorted := slices.Sorted(slices.Values(ks))
	if len(ks) < 2 || sorted[0] == sorted[1] || slices.Contains(ks, 0) || slices.Contains(ks, 11) {
		return ecs.ErrConflict
	}
	for _, g := range m.groups {
		if slices.Equal(g, sorted) {
			return nil
		}
		if slices.ContainsFunc(ks, func(k int) bool { return slices.Contains(g, k) }) {
			return ecs.ErrConflict
		}
	}
	m.groups = append(m.groups, sorted)
	return nil
}
