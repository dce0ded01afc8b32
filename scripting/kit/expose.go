package kit

import (
	"errors"
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/bindings/running"
	"github.com/perigee-ecs/perigee/ecs"
)

// Expose gives scripts the kit's functions, under the names that the package's text lists:
//
//	err := stock.Expose(host.Expose)
//
// It returns the errors of expose, joined. The error wraps ecs.ErrConflict for a nil function, and
// for a Kit that Install has not made. Several hosts of a world may have the functions.
func (k *Kit) Expose(expose func(name string, value any) error) error {
	if expose == nil || k.Index() == nil {
		return fmt.Errorf("kit: Expose: %w: there is no kit, or nothing to expose it by", ecs.ErrConflict)
	}
	s := &scriptSearches{index: k.Index()}
	s.payer = s.pay
	return errors.Join(
		expose("nearest", running.Question{Func: s.nearest, Args: 4, Numbers: s.nearestInKernel}),
		expose("k_nearest", s.kNearest),
		expose("within", s.within),
		expose("count_within", running.Question{Func: s.countWithin, Args: 4, Second: true, Numbers: s.countInKernel}),
		expose("in_box", s.inBox),
		expose("ray", s.ray),
		expose("ray_all", s.rayAll),
	)
}

// scriptSearches are the searches of an index as scripts call them. What they cost is charged
// to the script before it is done.
type scriptSearches struct {
	index *Index
	payer func(steps int) bool // pay: the index's during a search of these scripts; those of Go are free
	hits  []Hit
	list  running.Entities
	call  *running.Call        // of the search that runs; nil: it is one of a kernel
	count func(steps int) bool // what a search of a kernel is charged with, nil for others
	err   error                // why it ends
}

// pay charges steps to the script, and reports whether it has so many.
func (s *scriptSearches) pay(steps int) bool {
	switch {
	case s.err != nil:
	case s.call != nil:
		s.err = s.call.Charge(steps)
	case s.count != nil && !s.count(steps):
		s.err = running.ErrSpent
	}
	return s.err == nil
}

// begin makes the search that begins one of a script, with a mask of scripts: 0 finds nothing.
func (s *scriptSearches) begin(call *running.Call, mask uint32) (f Filter, ok bool) {
	s.call, s.err, s.index.pay = call, nil, s.payer
	return Filter{Mask: mask}, mask != 0
}

// end ends the search.
func (s *scriptSearches) end() error {
	err := s.err
	s.call, s.err, s.index.pay = nil, nil, nil
	return err
}

// found ends a search with a list.
func (s *scriptSearches) found(hits []Hit, whole bool) (running.Entities, bool, error) {
	s.hits, s.list = hits, s.list[:0]
	for i := range hits {
		s.list = append(s.list, hits[i].Entity)
	}
	return s.list, whole, s.end()
}

// nothing is the result of a search for no layer.
func (s *scriptSearches) nothing() (running.Entities, bool, error) { return s.found(s.hits[:0], true) }

// within is host.within(x, y, radius, mask).
func (s *scriptSearches) within(call *running.Call, x, y, radius float64, mask uint32) (running.Entities, bool, error) {
	f, ok := s.begin(call, mask)
	if !ok {
		return s.nothing()
	}
	return s.found(s.index.Within(s.hits[:0], x, y, radius, f))
}

// nearest is host.nearest(x, y, reach, mask).
func (s *scriptSearches) nearest(call *running.Call, x, y, reach float64, mask uint32) (ecs.Entity, error) {
	f, ok := s.begin(call, mask)
	if s.hits = s.hits[:0]; ok {
		s.hits, _ = s.index.Nearest(s.hits, x, y, reach, 1, f)
	}
	if err := s.end(); err != nil || len(s.hits) == 0 {
		return 0, err
	}
	return s.hits[0].Entity, nil
}

// kNearest is host.k_nearest(x, y, k, reach, mask).
func (s *scriptSearches) kNearest(call *running.Call, x, y float64, k int, reach float64, mask uint32) (running.Entities, bool, error) {
	f, ok := s.begin(call, mask)
	if !ok {
		return s.nothing()
	}
	return s.found(s.index.Nearest(s.hits[:0], x, y, reach, k, f))
}

// inBox is host.in_box(x1, y1, x2, y2, mask).
func (s *scriptSearches) inBox(call *running.Call, x1, y1, x2, y2 float64, mask uint32) (running.Entities, bool, error) {
	f, ok := s.begin(call, mask)
	if !ok {
		return s.nothing()
	}
	return s.found(s.index.InBox(s.hits[:0], x1, y1, x2, y2, f))
}

// rayAll is host.ray_all(x1, y1, x2, y2, mask).
func (s *scriptSearches) rayAll(call *running.Call, x1, y1, x2, y2 float64, mask uint32) (running.Entities, bool, error) {
	f, ok := s.begin(call, mask)
	if !ok {
		return s.nothing()
	}
	return s.found(s.index.Ray(s.hits[:0], x1, y1, x2, y2, f))
}

// countWithin is host.count_within(x, y, radius, mask).
func (s *scriptSearches) countWithin(call *running.Call, x, y, radius float64, mask uint32) (n int, whole bool, err error) {
	f, ok := s.begin(call, mask)
	if whole = true; ok {
		n, whole = s.index.Count(x, y, radius, f)
	}
	return n, whole, s.end()
}

// ray is host.ray(x1, y1, x2, y2, mask): what it hits first, and how far it is free.
func (s *scriptSearches) ray(call *running.Call, x1, y1, x2, y2 float64, mask uint32) (hit ecs.Entity, free float64, whole bool, err error) {
	var first Hit
	f, ok := s.begin(call, mask)
	if whole = true; ok {
		first, whole = s.index.First(x1, y1, x2, y2, f)
	}
	if free = first.Distance; first.Entity == 0 {
		way := newSegment(x1, y1, x2, y2)
		free = way.length
	}
	return first.Entity, free, whole, s.end()
}

// kernel makes the search that begins one of a compiled function. Where it has more candidates
// than its share, or fails, it is left to the VM, which makes it again as any script: so what
// is left of the work does not depend on who made the searches.
func (s *scriptSearches) kernel(count func(steps int) bool, mask float64) (f Filter, ok bool) {
	s.count, s.err, s.index.small, s.index.pay = count, nil, true, s.payer
	return Filter{Mask: uint32(mask)}, mask >= 1 && mask <= math.MaxUint32 && mask == math.Trunc(mask)
}

// answer ends the search of a compiled function: not-a-number leaves it to the VM.
func (s *scriptSearches) answer(v float64, whole bool) float64 {
	if s.err != nil || !whole {
		v = math.NaN()
	}
	s.count, s.err, s.index.small, s.index.pay = nil, nil, false, nil
	return v
}

// nearestInKernel is nearest for compiled functions.
func (s *scriptSearches) nearestInKernel(count func(steps int) bool, args *[running.MostNumbers]float64) float64 {
	f, whole := s.kernel(count, args[3])
	found := ecs.Entity(0)
	if whole {
		s.hits, whole = s.index.Nearest(s.hits[:0], args[0], args[1], args[2], 1, f)
		if len(s.hits) > 0 {
			found = s.hits[0].Entity
		}
	}
	return s.answer(float64(found), whole)
}

// countInKernel is countWithin for compiled functions.
func (s *scriptSearches) countInKernel(count func(steps int) bool, args *[running.MostNumbers]float64) float64 {
	f, whole := s.kernel(count, args[3])
	n := 0
	if whole {
		n, whole = s.index.Count(args[0], args[1], args[2], f)
	}
	return s.answer(float64(n), whole)
}
