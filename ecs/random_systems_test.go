package ecs

import (
	"math/rand/v2"
)

// storyColumn is a component of a story: its term, and work on its column.
type randomColumn struct {
	h    ComponentRef
	work func(c *Chunk, write bool, sum uint64) uint64
}

func (s *randomSystems) columns() []randomColumn {
	return []randomColumn{
		{s.a, func(c *Chunk, write bool, sum uint64) uint64 {
			return fold(s.a, c, write, sum, func(v *storyA) *uint64 { return &v.V })
		}},
		{s.b, func(c *Chunk, write bool, sum uint64) uint64 {
			return fold(s.b, c, write, sum, func(v *storyB) *uint64 { return &v.V })
		}},
		{s.d, func(c *Chunk, write bool, sum uint64) uint64 {
			return fold(s.d, c, write, sum, func(v *storyD) *uint64 { return &v.V[8] })
		}},
		{s.pool, func(c *Chunk, write bool, sum uint64) uint64 {
			return fold(s.pool, c, write, sum, func(v *storyPool) *uint64 { return &v.V })
		}},
		{s.heap, func(c *Chunk, write bool, sum uint64) uint64 {
			return fold(s.heap, c, write, sum, func(v *storyHeap) *uint64 { return &v.V[0] })
		}},
	}
}

// fold reads a column, or writes it from what the sum is.
func fold[T any](h Component[T], c *Chunk, write bool, sum uint64, number func(*T) *uint64) uint64 {
	if !write {
		for i := range h.Of(c) {
			sum = sum*7 + *number(&h.Of(c)[i])
		}
		return sum
	}
	column := h.Mut(c)
	for i := range column {
		n := number(&column[i])
		*n = *n*13 + sum + uint64(i)
	}
	if len(column) > 0 { // the other ways to write, by handle
		e := c.Entities()[0]
		v, _ := h.Get(e)
		*number(h.Edit(e))++
		if err := h.Set(e, v); err != nil {
			panic(err)
		}
	}
	return sum
}

// query draws a query and the work on its columns.
func (s *randomSystems) query(r *rand.Rand) (*Query, func(*Chunk)) {
	type part struct {
		randomColumn
		write bool
	}
	var parts []part
	var terms, optional []Term
	columns := s.columns()
	for _, i := range r.Perm(len(columns))[:1+r.IntN(2)] {
		p := part{columns[i], r.IntN(3) == 0}
		parts = append(parts, p)
		if r.IntN(4) == 0 {
			optional = append(optional, term(p.h, p.write))
		} else {
			terms = append(terms, term(p.h, p.write))
		}
	}
	q := s.w.Query(terms...).Optional(optional...)
	switch r.IntN(8) {
	case 0:
		q.Without(s.tag)
	case 1:
		q.With(s.tag)
	case 2:
		q.Changed(parts[0].h)
	case 3:
		q.Without(s.pool)
	case 4:
		Where(q, s.a, func(v *storyA) bool { return v.V%3 > 0 })
	}
	return q, func(c *Chunk) {
		sum := uint64(c.Len())
		for _, write := range []bool{false, true} {
			for _, p := range parts {
				if p.write == write {
					sum = p.work(c, write, sum)
				}
			}
		}
	}
}

// recording draws which commands a system records for the entities it meets.
func (s *randomSystems) recording(r *rand.Rand) func(*Chunk, *Commands, *uint64) {
	every, kinds := uint64(1+r.IntN(40)), r.IntN(64)
	return func(c *Chunk, commands *Commands, saw *uint64) {
		var last Entity
		for _, e := range c.Entities() {
			if uint64(e.Index())%every != 0 {
				continue
			}
			if kinds&1 != 0 {
				last = commands.Spawn(s.a.With(storyA{V: uint64(c.Len()), E: last}))
				*saw = *saw*31 + uint64(last)
			}
			if kinds&3 == 3 && e.Index()%3 == 0 {
				mark := commands.Mark()
				commands.Spawn()
				commands.Rewind(mark)
			}
			if kinds&2 != 0 {
				commands.Add(e, s.pool.With(storyPool{E: last}), s.heap.With(storyHeap{[]uint64{uint64(e)}}))
			}
			if kinds&12 == 12 {
				commands.Despawn(e)
			}
			if kinds&16 != 0 {
				commands.Add(e, s.tag.With(storyTag{}))
				commands.Remove(e, s.b.ID())
			}
			if kinds&32 != 0 {
				s.event.Send(commands, storyEvent{uint64(e)})
				commands.Do(func(w *World) error { return nil })
			}
			if s.w.Alive(last) && s.w.frozen.on {
				panic("a handle is alive while the world stands still")
			}
		}
	}
}
