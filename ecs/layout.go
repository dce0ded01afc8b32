package ecs

import (
	"fmt"
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
	// growthShare bounds a new chunk to this part of what its archetype has already, so
	// that room that is not used yet stays small beside what is.
	growthShare = 4
	// singleUnits is how many arena units an archetype takes before it has a second
	// chunk, 256 KiB. Where these hold less than singleRows, the only chunk grows on
	// until it holds as many, but not past longest, 1 MiB.
	singleUnits  = 16
	singleRows   = 8192
	longestUnits = 64
)

// chunkSizes are those of an archetype's chunks, as multiples of the shortest: 16 KiB
// to 1 MiB for rows of ordinary width. Steps are small where an archetype is
// one chunk, so that little of it is empty.
var chunkSizes = [...]int{1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64}

// layout is where the columns lie in the chunks of one size.
//
// Invariants: offsets[id] is the offset of id's column, 0 when absent; sites[id]
// says the same, and which version the column has.
//
// Why several sizes? A loop over many short chunks pays for the first lines of
// each column again and again, which the memory cannot foresee: over a million
// entities of two small components, chunks of 16 KiB cost 2.6 times plain
// slices, chunks of 128 KiB 1.2 times. Few entities, on the other hand, should
// not take half a megabyte. So chunks get longer as an archetype grows.
//
// Why is the offset table in the arena? A kernel that follows a handle reads
// the record, this table and the data, all in its own memory.
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

// columnSlot is where a component is in the chunks of a layout.
//
// Why beside offsets, which a kernel reads? Mut wants both numbers, for every
// chunk that a loop comes to, and so finds them in one cache line.
type columnSlot struct {
	offset  uint32 // of the column; 0 when absent
	version uint32 // the column's index into a chunk's versions; 0 when it has no bytes
}

// columnSlot returns where a component is; the zero site when it is not there.
func (l *layout) columnSlot(id ComponentID) columnSlot {
	if int(id) < len(l.columnSlots) {
		return l.columnSlots[id]
	}
	return columnSlot{}
}

// layoutFor returns the layout of an archetype's next chunk, and makes it when
// it is new. The error is ErrArenaFull.
func (w *World) layoutFor(a *archetype) (*layout, error) {
	class := 0
	if !a.pooled {
		class = a.nextClass(len(chunkSizes))
	}
	for len(a.layouts) <= class {
		if err := w.addTable(a); err != nil {
			return nil, err
		}
	}
	return a.layouts[class], nil
}

// nextClass returns the longest of the first n sizes that the next chunk may have.
func (a *archetype) nextClass(n int) int {
	class := 0
	for class+1 < n && a.layouts[0].units*chunkSizes[class+1] <= a.step() {
		class++
	}
	return class
}

// step is how many units the archetype's next chunk may have: a quarter of what
// there is and, past a mebibyte, where a few more chunks cost a loop nothing, a
// twelfth.
func (a *archetype) step() int {
	return min(a.units/growthShare, max(singleUnits, a.units/(3*growthShare)))
}

// widen makes room for n more rows by moving the only chunk's rows into a longer
// one, and reports whether it has: see single. Like any structural change it ends
// what was borrowed.
//
// Why? A loop pays about 15 ns for each chunk, beside 500 for a thousand rows,
// and a microsecond or two where the chunk is in no cache: the memory foresees
// the next line of a column, but not the next column. Moving a row costs a
// nanosecond or two, and happens to it two or three times.
func (a *archetype) widen(w *World, n int) bool {
	if a.pooled || len(a.chunks) > 1 || len(a.spare) > 0 {
		return false
	}
	l, err := w.layoutOf(a, a.count+n)
	if err != nil || l == nil {
		return false // in steps, then: the caller reports what is wrong with memory
	}
	long, err := a.chunk(w, l)
	if err != nil {
		return false
	}
	if len(a.chunks) == 0 {
		a.chunks = append(a.chunks, long)
		return true
	}
	old := a.chunks[0]
	old.pour(long)
	a.chunks[0] = long
	a.free(w, old)
	return true
}

// layoutOf returns the shortest layout that holds n rows of an archetype with one
// chunk, or nil when they are too many for one.
func (w *World) layoutOf(a *archetype, n int) (*layout, error) {
	for class := 0; class < len(chunkSizes) && a.mayBeSingle(class); class++ {
		if class == len(a.layouts) {
			if err := w.addTable(a); err != nil {
				return nil, err
			}
		}
		if l := a.layouts[class]; l.capacity >= n {
			return l, nil
		}
	}
	return nil, nil
}

// mayBeSingle reports whether an archetype's only chunk may have a size, given
// the layouts of those below.
func (a *archetype) mayBeSingle(class int) bool {
	units := a.layouts[0].units * chunkSizes[class]
	return units <= singleUnits || units <= longestUnits && (class == 0 || a.layouts[class-1].capacity < singleRows)
}

// addTable makes an archetype's next layout, with a table in the arena.
func (w *World) addTable(a *archetype) error {
	if err := w.reserveArena(); err != nil {
		return err
	}
	directory := w.arena.Directory()
	if len(w.tables) >= len(directory) {
		return fmt.Errorf("%w: %d archetypes exist", ErrArenaFull, len(w.archetypes))
	}
	at, err := w.arena.Small((a.width() + 1) * 4)
	if err != nil {
		return err
	}
	words := unsafe.Slice((*uint32)(w.arena.At(at)), a.width()+1)
	words[0] = uint32(a.width()) // for those who have nothing but the arena: see MemoryMap
	l := a.arrange(words[1:])
	l.table = uint32(len(w.tables))
	directory[l.table] = at
	w.tables = append(w.tables, l)
	for _, id := range a.ids {
		w.components[id].place(l)
	}
	return nil
}

// place notes where the component's column lies in the chunks of a table.
func (c *component) place(l *layout) {
	for len(c.where) <= int(l.table) {
		c.where = append(c.where, 0)
	}
	c.where[l.table] = l.offsets[c.id]
}

// arrange adds the layout of the next size to an archetype: entities first, each
// column on its own cache line.
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
