package ecs

import (
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
)

// Chunk is what a query yields: some entities that all have the query's components, and
// a column of values for each component. A query over components that lie in chunks
// yields whole chunks. A query for one pooled component yields the pages of its pool.
// Where the rows of one chunk differ, a query yields spans.
//
// A span is a Chunk that shows some consecutive rows of a chunk in the arena, or of a page
// of a pool. Its columns begin at its first row and have Len values. A span that is written
// stamps the whole chunk, because versions are kept for each chunk. A span shows the pooled
// components that its query names, and no others.
//
// Columns are borrowed: a chunk and its columns die with the loop body, and with any
// structural change.
type Chunk struct {
	layout *layout
	lease
	base     unsafe.Pointer // of the chunk in the arena, or of a pool's page
	versions []uint64       // [0] rows moved; then one per column: the last write
	store    *store
	first    int // the row that a view begins with; 0 for whole chunks
	n        int // rows from there
	unit     uint32
	serial   uint64     // no other chunk of the store has had it, nor this memory before
	span     *poolJoins // of a span: what is not in the chunk lies in these pools, row by row
}

// rows returns a view of n rows, of which the first is the given row of c.
func (c *Chunk) rows(first, n int) Chunk {
	v := *c
	v.lease = lease{} // the caller says how long the view lives
	v.first, v.n = c.first+first, n
	return v
}

// Len returns the number of rows. O(1).
func (c *Chunk) Len() int {
	c.inUse()
	return c.n
}

// Entities returns the handles of the rows, one for each. The slice is borrowed and must
// not be written. O(1).
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

// at returns the value of a component in a row; what has no bytes has an address
// all the same.
func (c *Chunk) at(id ComponentID, row int) unsafe.Pointer {
	if i := int(c.layout.columnSlot(id).version); i > 0 {
		return c.cell(i-1, row)
	}
	return c.base
}

// handles returns the entities of some rows as the slots know them.
func (c *Chunk) handles(row, n int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Add(c.base, uintptr(row)*unsafe.Sizeof(Entity(0)))), n)
}

// column returns the first element of a component's column, or nil.
func (c *Chunk) column(id ComponentID) unsafe.Pointer {
	if uint(id) >= uint(len(c.store.components)) {
		return nil
	}
	return c.columnOf(c.store.components[id])
}

// columnOf is column for a component of a world. It panics for a component of another
// world.
//
// Why is the store compared, chunk by chunk? The number of a component of another world
// is also a number here, and its column would be read as another type.
func (c *Chunk) columnOf(of *component) unsafe.Pointer {
	c.inUse()
	if of == nil || of.store != c.store {
		c.foreignComponent()
	}
	at := c.layout.columnSlot(of.id)
	if at.offset == 0 {
		return c.lookAside(of)
	}
	return c.beginOf(of, at)
}

// beginOf returns where the column of a component begins, given its columnSlot.
func (c *Chunk) beginOf(of *component, at columnSlot) unsafe.Pointer {
	return unsafe.Add(c.base, uintptr(at.offset)+uintptr(c.first)*of.size)
}

// readRows returns a column without its type: a slice with one element of no size for
// each row, which begins where the column begins. It returns nil when there is no column.
//
// Why does it not just call columnOf? A loop over few rows consists of such calls, and
// nearly always the chunk has the column itself.
func (c *Chunk) readRows(of *component) []struct{} {
	c.inUse()
	if of != nil && of.store == c.store {
		if at := c.layout.columnSlot(of.id); at.offset != 0 {
			return unsafe.Slice((*struct{})(c.beginOf(of, at)), uint32(c.n))
		}
	}
	p := c.columnOf(of)
	if p == nil {
		return nil
	}
	return unsafe.Slice((*struct{})(p), c.n)
}

// writableRows is readRows for writing: it stamps the column.
func (c *Chunk) writableRows(of *component) []struct{} {
	c.inUse()
	if of != nil && of.store == c.store {
		if at := c.layout.columnSlot(of.id); at.version != 0 {
			stampAt(&c.versions[at.version], c.store.version)
			return unsafe.Slice((*struct{})(c.beginOf(of, at)), uint32(c.n))
		}
	}
	p := c.columnOf(of)
	if p == nil {
		return nil
	}
	c.stamp(of.id)
	return unsafe.Slice((*struct{})(p), c.n)
}

// lookAside finds a column that is not in the chunk itself: the values of a heap pool,
// or those of a pool that the query of a span has joined.
func (c *Chunk) lookAside(of *component) unsafe.Pointer {
	if c.span != nil {
		return c.span.value(of.id, c.entity())
	}
	if p, ok := of.pool.(heapStored); ok && c.layout.arch.mask.Has(uint32(of.id)) && c.n > 0 {
		return p.column(c)
	}
	return nil
}

// stamp marks a column as written now.
func (c *Chunk) stamp(id ComponentID) {
	if at := c.dated(id); at != nil {
		stampAt(at, c.store.version)
	}
}

// dated returns the place of the version that says when a column was written last.
func (c *Chunk) dated(id ComponentID) *uint64 {
	if s := c.layout.columnSlot(id); s.version != 0 {
		return &c.versions[s.version]
	}
	if p := c.store.components[id].pool; p != nil && c.span != nil {
		return p.dated(c.entity())
	}
	return &c.versions[0] // a page of a heap pool
}

// stampAt sets a version. It writes only a version that differs: goroutines that work on
// rows of one chunk find its columns stamped before they begin, and must not write.
func stampAt(at *uint64, version uint64) {
	if *at != version {
		*at = version
	}
}

// Of returns the component's column for reading, one value for each row. It returns nil
// when the chunk's entities lack the component, which can happen for Optional and Any
// terms only. It panics for a chunk of another world. The slice is borrowed: it dies with
// the loop body. O(1).
func (c Component[T]) Of(k *Chunk) []T {
	rows := k.readRows(c.info)
	return *(*[]T)(unsafe.Pointer(&rows))
}

// Mut is Of for writing: it stamps the column as changed, whether the caller writes or
// not.
func (c Component[T]) Mut(k *Chunk) []T {
	rows := k.writableRows(c.info)
	return *(*[]T)(unsafe.Pointer(&rows))
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
// moved, as a count of system runs; see Raw.Version. Written means touched: whether a value
// has become another one, only queries with Changed can tell.
func (c *Chunk) Version(id ComponentID) uint64 {
	v := c.versions[0]
	if at := c.layout.columnSlot(id); at.version != 0 {
		return max(v, c.versions[at.version])
	}
	if c.span != nil && uint(id) < uint(len(c.store.components)) && c.store.components[id].pool != nil {
		return c.store.components[id].pool.version(c.entity())
	}
	return v
}

// copyBytes copies n bytes of pointer-free memory. The most frequent sizes of components
// are copied by words: a call of the runtime costs more than the copy.
func copyBytes(to, from unsafe.Pointer, n uintptr) {
	switch n {
	case 4:
		*(*uint32)(to) = *(*uint32)(from)
	case 8:
		*(*uint64)(to) = *(*uint64)(from)
	case 16:
		*(*[2]uint64)(to) = *(*[2]uint64)(from)
	case 24:
		*(*[3]uint64)(to) = *(*[3]uint64)(from)
	case 32:
		*(*[4]uint64)(to) = *(*[4]uint64)(from)
	default:
		copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
	}
}

// pour moves all rows of a chunk into another of the same archetype, which has
// none and room for all. They keep their order and their versions.
func (c *Chunk) pour(to *Chunk) {
	c.store.checkFreed()
	to.n = c.n
	copy(to.versions, c.versions)
	copyBytes(to.base, c.base, uintptr(c.n)*unsafe.Sizeof(Entity(0)))
	for i, col := range c.layout.arch.columns {
		copyBytes(to.cell(i, 0), c.cell(i, 0), uintptr(c.n)*col.size)
	}
	for row, e := range to.Entities() {
		c.store.slots.Place(c.store.slots.Record(uint64(e)), uint64(e), to.layout.table, to.unit, uint32(row))
	}
	c.n = 0
}

// foreignComponent panics for a component that is used with a chunk of another world.
func (c *Chunk) foreignComponent() {
	panic(fmt.Errorf("ecs: Component.Of or Mut: %w: the component is of another world than the chunk", ErrConflict))
}

// poolJoin is a pool in which a query looks up the rows that it goes through.
type poolJoin struct {
	pool      pool
	comp      *component // asked for its size each time: a migration may change that
	id        ComponentID
	needed    bool // an entity without a value does not match
	scattered bool // in a Storage: values that seem to lie side by side need not do so
}

// poolJoins are those of one query.
type poolJoins []poolJoin

// value returns the value of e in the pool of a component, or nil.
func (js poolJoins) value(id ComponentID, e Entity) unsafe.Pointer {
	for i := range js {
		if js[i].id == id {
			return js[i].pool.find(e)
		}
	}
	return nil
}

const (
	cacheLine = 64
	// minRows is how many rows a chunk must hold; wide archetypes get longer chunks, up to
	// minUnits. Rows that are wider than a sixteenth of that are fewer in a short chunk:
	// thousands of combinations of them, with an entity each, took hundreds of kilobytes
	// each.
	minRows  = 16
	minUnits = 4
	// tagOffset marks a component of no bytes as present in an offset table.
	tagOffset = cacheLine
)

// chunkSizes are the sizes that an archetype's chunks can have, as multiples of the
// shortest: 16 KiB to 1 MiB for rows of ordinary width. The steps are small at the lower
// end, where an archetype is one chunk, so that little of the chunk is empty.
var chunkSizes = [...]int{1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64}

// layout says where the columns lie in the chunks of one size.
//
// Invariants: offsets[id] is the offset of id's column in bytes, 0 when the archetype
// lacks the component; columnSlots[id] has the same offset, and the index of the column's
// version.
//
// Why several sizes? A loop over many short chunks pays for the first lines of each
// column again and again, because the processor cannot prefetch them. Over a million
// entities of two small components, chunks of 16 KiB cost 2.6 times what plain slices
// cost, chunks of 128 KiB 1.2 times. Few entities, on the other hand, should not take
// half a megabyte. So chunks get longer as an archetype grows.
//
// Why is the offset table in the arena? A kernel that follows a handle reads the record,
// this table and the data, all in its own memory.
type layout struct {
	arch        *archetype
	table       uint32 // its number in the world and in the arena's directory
	class       int    // its index among the archetype's layouts
	units       int    // arena units of a chunk
	capacity    int    // rows of a chunk
	offsets     []uint32
	columns     []uintptr    // offsets by index of the archetype's columns
	columnSlots []columnSlot // by ComponentID, for loops
}

// columnSlot says where a component lies in the chunks of a layout.
//
// Why is the offset here and in the offset table too? Component.Mut needs offset and
// version for every chunk of a loop, and finds both in one cache line here. The table is
// for kernels.
type columnSlot struct {
	offset  uint32 // of the column; 0 when absent
	version uint32 // the column's index into a chunk's versions; 0 when it has no bytes
}

// columnSlot returns where a component lies, or the zero columnSlot when the archetype
// lacks it.
func (l *layout) columnSlot(id ComponentID) columnSlot {
	if uint(id) < uint(len(l.columnSlots)) {
		return l.columnSlots[id]
	}
	return columnSlot{}
}

// place gives each column its offset, in order of the components' numbers. Components of
// no bytes get tagOffset.
func (l *layout) place() {
	at := uintptr(l.capacity) * unsafe.Sizeof(Entity(0))
	for i, c := range l.arch.columns {
		at = (at + cacheLine - 1) &^ (cacheLine - 1)
		l.columns[i], l.offsets[c.id], l.columnSlots[c.id] = at, uint32(at), columnSlot{uint32(at), uint32(i + 1)}
		at += c.size * uintptr(l.capacity)
	}
	for _, id := range l.arch.ids {
		if l.offsets[id] == 0 {
			l.offsets[id], l.columnSlots[id].offset = tagOffset, tagOffset
		}
	}
}

// arrange adds the layout of the next size to an archetype. In a chunk, the entities come
// first, then the columns; each begins on a cache line of its own.
func (a *archetype) arrange(offsets []uint32) *layout {
	row := int(unsafe.Sizeof(Entity(0)))
	for _, c := range a.columns {
		row += int(c.size)
	}
	padding := cacheLine * (len(a.columns) + 1)
	units := 1
	for size := units * arena.Unit; size < padding+row || size < padding+minRows*row && units < minUnits; size = units * arena.Unit {
		units *= 2
	}
	units *= chunkSizes[len(a.layouts)]
	l := &layout{
		arch: a, class: len(a.layouts), units: units, capacity: (units*arena.Unit - padding) / row,
		offsets: offsets, columns: make([]uintptr, len(a.columns)), columnSlots: make([]columnSlot, a.width()),
	}
	l.place()
	a.layouts = append(a.layouts, l)
	return l
}
