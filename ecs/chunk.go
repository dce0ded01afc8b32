package ecs

import "unsafe"

// Chunk is what a query yields: some entities that all have the query's
// components, a column for each. Queries over archetype components yield whole
// chunks, queries for one pooled component the pages of its pool; where rows
// differ, they yield runs.
//
// A run is a view: some consecutive rows of a chunk in the arena, or of a pool's
// page. Its columns begin at its first row and are as long as Len says; only
// stamps concern the whole chunk, because versions are kept by chunk. Of the
// pooled components, a run shows those that its query names.
//
// Columns are borrowed: a chunk and its columns die with the loop body, and with
// any structural change.
type Chunk struct {
	layout *layout
	lease
	base     unsafe.Pointer // of the chunk in the arena, or of a pool's page
	versions []uint64       // [0] rows moved; then one per column: the last write
	world    *World
	first    int // the row that a view begins with; 0 for whole chunks
	n        int // rows from there
	unit     uint32
	run      *Query // of a run: what is not in the chunk lies in the query's pools, row by row
}

// rows returns a view of n rows, of which the first is the given row of c.
func (c *Chunk) rows(first, n int) Chunk {
	v := *c
	v.lease = lease{} // not the body's: whoever cuts rows says how long they live
	v.first, v.n = c.first+first, n
	return v
}

// Len returns the number of rows.
func (c *Chunk) Len() int {
	c.inUse()
	return c.n
}

// Entities returns the handles of the rows. Do not write to it.
func (c *Chunk) Entities() []Entity {
	c.inUse()
	return unsafe.Slice((*Entity)(unsafe.Add(c.base, uintptr(c.first)*unsafe.Sizeof(Entity(0)))), c.n)
}

// entity returns the handle of the first row.
func (c *Chunk) entity() Entity {
	return *(*Entity)(unsafe.Add(c.base, uintptr(c.first)*unsafe.Sizeof(Entity(0))))
}

// cell returns the value of a row in the i-th column of the archetype; rows
// count from the chunk's beginning.
func (c *Chunk) cell(i, row int) unsafe.Pointer {
	l := c.layout
	return unsafe.Add(c.base, l.columns[i]+uintptr(row)*l.arch.columns[i].size)
}

// column returns the first element of a component's column, or nil.
func (c *Chunk) column(id ComponentID) unsafe.Pointer { return c.columnFor(c.world, id) }

// columnFor is column for a component of a world.
//
// Why is the world compared, chunk by chunk? A component of another world has a
// number here, too, and its column would be read as another type.
func (c *Chunk) columnFor(w *World, id ComponentID) unsafe.Pointer {
	c.inUse()
	if w != c.world {
		c.stray()
	}
	o := c.layout.offsets
	if int(id) >= len(o) || o[id] == 0 {
		return c.lookAside(id)
	}
	p := unsafe.Add(c.base, o[id])
	if c.first > 0 {
		p = unsafe.Add(p, uintptr(c.first)*c.world.components[id].size)
	}
	return p
}

// lookAside finds what is not in the chunk itself: the data of a heap pool, and
// those of the pools that a run is in step with.
func (c *Chunk) lookAside(id ComponentID) unsafe.Pointer {
	switch {
	case int(id) >= len(c.world.components):
		return nil
	case c.run != nil:
		return c.run.beneath(id, c.entity())
	}
	info := c.world.components[id]
	if p, ok := info.pool.(heapStored); ok && c.layout.arch.mask.Has(uint32(id)) && c.n > 0 {
		return p.column(c)
	}
	return nil
}

// stamp marks a column as written now.
func (c *Chunk) stamp(id ComponentID) {
	at := 0 // a page of a heap pool
	if s := c.layout.arch.slot; int(id) < len(s) && s[id] != 0 {
		at = int(s[id])
	} else if p := c.world.components[id].pool; p != nil && c.run != nil {
		p.stamp(c.entity())
		return
	}
	stampAt(&c.versions[at], c.world.version)
}

// stampAt sets a version. What is there already is not written again: goroutines
// that work on rows of one chunk find its columns stamped before they begin.
func stampAt(at *uint64, version uint64) {
	if *at != version {
		*at = version
	}
}

// Of returns the component's column for reading; nil when the chunk's entities
// lack the component, which can happen for Optional and Any terms only. It panics
// for a chunk of another world.
func (c Component[T]) Of(k *Chunk) []T {
	p := k.columnFor(c.world, c.id)
	if p == nil {
		return nil
	}
	return unsafe.Slice((*T)(p), k.n)
}

// Mut returns the component's column for writing and stamps it as changed; else
// it is like Of.
func (c Component[T]) Mut(k *Chunk) []T {
	p := k.columnFor(c.world, c.id)
	if p == nil {
		return nil
	}
	k.stamp(c.id)
	return unsafe.Slice((*T)(p), k.n)
}

// Column returns a component's column as raw memory: the address of the first
// element, or nil. Elements follow each other at the schema's Size; there are
// Len of them. With write, the column is stamped as changed. It is meant for
// tools and script bindings, which know the fields from the Schema.
func (c *Chunk) Column(id ComponentID, write bool) unsafe.Pointer {
	p := c.column(id)
	if write && p != nil {
		c.stamp(id)
	}
	return p
}

// Version returns when a component's column was last written or its rows last
// moved, as a count of system runs; see World.Version.
func (c *Chunk) Version(id ComponentID) uint64 {
	v := c.versions[0]
	if s := c.layout.arch.slot; int(id) < len(s) && s[id] != 0 {
		return max(v, c.versions[s[id]])
	}
	if c.run != nil && int(id) < len(c.world.components) && c.world.components[id].pool != nil {
		return c.world.components[id].pool.version(c.entity())
	}
	return v
}
