package ecs

import (
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/mask"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

const (
	cacheLine = 64
	// minRows is how many rows a chunk must hold; wide archetypes get longer chunks.
	minRows = 16
	// tagOffset marks a component of no bytes as present in an offset table.
	tagOffset = cacheLine
	// limbo is the archetype number of entities that are reserved but not placed.
	limbo = 0
)

// archetype is a set of components and the chunks of the entities that have
// exactly these.
//
// Invariants: every chunk but the last that is used is full; offsets[id] is
// the offset of id's column in every chunk, 0 when absent; count is the sum of
// the chunks' rows.
//
// Why is the offset table in the arena? A kernel that follows a handle reads
// the record, this table and the data, all in its own memory.
type archetype struct {
	id       uint32
	mask     mask.Mask
	ids      []ComponentID // rising
	columns  []column      // those with bytes, in order of ids
	offsets  []uint32      // by ComponentID, in the arena
	slot     []uint8       // by ComponentID: index into a chunk's versions, 0 when absent
	capacity int           // rows per chunk
	units    int           // arena units per chunk
	chunks   []*Chunk      // in use, in order
	count    int
	watched  Change // union of what is observed on its components

	add    map[ComponentID]*edge
	remove map[ComponentID]*edge
	plans  map[uint32][]span // by target archetype, for moves along no single edge
}

// column is where one component lies in each chunk.
type column struct {
	id     ComponentID
	offset uintptr
	size   uintptr
}

// edge leads to the archetype with one component more or less.
type edge struct {
	to   *archetype
	plan []span
}

// span is a column that source and target of a move share.
type span struct {
	from, to, size uintptr
}

// newArchetype makes the archetype of m. The error is ErrArenaFull; nothing is
// left behind then.
func (w *World) newArchetype(m mask.Mask) (*archetype, error) {
	a := &archetype{
		id: uint32(len(w.archetypes)), mask: m,
		add: map[ComponentID]*edge{}, remove: map[ComponentID]*edge{}, plans: map[uint32][]span{},
	}
	for _, id := range m.IDs() {
		a.ids = append(a.ids, ComponentID(id))
		a.watched |= w.components[id].watch
	}
	directory := w.arena.Directory()
	if int(a.id) >= len(directory) {
		return nil, fmt.Errorf("%w: %d archetypes exist", ErrArenaFull, a.id)
	}
	if err := a.makeTable(w, directory); err != nil {
		return nil, err
	}
	a.layout(w)
	w.archetypes = append(w.archetypes, a)
	w.byMask[m] = a
	return a, nil
}

func (a *archetype) makeTable(w *World, directory []uint32) error {
	n := 1
	if len(a.ids) > 0 {
		n = int(a.ids[len(a.ids)-1]) + 1
	}
	at, err := w.arena.Small(n * 4)
	if err != nil {
		return err
	}
	a.offsets = unsafe.Slice((*uint32)(w.arena.At(at)), n)
	a.slot = make([]uint8, n)
	directory[a.id] = at
	return nil
}

// layout places the columns: entities first, each column on its own cache line.
func (a *archetype) layout(w *World) {
	row := int(unsafe.Sizeof(Entity(0)))
	for _, id := range a.ids {
		if size := w.components[id].size; size > 0 {
			a.columns = append(a.columns, column{id: id, size: size})
			row += int(size)
		}
	}
	padding := cacheLine * (len(a.columns) + 1)
	a.units = 1
	for a.units*arena.Unit < padding+minRows*row {
		a.units *= 2
	}
	a.capacity = (a.units*arena.Unit - padding) / row
	a.place(w)
}

func (a *archetype) place(w *World) {
	at := uintptr(a.capacity) * unsafe.Sizeof(Entity(0))
	for i := range a.columns {
		c := &a.columns[i]
		c.offset = (at + cacheLine - 1) &^ (cacheLine - 1)
		at = c.offset + c.size*uintptr(a.capacity)
		a.offsets[c.id] = uint32(c.offset)
		a.slot[c.id] = uint8(min(i+1, 255))
	}
	for _, id := range a.ids {
		if w.components[id].size == 0 {
			a.offsets[id] = tagOffset
		}
	}
}

// has reports whether the archetype has a chunk component.
func (a *archetype) has(id ComponentID) bool {
	return int(id) < len(a.offsets) && a.offsets[id] != 0
}

// reserve makes sure that one more row fits.
func (a *archetype) reserve(w *World) error {
	if n := len(a.chunks); n > 0 && a.chunks[n-1].n < a.capacity {
		return nil
	}
	unit, err := w.arena.Alloc(a.units)
	if err != nil {
		return err
	}
	c := w.chunkAt(unit)
	if need := len(a.columns) + 1; cap(c.versions) < need {
		c.versions = make([]uint64, need)
	}
	*c = Chunk{
		arch: a, base: w.arena.At(unit * arena.Unit), unit: unit,
		versions: c.versions[:len(a.columns)+1], world: w,
	}
	clear(c.versions)
	a.chunks = append(a.chunks, c)
	return nil
}

// push gives e the next row; reserve has made room for it.
func (a *archetype) push(w *World, e Entity, r *slots.Record) (*Chunk, int) {
	c := a.chunks[len(a.chunks)-1]
	row := c.n
	c.n++
	a.count++
	*(*Entity)(unsafe.Add(c.base, uintptr(row)*8)) = e
	c.versions[0] = w.version
	r.Archetype, r.Chunk, r.Row = a.id, c.unit, uint32(row)
	return c, row
}

// drop takes a row out; the archetype's last row fills the hole.
func (a *archetype) drop(w *World, c *Chunk, row int) {
	last := a.chunks[len(a.chunks)-1]
	end := last.n - 1
	if c != last || row != end {
		a.copyRow(c, row, last, end)
		moved := *(*Entity)(unsafe.Add(last.base, uintptr(end)*8))
		*(*Entity)(unsafe.Add(c.base, uintptr(row)*8)) = moved
		r := w.slots.Record(uint64(moved))
		r.Chunk, r.Row = c.unit, uint32(row)
		c.versions[0] = w.version
	}
	last.n = end
	last.versions[0] = w.version
	a.count--
	a.trim(w)
}

// trim gives the last chunk back if it is empty.
func (a *archetype) trim(w *World) {
	if last := len(a.chunks) - 1; a.chunks[last].n == 0 {
		w.arena.Free(a.chunks[last].unit, a.units)
		a.chunks = a.chunks[:last]
	}
}

func (a *archetype) copyRow(to *Chunk, row int, from *Chunk, end int) {
	for i := range a.columns {
		c := &a.columns[i]
		copyBytes(unsafe.Add(to.base, c.offset+uintptr(row)*c.size),
			unsafe.Add(from.base, c.offset+uintptr(end)*c.size), c.size)
	}
}

// copyBytes copies pointer-free memory.
func copyBytes(to, from unsafe.Pointer, n uintptr) {
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
}

// planTo returns the columns that a and to share.
func (a *archetype) planTo(to *archetype) []span {
	if plan, ok := a.plans[to.id]; ok {
		return plan
	}
	plan := []span{}
	for _, c := range a.columns {
		if to.has(c.id) {
			plan = append(plan, span{c.offset, uintptr(to.offsets[c.id]), c.size})
		}
	}
	a.plans[to.id] = plan
	return plan
}

// step returns the archetype with one chunk component more, or less.
func (w *World) step(a *archetype, id ComponentID, more bool) (*edge, error) {
	edges := a.remove
	if more {
		edges = a.add
	}
	if e := edges[id]; e != nil {
		return e, nil
	}
	m := a.mask
	if more {
		m.Set(uint32(id))
	} else {
		m.Clear(uint32(id))
	}
	to := w.byMask[m]
	if to == nil {
		var err error
		if to, err = w.newArchetype(m); err != nil {
			return nil, err
		}
	}
	e := &edge{to: to, plan: a.planTo(to)}
	edges[id] = e
	return e, nil
}
