package ecs

import (
	"slices"
	"unsafe"
)

// fits reports whether chunks of another archetype can become chunks of a:
// both have the same columns.
func (a *archetype) fits(from *archetype) bool { return slices.Equal(a.columns, from.columns) }

// mirror makes sure that to has a layout for every size of chunk that from has.
func (w *World) mirror(from, to *archetype) error {
	for len(to.layouts) < len(from.layouts) {
		if err := w.addTable(to); err != nil {
			return err
		}
	}
	return nil
}

// moveAll takes all entities of an archetype to another, in which there is room.
func (w *World) moveAll(from, to *archetype, add []Value) {
	if to.fits(from) {
		w.handOver(from, to, add)
	}
	for _, c := range from.chunks {
		for row := 0; row < c.n; {
			d, k := to.openFor(w, c.n-row)
			d.copyRun(d.n, c, row, k)
			w.slots.Move(d.handles(d.n, k), d.layout.table, d.unit, uint32(d.n))
			d.fillRun(d.n, k, add)
			to.extended(w, d, k)
			row += k
		}
	}
	from.clear(w)
}

// handOver gives the full chunks of an archetype to one with the same columns:
// only the records of their entities change. They come before a last chunk that
// is not full.
func (w *World) handOver(from, to *archetype, add []Value) {
	n, at := len(from.chunks), len(to.chunks)
	if last := from.chunks[n-1]; last.n < last.layout.capacity {
		n--
	}
	if at > 0 && to.chunks[at-1].n < to.chunks[at-1].layout.capacity {
		at--
	}
	for _, c := range from.chunks[:n] {
		from.units, to.units = from.units-c.layout.units, to.units+c.layout.units
		from.count, to.count = from.count-c.n, to.count+c.n
		c.layout = to.layouts[c.layout.class]
		c.versions[0] = w.version
		w.slots.Move(c.handles(0, c.n), c.layout.table, c.unit, 0)
		c.fillRun(0, c.n, add)
	}
	to.chunks = slices.Insert(to.chunks, at, from.chunks[:n]...)
	from.chunks = slices.Delete(from.chunks, 0, n)
}

// handles returns the entities of some rows as the slots know them.
func (c *Chunk) handles(row, n int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Add(c.base, uintptr(row)*unsafe.Sizeof(Entity(0)))), n)
}

// copyRun copies n rows of another chunk, in the columns that both have.
func (c *Chunk) copyRun(row int, from *Chunk, at, n int) {
	copy(c.handles(row, n), from.handles(at, n))
	theirs, i := from.layout.arch.columns, 0
	for j, column := range c.layout.arch.columns {
		for i < len(theirs) && theirs[i].id < column.id {
			i++
		}
		if i < len(theirs) && theirs[i].id == column.id {
			copyBytes(c.cell(j, row), from.cell(i, at), column.size*uintptr(n))
		}
	}
}

// overwriteAll stores the values in every row and stamps their columns.
func (c *Chunk) overwriteAll(values []Value) {
	c.fillRun(0, c.n, values)
	for i := range values {
		c.stamp(values[i].of.id)
	}
}
