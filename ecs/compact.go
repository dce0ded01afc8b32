package ecs

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
)

// Compact gives back what the world holds and does not use: chunks without rows,
// chunks much longer than their rows need, pages of pools in which nobody is,
// room on Go's heap; then the pages of all that is free in the arena.
//
// Nothing that a program can see changes: no entity, value, order or version.
// Rows of an archetype's last chunk may move, so borrowed slices and pointers
// die; while a query is being iterated, only the pages of free memory go back.
// What cannot be done because the arena is full is left as it is. O(everything),
// some microseconds for each archetype: call it between levels, not in a frame.
func (w *World) Compact() {
	if w.locks == 0 {
		for _, a := range w.archetypes[limbo+1:] {
			a.shrink(w)
		}
		for _, p := range w.pools {
			if p, ok := p.(shrinker); ok {
				p.shrink()
			}
		}
		w.forgetChunks()
	}
	w.arena.Trim()
}

// shrinker is a pool that can hold less.
type shrinker interface{ shrink() }

// shrink drops chunks without rows and moves the rows of the last one into the
// shortest chunk that holds them.
func (a *archetype) shrink(w *World) {
	for len(a.chunks) > 0 && a.chunks[len(a.chunks)-1].n == 0 {
		a.trim(w)
	}
	if len(a.chunks) == 0 {
		return
	}
	last := len(a.chunks) - 1
	old := a.chunks[last]
	fit := slices.IndexFunc(a.layouts, func(l *layout) bool { return l.capacity >= old.n })
	if fit < 0 || a.layouts[fit].units >= old.layout.units || a.extend(w, a.layouts[fit]) != nil {
		return
	}
	a.chunks[last].pour(a.chunks[last+1])
	a.chunks[last], a.chunks[last+1] = a.chunks[last+1], old
	a.trim(w)
}

// pour moves all rows of a chunk into another of the same archetype, which has
// none and room for all. They keep their order and their versions.
func (c *Chunk) pour(to *Chunk) {
	to.n = c.n
	copy(to.versions, c.versions)
	copyBytes(to.base, c.base, uintptr(c.n)*unsafe.Sizeof(Entity(0)))
	for i, col := range c.layout.arch.columns {
		copyBytes(to.cell(i, 0), c.cell(i, 0), uintptr(c.n)*col.size)
	}
	for row, e := range to.Entities() {
		r := c.world.slots.Record(uint64(e))
		r.Table, r.Chunk, r.Row = to.layout.table, to.unit, uint32(row)
	}
	c.n = 0
}

// forgetChunks lets the collector have the Go side of chunks that do not exist
// any more.
func (w *World) forgetChunks() {
	used := w.units()
	for unit := range w.chunks {
		if used[uint32(unit)] == 0 {
			w.chunks[unit] = nil
		}
	}
	end := len(w.chunks)
	for end > 0 && w.chunks[end-1] == nil {
		end--
	}
	w.chunks = slices.Clone(w.chunks[:end])
}

// shrink drops the last chunk, if it has no rows, and pages of places that are
// all empty.
func (p *arenaPool) shrink() {
	for end := len(p.rows.chunks); end > 0 && p.rows.chunks[end-1].n == 0; end-- {
		p.rows.trim(p.world)
	}
	for i, unit := range p.sparse {
		if unit == 0 {
			continue
		}
		places := unsafe.Slice((*place)(p.world.arena.At(unit*arena.Unit)), perPage)
		if !slices.ContainsFunc(places, func(at place) bool { return at.unit != 0 }) {
			p.world.arena.Free(unit, 1)
			p.sparse[i] = 0
		}
	}
}

// shrink keeps room for the values that there are, and for half as many more.
func (p *heapPool[T]) shrink() {
	if n := len(p.data); cap(p.data) > n+n/2 {
		p.data, p.handles = slices.Clone(p.data), slices.Clone(p.handles)
	}
	end := len(p.sparse)
	for end > 0 && p.sparse[end-1] == 0 {
		end--
	}
	p.sparse = slices.Clone(p.sparse[:end])
}
