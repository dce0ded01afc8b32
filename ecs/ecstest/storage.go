package ecstest

import (
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// shelf is one kind of storage under test: a world with one component type in
// it, and values made from numbers.
type shelf[C any] struct {
	w    *ecs.World
	c    ecs.Component[C]
	of   func(int) C
	same func(a, b C) bool
}

// storageCase is one thing that every storage must do.
type storageCase[C any] struct {
	name string
	run  func(*testing.T, *shelf[C])
}

// suite runs the cases over one kind of storage.
func suite[C any](t *testing.T, options ecs.Options, of func(int) C, same func(a, b C) bool, storage ...ecs.ComponentOption) {
	for _, c := range []storageCase[C]{
		{"values come back", valuesComeBack[C]},
		{"the last row fills a hole", holesAreFilled[C]},
		{"replaced at a chunk's edge", replacedAtTheEdge[C]},
		{"emptied and filled", emptiedAndFilled[C]},
		{"columns agree with Get", columnsAgree[C]},
		{"writing through a column", writtenByColumn[C]},
		{"removed values are told", removedAreTold[C]},
		{"moved by others", movedByOthers[C]},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := ecs.Open(options)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			c.run(t, &shelf[C]{w, ecs.Register[C](w, storage...), of, same})
			if err := w.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// fill spawns n entities, the i-th with the value of i.
func (s *shelf[C]) fill(n int) []ecs.Entity {
	es := make([]ecs.Entity, n)
	for i := range es {
		es[i] = s.w.Spawn(s.c.With(s.of(i)))
	}
	return es
}

// expect demands that e has the value of n.
func (s *shelf[C]) expect(t *testing.T, e ecs.Entity, n int) {
	t.Helper()
	if v, ok := s.c.Get(e); !ok || !s.same(v, s.of(n)) {
		t.Fatalf("%v has %v (%v), want the value of %d", e, v, ok, n)
	}
}

// some is enough entities for several chunks of the wide types.
const some = 100

func valuesComeBack[C any](t *testing.T, s *shelf[C]) {
	es := s.fill(some)
	for i, e := range es {
		s.expect(t, e, i)
	}
	for i, e := range es {
		if err := s.c.Set(e, s.of(i+1)); err != nil {
			t.Fatal(err)
		}
		s.expect(t, e, i+1)
		*s.c.Edit(e) = s.of(i + 2)
		s.expect(t, e, i+2)
	}
}

func holesAreFilled[C any](t *testing.T, s *shelf[C]) {
	es := s.fill(some)
	for i := 0; i < some; i += 3 {
		if err := s.c.Remove(es[i]); err != nil {
			t.Fatal(err)
		}
		if err := s.w.Check(); err != nil {
			t.Fatal(err)
		}
	}
	for i, e := range es {
		if i%3 != 0 {
			s.expect(t, e, i)
		} else if s.c.Has(e) || s.c.Edit(e) != nil {
			t.Fatalf("%v still has what was removed", e)
		}
	}
}

// replacedAtTheEdge replaces a value whenever the number of rows may just fill a
// chunk, and then takes one away: no room may be reserved for what has a row.
func replacedAtTheEdge[C any](t *testing.T, s *shelf[C]) {
	var es []ecs.Entity
	for i := range some {
		es = append(es, s.w.Spawn(s.c.With(s.of(i))))
		if err := s.c.Set(es[i/2], s.of(i/2)); err != nil {
			t.Fatal(err)
		}
		gone := s.w.Spawn(s.c.With(s.of(7)))
		if err := s.c.Set(gone, s.of(8)); err != nil {
			t.Fatal(err)
		}
		if err := s.c.Remove(gone); err != nil {
			t.Fatal(err)
		}
		if err := s.w.Check(); err != nil {
			t.Fatal(err)
		}
	}
	for i, e := range es {
		s.expect(t, e, i)
	}
}

func emptiedAndFilled[C any](t *testing.T, s *shelf[C]) {
	for round := range 3 {
		es := s.fill(some)
		for i, e := range es {
			s.expect(t, e, i)
			if round%2 == 0 {
				if err := s.w.Despawn(e); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := s.w.Reset(); err != nil {
			t.Fatal(err)
		}
		if n := s.w.Query(ecs.Read(s.c)).Count(); n != 0 {
			t.Fatalf("%d rows of nobody", n)
		}
	}
}

func columnsAgree[C any](t *testing.T, s *shelf[C]) {
	es := s.fill(some)
	left := slices.Clone(es)
	for c := range s.w.Query(ecs.Read(s.c)).Chunks() {
		column := s.c.Of(c)
		for i, e := range c.Entities() {
			if v, _ := s.c.Get(e); !s.same(v, column[i]) {
				t.Fatalf("%v has %v, its column %v", e, v, column[i])
			}
			left = slices.DeleteFunc(left, func(o ecs.Entity) bool { return o == e })
		}
	}
	if len(left) > 0 {
		t.Fatalf("the query missed %v", left)
	}
}

func writtenByColumn[C any](t *testing.T, s *shelf[C]) {
	es := s.fill(some)
	changed := s.w.Query(ecs.Read(s.c)).Changed(s.c)
	for range changed.Chunks() { // all is new
	}
	for c := range s.w.Query(ecs.Write(s.c)).Chunks() {
		column := s.c.Mut(c)
		for i := range column {
			column[i] = s.of(50)
		}
	}
	n := 0
	for c := range changed.Chunks() {
		n += c.Len()
	}
	if n != some {
		t.Errorf("%d of %d rows count as changed", n, some)
	}
	for _, e := range es {
		s.expect(t, e, 50)
	}
}

func removedAreTold[C any](t *testing.T, s *shelf[C]) {
	es := s.fill(some)
	next := 0
	err := s.w.Observe(ecs.Observer{Name: "o", On: ecs.OnRemove, Component: s.c.ID(), Run: func(_ *ecs.Tick, n ecs.Notice) error {
		if n.Entity != es[next] || !s.same(*(*C)(n.Old), s.of(next)) {
			t.Errorf("notice %d is about %v and %v", next, n.Entity, *(*C)(n.Old))
		}
		next++
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range es {
		if i%2 == 0 {
			err = s.c.Remove(e)
		} else {
			err = s.w.Despawn(e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.w.Step(0); err != nil || next != some {
		t.Fatalf("%d of %d removals were told: %v", next, some, err)
	}
}

// movedByOthers changes other components of the entity: the value must move with it.
func movedByOthers[C any](t *testing.T, s *shelf[C]) {
	es := s.fill(some)
	other := ecs.Register[pair](s.w)
	pooled := ecs.Register[mood](s.w, ecs.Sparse)
	for i, e := range es {
		if err := s.w.Add(e, other.With(pair{int32(i), 0}), pooled.With(mood{int8(i)})); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			if err := s.w.Remove(e, other.ID(), pooled.ID()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, e := range es {
		s.expect(t, e, i)
		if p, ok := other.Get(e); ok != (i%2 == 1) || ok && p.Now != int32(i) {
			t.Fatalf("%v has %v, %v", e, p, ok)
		}
	}
}

// pair and mood are components that come and go.
type (
	pair struct{ Now, Max int32 }
	mood struct{ V int8 }
)
