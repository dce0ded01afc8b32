package twin

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// liveQuery is a query that lives as long as the twin, so that it meets archetypes that
// appear later. The model keeps its own facts about it.
type liveQuery struct {
	spec
	query  *ecs.Query
	last   int        // the model's clock at the last look
	parent ecs.Entity // with family: whose children
	log    *arrivals  // with added: what came since the last look
}

// spec names the kinds that a query names.
type spec struct {
	with, without, any, optional, changed, added []int

	test   []int // kinds whose values must not be divisible by three
	exact  bool
	family bool // children of an entity

	prefabs bool
}

// plain reports whether every loop over the query yields exactly the entities that match:
// the query has no filter for changes or additions.
func (s *spec) plain() bool { return len(s.changed)+len(s.added) == 0 }

// lookers makes queries over every mix of chunk columns (0 to 3, 9) and pools.
func lookers(tw *Twin) []*liveQuery {
	specs := []spec{
		{},
		{with: []int{0}},
		{with: []int{0, 3}, without: []int{2}},
		{with: []int{4}},
		{with: []int{7}},
		{with: []int{6}, optional: []int{0}},
		{with: []int{0, 4}},
		{with: []int{4, 8}, without: []int{1}},
		{with: []int{1}, without: []int{5}},
		{with: []int{0}, optional: []int{7, 3}},
		{any: []int{1, 2}},
		{any: []int{3, 6}},
		{with: []int{9}, any: []int{4, 10}, without: []int{8}},
		{prefabs: true},
		{with: []int{4}, prefabs: true},
		{with: []int{0, 7}, prefabs: true},
		{with: []int{11}},
		{with: []int{11, 7}, without: []int{3}},
		{with: []int{11}, changed: []int{11}},
		{with: []int{0}, changed: []int{0}},
		{with: []int{0, 1}, changed: []int{1, 3}},
		{with: []int{9}, changed: []int{9}},
		{with: []int{10}, changed: []int{10}},
		{with: []int{7}, changed: []int{7}},
		{with: []int{4}, changed: []int{0}},
		{with: []int{0}, changed: []int{6}},
		{with: []int{0, 6}, without: []int{4}, changed: []int{6, 0}},
		{with: []int{4, 7}},
		{with: []int{7, 8, 4}},
		{with: []int{10, 6}, changed: []int{6}},
		{exact: true},
		{with: []int{0}, exact: true},
		{with: []int{0, 4}, optional: []int{1}, any: []int{2, 7}, exact: true},
		{with: []int{7}, optional: []int{0, 8}, exact: true},
		{test: []int{0}},
		{with: []int{1}, test: []int{4}, without: []int{7}},
		{test: []int{0, 7}, changed: []int{0}},
		{family: true},
		{with: []int{0}, family: true, without: []int{4}},
		{with: []int{4}, family: true, test: []int{0}},
		{added: []int{0}},
		{with: []int{4}, added: []int{4, 7, 9}},
		{with: []int{0}, added: []int{11, 6}, changed: []int{0}, without: []int{3}},
		{added: []int{2, 5}, family: true},
	}
	all := make([]*liveQuery, len(specs))
	for i, s := range specs {
		all[i] = &liveQuery{spec: s, query: tw.queryFor(s)}
		if len(s.added) > 0 {
			all[i].log = tw.Model.follow(s.added)
		}
	}
	return all
}

func (tw *Twin) queryFor(s spec) *ecs.Query {
	terms := func(ks []int) (ts []ecs.Term) {
		for _, id := range tw.ids(ks) {
			ts = append(ts, ecs.Write(id))
		}
		return ts
	}
	handles := func(ks []int) (hs []ecs.ComponentRef) {
		for _, id := range tw.ids(ks) {
			hs = append(hs, id)
		}
		return hs
	}
	q := tw.World.Query(terms(s.with)...).Without(handles(s.without)...).Any(handles(s.any)...)
	if s.prefabs {
		q.Prefabs()
	}
	q.Optional(terms(s.optional)...).Changed(handles(s.changed)...)
	for _, k := range s.test {
		tw.kinds[k].test(q)
	}
	if s.exact {
		q.Exact()
	}
	if s.family {
		q.ChildrenOf(0)
	}
	if len(s.added) > 0 {
		q.Added(handles(s.added)...)
	}
	return q
}

// look iterates a query, compares what it yields and, at times, writes to it.
func (tw *Twin) look(t T, op Op) {
	t.Helper()
	l := tw.lookers[int(op.A)%len(tw.lookers)]
	if l.family {
		l.parent = tw.pick(op.B)
		l.query.ChildrenOf(l.parent)
	}
	must, may := tw.matches(l)
	if n := l.query.Count(); n != len(may) {
		t.Fatalf("%v: %+v counts %d entities, the model %d", op, l.spec, n, len(may))
	}
	l.last = tw.Model.clock
	tw.Model.clock++
	got := map[ecs.Entity]bool{}
	var order []ecs.Entity
	for c := range l.query.Chunks() {
		if err := tw.visit(l, c, got, op); err != nil {
			t.Fatalf("%v: %+v: %v", op, l.spec, err)
		}
		order = append(order, c.Entities()...)
	}
	tw.inOrder(t, op, l, order, may)
	for e := range must {
		if !got[e] {
			t.Fatalf("%v: %+v does not yield %v", op, l.spec, e)
		}
	}
	for e := range got {
		if !may[e] {
			t.Fatalf("%v: %+v yields %v, which does not match", op, l.spec, e)
		}
	}
}

// matches returns the entities that the query must yield and those that it may:
// its change filter works by the chunk, so it may yield more than changed.
func (tw *Twin) matches(l *liveQuery) (must, may map[ecs.Entity]bool) {
	must, may = map[ecs.Entity]bool{}, map[ecs.Entity]bool{}
	came, family := setOf(l.log.still(tw.Model)), setOf(nil)
	if l.family {
		family = setOf(tw.children(l.parent))
	}
	for e, t := range tw.Model.things {
		has := func(k int) bool { _, ok := t.values[k]; return ok }
		fresh := func(k int) bool { return has(k) && t.touched[k] > l.last }
		switch {
		case !t.placed || t.prefab && !l.prefabs || slices.ContainsFunc(l.without, has) || len(l.any) > 0 && !slices.ContainsFunc(l.any, has):
			continue
		case slices.ContainsFunc(l.with, func(k int) bool { return !has(k) }):
			continue
		case slices.ContainsFunc(l.test, func(k int) bool { return !has(k) || t.values[k]%3 == 0 }):
			continue
		case l.exact && !tw.named(l, t) || l.family && !family[e]:
			continue
		}
		may[e] = true
		if l.log != nil && !came[e] {
			continue
		}
		if len(l.changed) == 0 || slices.ContainsFunc(l.changed, fresh) {
			must[e] = true
		}
	}
	return must, may
}

func setOf(es []ecs.Entity) map[ecs.Entity]bool {
	set := make(map[ecs.Entity]bool, len(es))
	for _, e := range es {
		set[e] = true
	}
	return set
}

// visit compares one chunk, row by row, and adds its entities to got.
func (tw *Twin) visit(l *liveQuery, c *ecs.Chunk, got map[ecs.Entity]bool, op Op) error {
	if c.Len() != len(c.Entities()) {
		return fmt.Errorf("a chunk of %d rows has %d entities", c.Len(), len(c.Entities()))
	}
	for _, e := range c.Entities() {
		if got[e] {
			return fmt.Errorf("%v comes twice", e)
		}
		got[e] = true
	}
	for _, k := range slices.Concat(l.with, l.optional, l.test) {
		write := op.B%4 == 0 && int(op.C)%len(tw.kinds) == k
		if err := tw.column(c, k, write, int(op.D)); err != nil {
			return err
		}
	}
	return nil
}

// column compares a column with the model, and overwrites it with value n.
func (tw *Twin) column(c *ecs.Chunk, k int, write bool, n int) error {
	kind := &tw.kinds[k]
	p := c.Column(kind.id, write)
	for i, e := range c.Entities() {
		t := tw.Model.things[e]
		if t == nil {
			return fmt.Errorf("%v is dead", e)
		}
		want, has := t.values[k]
		if has != (p != nil) {
			return fmt.Errorf("%v: kind %d has the column %v, the model says %v", e, k, p, has)
		}
		if !has {
			continue
		}
		at := unsafe.Add(p, uintptr(i)*kind.size)
		if !kind.holds(at, want) {
			return fmt.Errorf("%v: kind %d in its column is not the value of %d", e, k, want)
		}
		if write {
			kind.write(at, n)
			t.values[k], t.touched[k] = n, tw.Model.clock
			tw.Model.touch(e)
		}
	}
	return nil
}
