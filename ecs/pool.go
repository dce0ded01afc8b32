package ecs

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// pool is a sparse set: the storage of one component outside of chunks.
//
// Invariant: find(e) returns the value of the row whose handle is e, and every row is
// found in this way: dense[sparse[e]] == e.
type pool interface {
	of() *component
	len() int
	// find returns the value of a living entity, or nil.
	find(e Entity) unsafe.Pointer
	// from returns the handles of e's row and of the rows after it, as far as their values
	// lie side by side. It returns nothing when e is not there.
	from(e Entity) []Entity
	// reserve makes sure that e can be put in without an error.
	reserve(e Entity) error
	// put copies the value at p to e, adding e if it is not there.
	put(e Entity, p unsafe.Pointer)
	// remove takes e out, if it is there; the last row fills its place.
	remove(e Entity)
	// page returns the i-th span of dense rows as a chunk, or nil after the last.
	// Why not an iterator? A loop body that is passed through an interface escapes to the
	// heap, and a loop that is warm must not allocate.
	page(i int) *Chunk
	stamp(e Entity)
	version(e Entity) uint64
	// dated returns where the version is that stamp sets for e, nil where e has none.
	dated(e Entity) *uint64
	// discard forgets everything: the world closes.
	discard()
	check() error
}

// heapStored is a pool whose values are copied by type, because they hold Go pointers or
// lie in a Storage.
type heapStored interface {
	// column returns the value of the first row of a page or of a view of one.
	column(c *Chunk) unsafe.Pointer
	// clone copies the value at p to the heap; address finds it again.
	clone(p unsafe.Pointer) any
	address(clone any) unsafe.Pointer
	// copyValues copies all values, as Go assigns them or with clone; stageValues makes a copy of
	// such a copy, for putValues to make it the pool's own. Nil empties the pool. An error of
	// putValues is that of a Storage.
	copyValues(reuse heapValues, clone func(to, from unsafe.Pointer)) (heapValues, error)
	stageValues(from heapValues, clone func(to, from unsafe.Pointer)) (heapValues, error)
	putValues(values heapValues) error
	// newValues makes values of n of the pool's type that lie at an address.
	newValues(handles []Entity, data unsafe.Pointer) heapValues
}

const (
	placeSize = 8
	// perPage is how many places one sparse page holds.
	perPage = arena.Unit / placeSize
)

// poolPlace is where an entity's row is: a chunk's unit and the row. Unit 0 is never
// a chunk, so the zero place means absent.
type poolPlace struct{ unit, row uint32 }

// arenaPool keeps pointer-free values in the arena: pages of places by slot number (the
// sparse part), and rows in the chunks of an archetype of its own (the dense part). No
// entity record names that archetype; it only lends its layout to the chunks.
type arenaPool struct {
	store  *store
	comp   *component
	rows   *archetype
	sparse []uint32 // units of the sparse pages, 0 when missing
	stamps []uint64 // by sparse page: slots.Slots.Stamp when a place in it was written last
}

// newArenaPool makes an empty pool. It takes no memory before the first value.
func newArenaPool(s *store, c *component) *arenaPool {
	a := s.describe(mask.Of(uint32(c.id)))
	a.arrange(make([]uint32, a.width()))
	a.pooled = true
	return &arenaPool{store: s, comp: c, rows: a}
}

func (p *arenaPool) of() *component { return p.comp }
func (p *arenaPool) len() int       { return p.rows.count }

// at returns e's place, or nil when its page does not exist.
func (p *arenaPool) at(e Entity) *poolPlace {
	page := int(e.Index() / perPage)
	if page >= len(p.sparse) || p.sparse[page] == 0 {
		return nil
	}
	base := p.store.arena.At(p.sparse[page] * arena.Unit)
	return (*poolPlace)(unsafe.Add(base, uintptr(e.Index()%perPage)*placeSize))
}

// find: the value lies in the column of the row that the place names.
func (p *arenaPool) find(e Entity) unsafe.Pointer {
	at := p.at(e)
	if at == nil || at.unit == 0 {
		return nil
	}
	c := p.store.chunks[at.unit]
	return unsafe.Add(c.base, uintptr(c.layout.offsets[p.comp.id])+uintptr(at.row)*p.comp.size)
}

// from: values lie side by side up to the end of the chunk.
func (p *arenaPool) from(e Entity) []Entity {
	at := p.at(e)
	if at == nil || at.unit == 0 {
		return nil
	}
	return p.store.chunks[at.unit].Entities()[at.row:]
}

// reserve makes a page for the place and a chunk for the row, if there are none.
func (p *arenaPool) reserve(e Entity) error {
	if err := p.reservePage(int(e.Index() / perPage)); err != nil {
		return err
	}
	if p.at(e).unit != 0 {
		return nil // it has a row already
	}
	_, err := p.rows.reserve(p.store)
	return err
}

// grow makes room for n more rows, of entities up to a slot number.
func (p *arenaPool) grow(n int, last uint32) error {
	for page := range int(last/perPage) + 1 {
		if err := p.reservePage(page); err != nil {
			return err
		}
	}
	return p.rows.grow(p.store, n)
}

// reservePage makes the page of places with a number, if there is none.
func (p *arenaPool) reservePage(page int) error {
	for page >= len(p.sparse) {
		p.sparse, p.stamps = append(p.sparse, 0), append(p.stamps, 0)
	}
	if p.sparse[page] == 0 {
		unit, err := p.store.arena.Alloc(1)
		if err != nil {
			return err
		}
		clear(unsafe.Slice((*byte)(p.store.arena.At(unit*arena.Unit)), arena.Unit))
		p.sparse[page], p.stamps[page] = unit, p.store.slots.Stamp
	}
	return nil
}

// place says where the row of an entity is, whose page there is.
func (p *arenaPool) place(e Entity, at poolPlace) {
	*p.at(e) = at
	p.stamps[e.Index()/perPage] = p.store.slots.Stamp
}

// put: a new entity becomes the last row, then a row of the group if it is complete.
func (p *arenaPool) put(e Entity, from unsafe.Pointer) {
	at := p.at(e)
	if at.unit == 0 {
		c := p.rows.last()
		*(*Entity)(unsafe.Add(c.base, uintptr(c.n)*8)) = e
		p.place(e, poolPlace{c.unit, uint32(c.n)})
		c.n++
		p.rows.count++
		c.versions[0] = p.store.version
		copyBytes(p.find(e), from, p.comp.size)
		if g := p.comp.group; g != nil {
			g.enter(e)
		}
	} else {
		copyBytes(p.find(e), from, p.comp.size)
	}
	p.stamp(e)
}

// remove: the last row fills the hole. The entity leaves the group first, so that the
// hole is not among the group's rows.
func (p *arenaPool) remove(e Entity) {
	at := p.at(e)
	if at == nil || at.unit == 0 {
		return
	}
	if g := p.comp.group; g != nil {
		g.leave(e)
	}
	p.rows.trim(p.store) // of a chunk reserved for a value that never came
	hole, last := p.store.chunks[at.unit], p.rows.last()
	end := last.n - 1
	moved := *(*Entity)(unsafe.Add(last.base, uintptr(end)*8))
	p.rows.copyRow(hole, int(at.row), last, end)
	*(*Entity)(unsafe.Add(hole.base, uintptr(at.row)*8)) = moved
	p.place(moved, *at)
	p.place(e, poolPlace{})
	hole.versions[0], last.versions[0] = p.store.version, p.store.version
	last.n = end
	p.rows.count--
	p.store.rowFreed(last, end)
	p.rows.trim(p.store)
}

// page: each chunk of rows is a page.
func (p *arenaPool) page(i int) *Chunk {
	if i < len(p.rows.chunks) && p.rows.chunks[i].n > 0 {
		return p.rows.chunks[i]
	}
	return nil
}

// locate returns the chunk of a row: all have one capacity.
func (p *arenaPool) locate(i int) (*Chunk, int) {
	per := p.rows.layouts[0].capacity
	return p.rows.chunks[i/per], i % per
}

// swap exchanges two rows by number.
func (p *arenaPool) swap(i, j int) {
	if i != j {
		a, r := p.locate(i)
		b, s := p.locate(j)
		p.exchange(a, r, b, s)
	}
}

// bring exchanges the row of an entity with row i.
func (p *arenaPool) bring(e Entity, i int) {
	at := *p.at(e)
	if c, row := p.locate(i); c.unit != at.unit || row != int(at.row) {
		p.exchange(p.store.chunks[at.unit], int(at.row), c, row)
	}
}

// exchange swaps two different rows: their handles, their values and their places.
func (p *arenaPool) exchange(a *Chunk, r int, b *Chunk, s int) {
	ea, eb := &a.Entities()[r], &b.Entities()[s]
	*ea, *eb = *eb, *ea
	p.place(*ea, poolPlace{a.unit, uint32(r)})
	p.place(*eb, poolPlace{b.unit, uint32(s)})
	if p.comp.size > 0 {
		swapBytes(a.cell(0, r), b.cell(0, s), p.comp.size)
	}
	a.versions[0], b.versions[0] = p.store.version, p.store.version
}

// swapBytes exchanges pointer-free memory, through a buffer on the stack.
func swapBytes(a, b unsafe.Pointer, n uintptr) {
	var buf [256]byte
	for done := uintptr(0); done < n; done += uintptr(len(buf)) {
		part := min(n-done, uintptr(len(buf)))
		x, y := unsafe.Add(a, done), unsafe.Add(b, done)
		copyBytes(unsafe.Pointer(&buf), x, part)
		copyBytes(x, y, part)
		copyBytes(y, unsafe.Pointer(&buf), part)
	}
}

// stamp marks the chunk of an entity's row as written.
func (p *arenaPool) stamp(e Entity) {
	if at := p.dated(e); at != nil {
		stampAt(at, p.store.version)
	}
}

func (p *arenaPool) dated(e Entity) *uint64 {
	if at := p.at(e); at != nil && at.unit != 0 {
		return p.store.chunks[at.unit].dated(p.comp.id)
	}
	return nil
}

func (p *arenaPool) version(e Entity) uint64 {
	if at := p.at(e); at != nil && at.unit != 0 {
		return p.store.chunks[at.unit].Version(p.comp.id)
	}
	return 0
}

func (p *arenaPool) discard() {
	p.rows.chunks, p.rows.spare, p.rows.count, p.sparse, p.stamps = nil, nil, 0, nil, nil
}

// check: every row is found from its place, every row is of a living entity, and all
// chunks but the last are full.
func (p *arenaPool) check() error {
	n := 0
	for i, c := range p.rows.chunks {
		if c.n < c.layout.capacity && i+1 < len(p.rows.chunks) {
			return fmt.Errorf("pool %q: chunk %d holds %d of %d rows", p.comp.schema.Name, i, c.n, c.layout.capacity)
		}
		for row, e := range c.Entities() {
			at := p.at(e)
			if at == nil || *at != (poolPlace{c.unit, uint32(row)}) {
				return fmt.Errorf("pool %q: row %d of entity %v is not found from its place", p.comp.schema.Name, row, e)
			}
			if !p.store.alive(e) {
				return fmt.Errorf("pool %q holds the dead entity %v", p.comp.schema.Name, e)
			}
			n++
		}
	}
	if err := p.rows.checkUnits(); err != nil {
		return fmt.Errorf("pool %q: %w", p.comp.schema.Name, err)
	}
	return p.checkPlaces(n)
}

// checkPlaces counts the places in use: no place may name the row of another entity.
func (p *arenaPool) checkPlaces(rows int) error {
	places := 0
	for _, unit := range p.sparse {
		if unit == 0 {
			continue
		}
		for _, at := range unsafe.Slice((*poolPlace)(p.store.arena.At(unit*arena.Unit)), perPage) {
			if at.unit != 0 {
				places++
			}
		}
	}
	if rows != p.rows.count || places != rows {
		return fmt.Errorf("pool %q: %d rows, %d places, %d counted", p.comp.schema.Name, rows, places, p.rows.count)
	}
	return nil
}

// shrink drops chunks without rows, and pages of places that are all empty.
func (p *arenaPool) shrink() {
	p.rows.shrink(p.store, 0)
	p.rows.shorten(p.store)
	p.shrinkPlaces()
}

// shrinkPlaces drops pages of places that are all empty.
func (p *arenaPool) shrinkPlaces() {
	for i, unit := range p.sparse {
		if unit == 0 {
			continue
		}
		places := unsafe.Slice((*poolPlace)(p.store.arena.At(unit*arena.Unit)), perPage)
		if !slices.ContainsFunc(places, func(at poolPlace) bool { return at.unit != 0 }) {
			p.store.arena.Free(unit, 1)
			p.sparse[i] = 0
		}
	}
}

// bytes counts the chunks of rows and the pages of places.
func (p *arenaPool) bytes() int {
	units := p.rows.units
	for _, unit := range p.sparse {
		units += min(int(unit), 1)
	}
	return units * arena.Unit
}

// ranked is a pool whose rows can be reordered: row i is the i-th row of a loop.
type ranked interface {
	pool
	// locate returns the page of a row, and the row in it.
	locate(i int) (*Chunk, int)
	swap(i, j int)
	// bring swaps the row of e, which is there, with row i.
	bring(e Entity, i int)
}

// group keeps some pools in one order.
//
// Invariants: the entities that are in all of the pools are the first n rows of each
// pool, in the same order; a pool is in at most one group.
type group struct {
	pools []ranked
	n     int
}

// found makes the pools members of the group, and puts their rows in order.
func (g *group) found() {
	first := g.pools[0]
	for _, p := range g.pools {
		p.of().group = g
		if p.len() < first.len() {
			first = p
		}
	}
	for i := range first.len() {
		c, row := first.locate(i)
		g.enter(c.Entities()[row])
	}
}

// has reports whether the pool of a component is one of the group's.
func (g *group) has(c *component) bool {
	for _, p := range g.pools {
		if p.of() == c {
			return true
		}
	}
	return false
}

// full reports whether e is in all of the pools.
func (g *group) full(e Entity) bool {
	for _, p := range g.pools {
		if p.find(e) == nil {
			return false
		}
	}
	return true
}

// enter makes e a row of the group if e is in all of its pools. It is called when e has
// come to one of them.
func (g *group) enter(e Entity) {
	if g.full(e) {
		for _, p := range g.pools {
			p.bring(e, g.n)
		}
		g.n++
	}
}

// leave takes e out of the group's rows, if it is one. It is called before e leaves one
// of the pools.
func (g *group) leave(e Entity) {
	if g.full(e) {
		g.n--
		for _, p := range g.pools {
			p.bring(e, g.n)
		}
	}
}

// swap exchanges two rows in every pool.
func (g *group) swap(i, j int) {
	for _, p := range g.pools {
		p.swap(i, j)
	}
}

// check: the first n rows of all pools agree, and no later row is of an entity that is in
// all of them.
func (g *group) check() error {
	for _, p := range g.pools {
		name := p.of().schema.Name
		if p.of().group != g || p.len() < g.n {
			return fmt.Errorf("pool %q: its group has %d rows of %d, or is another", name, g.n, p.len())
		}
		for i := range p.len() {
			e := handleAt(p, i)
			if i < g.n && handleAt(g.pools[0], i) != e {
				return fmt.Errorf("pool %q: row %d is entity %v, the group has another there", name, i, e)
			}
			if i >= g.n && g.full(e) {
				return fmt.Errorf("pool %q: row %d of entity %v belongs into the group", name, i, e)
			}
		}
	}
	return nil
}

// handleAt returns the entity of a row.
func handleAt(p ranked, i int) Entity {
	c, row := p.locate(i)
	return c.Entities()[row]
}

// Group keeps the pools of components in one order: the entities that have all of the
// components are the first rows of each pool. A query for exactly these components then
// iterates plain columns and looks nothing up. The price is one swap in each pool when an
// entity gets the last of the components or loses the first. A group lasts as long as its
// world. O(rows) to make.
//
// The error wraps ErrIterating, or ErrConflict for fewer than two components,
// for one that is not pooled or not by this package, and for one that is in
// another group or world; making the same group again is no error.
func (w *World) Group(hs ...ComponentRef) error {
	if err := w.refuseChange(); err != nil {
		return err
	}
	g := &group{}
	same := len(hs) > 0
	var first *component
	for i, h := range hs {
		c, err := w.resolve(h)
		if err != nil {
			return err
		}
		if i == 0 {
			first = c
		}
		p, ok := c.pool.(ranked)
		switch {
		case !ok:
			return fmt.Errorf("%w: component %q cannot be grouped: register it with ecs.Sparse", ErrConflict, c.schema.Name)
		case g.has(c):
			return fmt.Errorf("%w: component %q is named twice", ErrConflict, c.schema.Name)
		}
		same = same && c.group != nil && c.group == first.group && len(c.group.pools) == len(hs)
		if !same && (c.group != nil || i > 0 && first.group != nil) {
			return fmt.Errorf("%w: component %q, or one named before it, is in another group", ErrConflict, c.schema.Name)
		}
		g.pools = append(g.pools, p)
	}
	if len(hs) < 2 {
		return fmt.Errorf("%w: a group needs two components at least", ErrConflict)
	}
	if !same {
		g.found()
		w.committed("grouping pools", 0)
	}
	return nil
}

// sortKey is a row that is being sorted: of a pool, or of a loop (see Sorted).
type sortKey struct {
	value  unsafe.Pointer // of the component that decides; nil: comes last
	entity Entity
	row    int // before: equal values keep their order
}

// sortKeys sorts stably. Why not with a stable algorithm? To compare the rows in the keys
// is cheaper than a merge in place.
func sortKeys[T any](keys []sortKey, compare func(a, b *T) int) {
	slices.SortFunc(keys, func(a, b sortKey) int {
		if a.value == nil || b.value == nil {
			return cmp.Or(cmp.Compare(lacking(a), lacking(b)), cmp.Compare(a.row, b.row))
		}
		return cmp.Or(compare((*T)(a.value), (*T)(b.value)), cmp.Compare(a.row, b.row))
	})
}

// lacking is 1 for a row without a value: it comes after all others.
func lacking(k sortKey) int {
	if k.value == nil {
		return 1
	}
	return 0
}

// Sort puts the rows of a pooled component in the rising order of its values by compare.
// The sort is stable. Loops that the pool drives follow this order until rows come or go:
// a new row comes last, and the last row takes the place of a row that goes. If the pool
// is in a group, the rows of the group are sorted first, in all of its pools, and then
// the rest of this pool. O(n log n); it allocates nothing once warm.
//
// The error wraps ErrIterating, or ErrConflict for a nil compare and for a
// component whose values lie in chunks: there the archetype says where a row is.
func (c Component[T]) Sort(compare func(a, b *T) int) error {
	if c.info == nil {
		return c.zeroError()
	}
	if c.info.world.closed() {
		return fmt.Errorf("component %q: %w", c.info.schema.Name, ErrClosed)
	}
	if compare == nil {
		return fmt.Errorf("%w: no order is given for component %q", ErrConflict, c.info.schema.Name)
	}
	return c.info.sort(func(keys []sortKey) { sortKeys(keys, compare) })
}

// sort is Component.Sort, once for all types: inOrder puts the keys of rows in order.
func (c *component) sort(inOrder func(keys []sortKey)) error {
	w := c.world
	p, ok := c.pool.(ranked)
	switch {
	case !ok:
		return fmt.Errorf("%w: component %q has no order of its own: register it with ecs.Sparse", ErrConflict, c.schema.Name)
	case w.locks > 0:
		return ErrIterating
	}
	sort := func(first, end int, swap func(i, j int)) {
		w.rank(p, first, end)
		inOrder(w.ranks)
		reorder(w.ranks, first, swap)
		clear(w.ranks) // values may lie on the heap
	}
	n := 0
	if c.group != nil {
		n = c.group.n
		sort(0, n, c.group.swap)
	}
	sort(n, p.len(), p.swap)
	w.committed("sorting a pool", 0)
	return nil
}

// rank makes a key for each row of a pool from first up to, not including, end.
func (w *World) rank(p ranked, first, end int) {
	w.ranks = w.ranks[:0]
	size := p.of().size
	for i := first; i < end; i++ {
		c, row := p.locate(i)
		w.ranks = append(w.ranks, sortKey{value: unsafe.Add(c.column(p.of().id), uintptr(row)*size), row: i - first})
	}
}

// reorder swaps rows until each row is at the place of its key, one cycle of the
// permutation after another.
func reorder(keys []sortKey, first int, swap func(i, j int)) {
	for i := range keys {
		at := i
		for keys[at].row != i {
			from := keys[at].row
			swap(first+at, first+from)
			keys[at].row, at = at, from
		}
		keys[at].row = at
	}
}
