package ecs

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/mask"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// limbo is the table number of entities that are reserved but not placed.
const limbo = 0

// archetype is a set of components, and the chunks of the entities that have exactly
// this set.
//
// Invariants: every chunk but the last is full; spare chunks are empty; count is the
// sum of the chunks' rows; units is the sum of the arena units of all chunks, spare ones
// too.
type archetype struct {
	id      uint32
	mask    mask.Mask
	ids     []ComponentID // rising
	columns []columnSpec  // those with bytes, in order of ids
	bytes   int           // of a row: the sum of the columns
	layouts []*layout     // by size class, made when first needed
	chunks  []*Chunk      // in use, in order
	spare   []*Chunk      // room made in advance, used before new chunks are
	count   int
	units   int
	due     int       // rows that a batch is about to add; 0 between batches
	pooled  bool      // the rows of a sparse-set pool: one size of chunks, no entity record
	prefab  bool      // the rows are prefab entities
	noticed removable // see removalObserved

	edges []graphEdge // by ComponentID, as far as they are known
}

// removable says whether somebody observes the removal of one of an archetype's components.
type removable struct {
	observed bool
	era      uint64 // of store.removalEra when that was worked out
}

// removalObserved reports whether somebody observes the removal of one of the components.
//
// Why is it worked out when it is asked for? A reload replaces hundreds of observers, and each of thousands of
// archetypes has hundreds of components: to tell all of them at each change takes a quarter of a second.
func (a *archetype) removalObserved(s *store) bool {
	if a.noticed.era != s.removalEra {
		a.noticed = removable{a.mask.Meets(&s.removals), s.removalEra}
	}
	return a.noticed.observed
}

// columnSpec is one component that has bytes.
type columnSpec struct {
	id   ComponentID
	size uintptr
}

// newArchetype makes the archetype of m. The error is ErrArenaFull, and nothing has
// changed then.
func (s *store) newArchetype(m mask.Mask) (*archetype, error) {
	a := s.describe(m)
	if err := s.addTable(a); err != nil {
		return nil, err
	}
	a.id = uint32(len(s.archetypes))
	s.archetypes = append(s.archetypes, a)
	s.byMask[m] = a
	if a.prefab {
		s.templates = append(s.templates, a)
	}
	return a, nil
}

// describe makes an archetype that has no layouts yet and is not in the world's list.
func (s *store) describe(m mask.Mask) *archetype {
	a := &archetype{mask: m, prefab: s.mark != nil && m.Has(uint32(s.mark.id))}
	for _, id := range m.IDs() {
		c := s.components[id]
		a.ids = append(a.ids, c.id)
		if c.size > 0 {
			a.columns = append(a.columns, columnSpec{c.id, c.size})
			a.bytes += int(c.size)
		}
	}
	s.widest = max(s.widest, a.moved())
	return a
}

// width is the length of a table indexed by the archetype's components.
func (a *archetype) width() int {
	if len(a.ids) == 0 {
		return 1
	}
	return int(a.ids[len(a.ids)-1]) + 1
}

// has reports whether the archetype has a chunk component.
func (a *archetype) has(id ComponentID) bool { return a.mask.Has(uint32(id)) }

// open returns the chunk that takes the next row, or nil when there is no room
// for one. Go inlines it: most entities that come find room.
func (a *archetype) open() *Chunk {
	if n := len(a.chunks); n > 0 {
		if c := a.chunks[n-1]; c.n < c.layout.capacity {
			return c
		}
	}
	return nil
}

// reserve makes sure that one more row fits and returns the chunk that takes it.
func (a *archetype) reserve(s *store) (*Chunk, error) {
	if c := a.open(); c != nil {
		return c, nil
	}
	if !a.widen(s, 1) {
		if err := a.extend(s); err != nil {
			return nil, err
		}
	}
	return a.last(), nil
}

// last returns the chunk that takes the next row.
func (a *archetype) last() *Chunk { return a.chunks[len(a.chunks)-1] }

// extend adds a chunk to those in use: a spare one, or a new one.
func (a *archetype) extend(s *store) error {
	if len(a.spare) == 0 {
		if err := a.stock(s); err != nil {
			return err
		}
	}
	end := len(a.spare) - 1
	a.chunks, a.spare = append(a.chunks, a.spare[end]), a.spare[:end]
	return nil
}

// stock adds an empty chunk to the spare ones.
func (a *archetype) stock(s *store) error {
	l, err := s.layoutFor(a)
	var c *Chunk
	if err == nil {
		c, err = a.chunk(s, l)
	}
	for i := len(a.layouts) - 1; err != nil && i >= 0; i-- {
		c, err = a.chunk(s, a.layouts[i]) // near the end of memory a shorter one may fit
	}
	if err != nil {
		return err
	}
	a.spare = append(a.spare, c)
	return nil
}

// chunk makes an empty chunk of a layout, for the caller to put into a list.
func (a *archetype) chunk(s *store, l *layout) (*Chunk, error) {
	unit, err := s.arena.Alloc(l.units)
	if err != nil {
		return nil, err
	}
	c := s.chunkAt(unit)
	if need := len(a.columns) + 1; cap(c.versions) < need {
		c.versions = make([]uint64, need)
	}
	s.chunkSerial++
	*c = Chunk{
		layout: l, base: s.arena.At(unit * arena.Unit), unit: unit,
		versions: c.versions[:len(a.columns)+1], store: s, serial: s.chunkSerial,
	}
	clear(c.versions)
	a.units += l.units
	return c, nil
}

// push gives e the next row, in the chunk that reserve has returned.
func (a *archetype) push(s *store, c *Chunk, e Entity, r *slots.Record) int {
	s.checkFreed()
	row := c.n
	c.n++
	a.count++
	*(*Entity)(unsafe.Add(c.base, uintptr(row)*8)) = e
	c.versions[0] = s.version
	s.slots.Place(r, uint64(e), c.layout.table, c.unit, uint32(row))
	return row
}

// drop takes a row out; the archetype's last row fills the hole.
func (a *archetype) drop(s *store, c *Chunk, row int) {
	last := a.last()
	if last.n == 0 { // reserved for a row that never came: a hook has panicked
		a.trim(s)
		last = a.last()
	}
	end := last.n - 1
	if c != last || row != end {
		a.copyRow(c, row, last, end)
		moved := *(*Entity)(unsafe.Add(last.base, uintptr(end)*8))
		*(*Entity)(unsafe.Add(c.base, uintptr(row)*8)) = moved
		s.slots.Place(s.slots.At(uint64(moved)), uint64(moved), c.layout.table, c.unit, uint32(row))
		c.versions[0] = s.version
	}
	last.n = end
	last.versions[0] = s.version
	a.count--
	s.rowFreed(last, end)
	if end == 0 {
		a.trim(s)
	}
}

// trim gives the last chunk back if it is empty.
func (a *archetype) trim(s *store) {
	end := len(a.chunks) - 1
	if last := a.chunks[end]; last.n == 0 {
		a.chunks = a.chunks[:end]
		a.free(s, last)
	}
}

// free gives a chunk that is in no list any more back to the arena.
func (a *archetype) free(s *store, c *Chunk) {
	s.chunkFreed(c)
	s.arena.Free(c.unit, c.layout.units)
	a.units -= c.layout.units
	c.serial = 0 // no image has it any more
}

// copyRow copies the columns of a row to another row of the same archetype. The chunks may
// have different layouts.
func (a *archetype) copyRow(to *Chunk, row int, from *Chunk, end int) {
	there, here := to.layout.columns, from.layout.columns[:len(to.layout.columns)]
	for i, column := range a.columns[:len(there)] {
		copyBytes(
			unsafe.Add(to.base, there[i]+uintptr(row)*column.size),
			unsafe.Add(from.base, here[i]+uintptr(end)*column.size), column.size)
	}
}

// archetypeWith returns the archetype with a chunk component more; a itself if it
// has that already.
func (s *store) archetypeWith(a *archetype, id ComponentID) (*archetype, error) {
	if to := a.edge(id).with; to != 0 {
		return s.archetypes[to], nil
	}
	if a.has(id) {
		a.setEdge(id, graphEdge{with: a.id})
		return a, nil
	}
	m := a.mask
	m.Set(uint32(id))
	to, err := s.archetypeOf(m)
	if err == nil {
		a.join(id, to)
	}
	return to, err
}

// archetypeWithout returns the archetype with a chunk component less; a itself if
// it lacks that already.
func (s *store) archetypeWithout(a *archetype, id ComponentID) (*archetype, error) {
	if to := a.edge(id).without; to != 0 {
		return s.archetypes[to], nil
	}
	if !a.has(id) {
		return a, nil
	}
	m := a.mask
	m.Clear(uint32(id))
	to, err := s.archetypeOf(m)
	if err == nil {
		to.join(id, a)
	}
	return to, err
}

// archetypeOf returns the archetype of m, and makes it when it is new. The error is
// ErrArenaFull.
func (s *store) archetypeOf(m mask.Mask) (*archetype, error) {
	if a := s.byMask[m]; a != nil {
		return a, nil
	}
	return s.newArchetype(m)
}

// graphEdge is where an archetype leads by one component: to the one that has it too
// and to the one that lacks it, by number. The archetype itself is one of both. 0
// is not known yet.
type graphEdge struct{ with, without uint32 }

// edge returns what is known of a component; Go inlines it.
func (a *archetype) edge(id ComponentID) graphEdge {
	if uint(id) < uint(len(a.edges)) {
		return a.edges[id]
	}
	return graphEdge{}
}

// join remembers the way between a, which lacks a component, and the archetype
// with that one more. It is the same edge seen from both.
func (a *archetype) join(id ComponentID, with *archetype) {
	e := graphEdge{with: with.id, without: a.id}
	a.setEdge(id, e)
	with.setEdge(id, e)
}

// setEdge notes where a component leads.
func (a *archetype) setEdge(id ComponentID, e graphEdge) {
	if n := int(id) + 1 - len(a.edges); n > 0 {
		a.edges = append(a.edges, make([]graphEdge, n)...)
	}
	a.edges[id] = e
}

// grow makes sure that n more rows fit.
func (a *archetype) grow(s *store, n int) error {
	if end := len(a.chunks) - 1; end >= 0 {
		n -= a.chunks[end].layout.capacity - a.chunks[end].n
	}
	for _, c := range a.spare {
		n -= c.layout.capacity
	}
	for n > 0 {
		if err := a.stock(s); err != nil {
			return err
		}
		n -= a.spare[len(a.spare)-1].layout.capacity
	}
	a.chunks = slices.Grow(a.chunks, len(a.spare))
	return nil
}

// shrink gives spare chunks back until so many are left.
func (a *archetype) shrink(s *store, spare int) {
	for len(a.spare) > spare {
		end := len(a.spare) - 1
		c := a.spare[end]
		a.spare = a.spare[:end]
		a.free(s, c)
	}
}

// shorten drops a last chunk without rows, or moves its rows into the shortest
// chunk that holds them.
func (a *archetype) shorten(s *store) {
	last := len(a.chunks) - 1
	if last < 0 {
		return
	}
	old := a.chunks[last]
	if old.n == 0 {
		a.trim(s)
		return
	}
	fit := slices.IndexFunc(a.layouts, func(l *layout) bool { return l.capacity >= old.n })
	if a.layouts[fit].units >= old.layout.units {
		return
	}
	short, err := a.chunk(s, a.layouts[fit])
	if err != nil {
		return
	}
	old.pour(short)
	a.chunks[last] = short
	a.free(s, old)
}

// room counts the rows that the chunks in use can hold.
func (a *archetype) room() int {
	n := 0
	for _, c := range a.chunks {
		n += c.layout.capacity
	}
	return n
}

// checkUnits: the arena units of all chunks are counted.
func (a *archetype) checkUnits() error {
	n := 0
	for _, list := range [...][]*Chunk{a.chunks, a.spare} {
		for _, c := range list {
			n += c.layout.units
		}
	}
	if n != a.units {
		return fmt.Errorf("archetype %d: its chunks have %d units, %d counted", a.id, n, a.units)
	}
	return nil
}

const (
	// growthShare bounds a new chunk to this part of what its archetype has already, so
	// that unused room stays small compared with used room.
	growthShare = 4
	// singleUnits is how many arena units an archetype takes before it has a second
	// chunk: 256 KiB. Where these hold less than singleRows, the only chunk grows on
	// until it holds as many, but not past longestUnits, 1 MiB.
	singleUnits  = 16
	singleRows   = 8192
	longestUnits = 64
)

// layoutFor returns the layout of an archetype's next chunk, and makes it when
// it is new. The error is ErrArenaFull.
func (s *store) layoutFor(a *archetype) (*layout, error) {
	class := 0
	if !a.pooled {
		class = a.nextClass(len(chunkSizes))
	}
	for len(a.layouts) <= class {
		if err := s.addTable(a); err != nil {
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

// widen makes room for n more rows by moving the rows of the only chunk into a longer
// chunk, and reports whether it did: see singleUnits. Like any structural change it ends
// every borrowed slice and pointer.
//
// Why? A loop pays about 15 ns for each chunk, and 500 ns for a thousand rows. A chunk
// that is in no cache costs a microsecond or two, because the processor prefetches the
// next line of a column but not the next column. Moving a row costs a nanosecond or two,
// and a row moves two or three times in its life.
func (a *archetype) widen(s *store, n int) bool {
	if a.pooled || len(a.chunks) > 1 || len(a.spare) > 0 {
		return false
	}
	l, err := s.layoutOf(a, a.count+n)
	if err != nil || l == nil {
		return false // in steps, then: the caller reports what is wrong with memory
	}
	long, err := a.chunk(s, l)
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
	a.free(s, old)
	return true
}

// layoutOf returns the shortest layout that holds n rows of an archetype with one
// chunk, or nil when they are too many for one.
func (s *store) layoutOf(a *archetype, n int) (*layout, error) {
	for class := 0; class < len(chunkSizes) && a.mayBeSingle(class); class++ {
		if class == len(a.layouts) {
			if err := s.addTable(a); err != nil {
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
func (s *store) addTable(a *archetype) error {
	if err := s.reserveArena(); err != nil {
		return err
	}
	directory := s.arena.Directory()
	if len(s.tables) >= len(directory) {
		return fmt.Errorf("%w: %d archetypes exist", ErrArenaFull, len(s.archetypes))
	}
	at, err := s.arena.Small((a.width() + 1) * 4)
	if err != nil {
		return err
	}
	words := unsafe.Slice((*uint32)(s.arena.At(at)), a.width()+1)
	words[0] = uint32(a.width()) // for readers that have only the arena: see MemoryMap
	l := a.arrange(words[1:])
	l.table = uint32(len(s.tables))
	directory[l.table] = at
	s.tables = append(s.tables, l)
	for _, id := range a.ids {
		s.components[id].place(l)
	}
	return nil
}
