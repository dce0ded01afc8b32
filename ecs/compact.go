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
// The room that Grow made is gone, too. Nothing else that a program can see
// changes: no entity, value, order or version. Rows of an archetype's last chunk
// may move, so borrowed slices and pointers die; while a query is being
// iterated, only the pages of free memory go back. What cannot be done because
// the arena is full is left as it is. O(everything), some microseconds for each
// archetype: call it between levels, not in a frame.
func (w *World) Compact() {
	if w.locks == 0 {
		for _, a := range w.archetypes[limbo+1:] {
			a.shrink(w, 0)
			a.shorten(w)
		}
		for _, p := range w.pools {
			if p, ok := p.(shrinker); ok {
				p.shrink()
			}
		}
		w.forgetChunks()
	}
	w.arena.Trim()
	w.committed("compacting", 0)
}

// shrinker is a pool that can hold less.
type shrinker interface{ shrink() }

// shorten drops a last chunk without rows, or moves its rows into the shortest
// chunk that holds them.
func (a *archetype) shorten(w *World) {
	last := len(a.chunks) - 1
	if last < 0 {
		return
	}
	old := a.chunks[last]
	if old.n == 0 {
		a.trim(w)
		return
	}
	fit := slices.IndexFunc(a.layouts, func(l *layout) bool { return l.capacity >= old.n })
	if a.layouts[fit].units >= old.layout.units {
		return
	}
	short, err := a.chunk(w, a.layouts[fit])
	if err != nil {
		return
	}
	old.pour(short)
	a.chunks[last] = short
	a.free(w, old)
}

// pour moves all rows of a chunk into another of the same archetype, which has
// none and room for all. They keep their order and their versions.
func (c *Chunk) pour(to *Chunk) {
	c.world.checkFreed()
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

// shrink drops chunks without rows, and pages of places that are all empty.
func (p *arenaPool) shrink() {
	p.rows.shrink(p.world, 0)
	p.rows.shorten(p.world)
	for i, unit := range p.sparse {
		if unit == 0 {
			continue
		}
		places := unsafe.Slice((*poolPlace)(p.world.arena.At(unit*arena.Unit)), perPage)
		if !slices.ContainsFunc(places, func(at poolPlace) bool { return at.unit != 0 }) {
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
