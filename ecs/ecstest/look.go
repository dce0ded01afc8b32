package ecstest

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// looker is a query that lives as long as the twin, so that it meets archetypes
// which appear later, and what the model knows about it.
type looker struct {
	spec
	query *ecs.Query
	last  int // the model's clock at the last look
}

// spec names the kinds that a query is about.
type spec struct{ with, without, any, optional, changed []int }

// plain reports whether the query yields exactly what it asks for.
func (s *spec) plain() bool { return len(s.changed) == 0 }

// lookers makes queries over every mix of chunk columns (0 to 3, 9) and pools.
func lookers(tw *Twin) []*looker {
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
		{with: []int{11}},
		{with: []int{11, 7}, without: []int{3}},
		{with: []int{11}, changed: []int{11}},
		{with: []int{0}, changed: []int{0}},
		{with: []int{0, 1}, changed: []int{1, 3}},
		{with: []int{10}, changed: []int{10}},
		{with: []int{7}, changed: []int{7}},
		{with: []int{4}, changed: []int{0}},
		{with: []int{0}, changed: []int{6}},
		{with: []int{0, 6}, without: []int{4}, changed: []int{6, 0}},
	}
	all := make([]*looker, len(specs))
	for i, s := range specs {
		all[i] = &looker{spec: s, query: tw.queryFor(s)}
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
	handles := func(ks []int) (hs []ecs.Handle) {
		for _, id := range tw.ids(ks) {
			hs = append(hs, id)
		}
		return hs
	}
	q := tw.World.Query(terms(s.with)...).Without(handles(s.without)...).Any(handles(s.any)...)
	return q.Optional(terms(s.optional)...).Changed(handles(s.changed)...)
}

// look iterates a query, compares what it yields and, at times, writes to it.
func (tw *Twin) look(t T, op Op) {
	t.Helper()
	l := tw.lookers[int(op.A)%len(tw.lookers)]
	must, may := tw.matches(l)
	if n := l.query.Count(); n != len(may) {
		t.Fatalf("%v: %+v counts %d entities, the model %d", op, l.spec, n, len(may))
	}
	l.last = tw.Model.clock
	tw.Model.clock++
	got := map[ecs.Entity]bool{}
	for c := range l.query.Chunks() {
		if err := tw.visit(l, c, got, op); err != nil {
			t.Fatalf("%v: %+v: %v", op, l.spec, err)
		}
	}
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
func (tw *Twin) matches(l *looker) (must, may map[ecs.Entity]bool) {
	must, may = map[ecs.Entity]bool{}, map[ecs.Entity]bool{}
	for e, t := range tw.Model.things {
		has := func(k int) bool { _, ok := t.values[k]; return ok }
		fresh := func(k int) bool { return has(k) && t.touched[k] > l.last }
		switch {
		case !t.placed || slices.ContainsFunc(l.without, has) || len(l.any) > 0 && !slices.ContainsFunc(l.any, has):
			continue
		case slices.ContainsFunc(l.with, func(k int) bool { return !has(k) }):
			continue
		}
		may[e] = true
		if len(l.changed) == 0 || slices.ContainsFunc(l.changed, fresh) {
			must[e] = true
		}
	}
	return must, may
}

// visit compares one chunk, row by row, and adds its entities to got.
func (tw *Twin) visit(l *looker, c *ecs.Chunk, got map[ecs.Entity]bool, op Op) error {
	if c.Len() != len(c.Entities()) {
		return fmt.Errorf("a chunk of %d rows has %d entities", c.Len(), len(c.Entities()))
	}
	for _, e := range c.Entities() {
		if got[e] {
			return fmt.Errorf("%v comes twice", e)
		}
		got[e] = true
	}
	for _, k := range slices.Concat(l.with, l.optional) {
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
		}
	}
	return nil
}
