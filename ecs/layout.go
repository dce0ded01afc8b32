package ecs

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
)

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
	if int(id) < len(l.columnSlots) {
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
