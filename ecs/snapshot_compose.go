package ecs

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/internal/mask"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// composer makes an image of a state that may come from anybody, for one world. It plans where
// everything lies in the arena, and checks what the world takes for granted.
//
// Invariant: what it has put into the image so far is in order.
type composer struct {
	world   *World
	state   *capture.Content
	image   *image
	plan    *arena.Arena
	last    uint32         // life of a slot
	records []slots.Record // by slot: those that have a place
	placed  int
	rows    []composedRows // of arena pools, by component
	heaps   []map[uint64]bool
	circles circles
}

// composedRows finds the rows of a pool: its pages of places, nil where there is none.
type composedRows struct {
	pages [][]poolPlace
	n     int
}

// at returns the place of a slot, the zero place if it has none.
func (r *composedRows) at(slot uint32) poolPlace {
	if page := slot / perPage; int(page) < len(r.pages) && r.pages[page] != nil {
		return r.pages[page][slot%perPage]
	}
	return poolPlace{}
}

// put notes the place of a slot.
func (r *composedRows) put(slot uint32, at poolPlace) {
	page := slot / perPage
	for int(page) >= len(r.pages) {
		r.pages = append(r.pages, nil)
	}
	if r.pages[page] == nil {
		r.pages[page] = make([]poolPlace, perPage)
	}
	r.pages[page][slot%perPage] = at
	r.n++
}

// Compose makes an image of what package save has read, for [Raw.Restore] of this world and for one
// restore only: the image takes the columns and values of the state. Components, events and
// relations of the state are those of this world, in its order, then those that are new to it, which the
// restore defines. It checks everything that the world
// takes for granted, because saves may come from anybody: handles, rows, lists of sources, groups,
// readers, numbers of all kinds. The world is not changed. The error wraps ErrConflict for a state
// that contradicts itself or this world, and ErrRange besides for a value that its field cannot have, ErrEntityLimit, ErrArenaFull, or is one of Capture.
func (r Raw) Compose(state *capture.Content) (capture.Image, error) {
	w := r.world
	if state == nil {
		return nil, fmt.Errorf("%w: there is no state", ErrConflict)
	}
	if err := cmp.Or(w.refuseSnapshot(), w.reserveArena()); err != nil {
		return nil, err
	}
	c := &composer{world: w, state: state, image: &image{brings: typesOf(state)}, plan: w.arena.Plan()}
	takeBack, err := c.image.brings.define(w)
	defer takeBack()
	if err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		c.components, c.slots, c.sets, c.pools, c.free, c.heapPools, c.groups, c.relations,
		c.prefabs, c.requirements, c.events, c.looks, c.systems, c.notices, c.clock, c.resources,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	c.plan.Save(&c.image.arena)
	return c.image, nil
}

// wrong returns the error for a state that contradicts itself.
func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrConflict, fmt.Sprintf(format, args...))
}

// components: they are those of the world, which may yet have to make its mark.
func (c *composer) components() error {
	w, st := c.world, c.state
	n := len(w.components)
	if len(st.Components) == n+1 && w.mark == nil && st.Components[n].Mark {
		if err := w.makeMark(); err != nil {
			return err
		}
		n++
	}
	if len(st.Components) != n {
		return wrong("%d components, this world has %d", len(st.Components), n)
	}
	for i, k := range w.components {
		c.image.captureComponent(w, k)
		if from := &st.Components[i]; int(capture.Storage(storageOf(k))) != int(from.Kept) || from.Mark != (k == w.mark) {
			return wrong("component %q is kept in another way", k.schema.Name)
		}
		c.image.components[i].group, c.image.components[i].inAll = 0, 0
	}
	c.rows = make([]composedRows, n)
	return nil
}

// slots takes the lives of the slots.
func (c *composer) slots() error {
	w, s, im := c.world, &c.state.Slots, c.image
	im.tag, im.seed = c.state.Tag, c.state.Seed
	if im.tag != w.options.Tag {
		return fmt.Errorf("%w: the handles have the tag %d, those of this world %d: open the world with Options.Tag %d", ErrConflict, im.tag, w.options.Tag, im.tag)
	}
	used := len(s.Lives)
	im.slots.Used = uint32(min(used, slots.MaxSlots+1)) // one more than fit
	switch {
	case used == 0 || len(s.Deaths) != used:
		return wrong("%d slots have %d dates", used, len(s.Deaths))
	case !w.slots.Fits(im.slots):
		return fmt.Errorf("%w: there are handles of %d slots", ErrEntityLimit, used-1)
	case s.Lives[0] != 0:
		return wrong("slot 0 was issued")
	}
	base, bits, last := slots.Lives(im.tag)
	first, _ := slots.Step(im.tag)
	c.last, c.records = last, make([]slots.Record, used)
	for slot, life := range s.Lives[1:] {
		if life&bits != base || life < first || life > last {
			return wrong("slot %d has the life %#x", slot+1, life)
		}
	}
	for _, h := range s.Reserved {
		if err := c.place(h, slots.Record{}); err != nil {
			return err
		}
	}
	return nil
}

// place gives a handle its only place.
func (c *composer) place(h uint64, at slots.Record) error {
	slot, life := uint32(h&(slots.MaxSlots-1)), uint32(h>>slots.IndexBits)
	if h>>slots.IndexBits > math.MaxUint32 || slot == 0 || int(slot) >= len(c.records) || c.state.Slots.Lives[slot] != life {
		return wrong("the handle %d was not issued, or is dead", h)
	}
	if c.records[slot].Life != 0 {
		return wrong("the handle %d has two places", h)
	}
	at.Life = life
	c.records[slot] = at
	c.placed++
	return nil
}

// alive reports whether a handle has a place.
func (c *composer) alive(h uint64) bool {
	slot := h & (slots.MaxSlots - 1)
	return slot < uint64(len(c.records)) && c.records[slot].Life != 0 && uint64(c.records[slot].Life) == h>>slots.IndexBits
}

// sets takes the archetypes with their rows.
func (c *composer) sets() error {
	im := c.image
	if len(c.state.Sets) == 0 || len(c.state.Sets[0].Components) > 0 {
		return wrong("the first set is not the empty one")
	}
	known := map[mask.Mask]bool{}
	for i := range c.state.Sets {
		rows := &c.state.Sets[i]
		m, err := c.set(rows)
		if err != nil {
			return err
		}
		if known[m] {
			return wrong("there are two sets of the same components")
		}
		known[m] = true
		if err := c.archetype(uint32(limbo+1+i), c.world.describe(m), rows); err != nil {
			return err
		}
	}
	im.slots.Live = c.placed
	return nil
}

// set returns the components of a set.
func (c *composer) set(rows *capture.Rows) (m mask.Mask, err error) {
	for i, id := range rows.Components {
		if int(id) >= len(c.world.components) || i > 0 && rows.Components[i-1] >= id {
			return m, wrong("a set has the components %v", rows.Components)
		}
		if k := c.world.components[id]; k.pool != nil {
			return m, wrong("component %q is in a set, and kept in a pool", k.schema.Name)
		}
		m.Set(id)
	}
	return m, nil
}

// archetype takes the rows of one archetype: its layouts, then its chunks.
func (c *composer) archetype(id uint32, a *archetype, rows *capture.Rows) error {
	im := c.image
	if rows.Loose {
		if err := c.cut(a, rows); err != nil {
			return err
		}
	}
	if rows.Layouts < 1 && id == limbo+1 {
		rows.Layouts = 1
	}
	if rows.Layouts < 0 || rows.Layouts > len(chunkSizes) {
		return wrong("a set has %d sizes of chunks", rows.Layouts)
	}
	for class := range rows.Layouts {
		if len(a.layouts) == class {
			a.arrange(make([]uint32, a.width()))
		}
		at, err := c.plan.AssignSmall((a.width() + 1) * 4)
		if err != nil {
			return err
		}
		a.layouts[class].table = uint32(limbo + 1 + len(im.tables))
		if int(a.layouts[class].table) >= len(c.world.arena.Directory()) {
			return fmt.Errorf("%w: there are more than %d sets of components", ErrArenaFull, len(c.world.arena.Directory()))
		}
		*next(&im.tables) = tableImage{id, class, at}
	}
	*next(&im.archetypes) = archetypeImage{mask: a.mask, used: len(rows.Chunks), spare: len(rows.Spare)}
	return c.chunks(a, rows, c.placeAll)
}

// placeAll gives the handles of a chunk their only places.
func (c *composer) placeAll(unit uint32, l *layout, handles []uint64) error {
	records, lives := c.records, c.state.Slots.Lives
	for row, h := range handles {
		slot, life := uint32(h&(slots.MaxSlots-1)), uint32(h>>slots.IndexBits)
		if h>>slots.IndexBits > math.MaxUint32 || int(slot) >= len(records) || int(slot) >= len(lives) || slot == 0 || lives[slot] != life || records[slot].Life != 0 {
			return c.place(h, slots.Record{}) // it says what is wrong
		}
		records[slot] = slots.Record{Life: life, Table: l.table, Chunk: unit, Row: uint32(row)}
	}
	c.placed += len(handles)
	return nil
}

// chunks takes the chunks of an archetype; the handles of each are reported.
func (c *composer) chunks(a *archetype, rows *capture.Rows, each func(unit uint32, l *layout, handles []uint64) error) error {
	for i := range rows.Chunks {
		k := &rows.Chunks[i]
		l, err := c.layout(a, k.Class)
		if err != nil {
			return err
		}
		if k.N < 0 || k.N > l.capacity || k.N < l.capacity && i+1 < len(rows.Chunks) {
			return wrong("chunk %d of %d holds %d of %d rows", i, len(rows.Chunks), k.N, l.capacity)
		}
		unit, err := c.chunk(a, l, k)
		if err != nil {
			return err
		}
		if k.N == 0 {
			continue
		}
		handles := unsafe.Slice((*uint64)(unsafe.Pointer(&k.Columns[0][0])), k.N)
		if err := each(unit, l, handles); err != nil {
			return err
		}
	}
	for _, class := range rows.Spare {
		l, err := c.layout(a, class)
		if err == nil {
			_, err = c.chunk(a, l, &capture.Chunk{Class: class, Versions: make([]uint64, len(a.columns)+1)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// layout returns the layout of a size of chunks.
func (c *composer) layout(a *archetype, class int) (*layout, error) {
	if class < 0 || class >= len(a.layouts) {
		return nil, wrong("a chunk is of size %d, of %d", class, len(a.layouts))
	}
	return a.layouts[class], nil
}

// chunk plans where a chunk lies, and takes its columns. It returns its first unit.
func (c *composer) chunk(a *archetype, l *layout, k *capture.Chunk) (uint32, error) {
	im := c.image
	if len(k.Versions) != len(a.columns)+1 || k.N > 0 && len(k.Columns) != len(k.Versions) {
		return 0, wrong("a chunk of %d columns has %d, and %d versions", len(a.columns)+1, len(k.Columns), len(k.Versions))
	}
	unit, err := c.plan.Assign(l.units)
	if err != nil {
		return 0, err
	}
	first := len(im.columns)
	for i, version := range k.Versions {
		column := columnImage{version: version}
		if k.N > 0 {
			size := unsafe.Sizeof(Entity(0))
			if i > 0 {
				size = a.columns[i-1].size
			}
			if len(k.Columns[i]) != k.N*int(size) {
				return 0, wrong("a column of %d rows has %d bytes", k.N, len(k.Columns[i]))
			}
			if i > 0 {
				if err := wellFormed(c.world.components[a.columns[i-1].id].schema, k.Columns[i], int(size)); err != nil {
					return 0, err
				}
			}
			column.block = capture.Own(k.Columns[i])
		}
		im.columns = append(im.columns, column)
	}
	*next(&im.chunks) = chunkImage{unit: int(unit), class: l.class, n: k.N, first: first}
	for int(unit) >= len(im.byUnit) {
		im.byUnit = append(im.byUnit, make([]int32, max(64, len(im.byUnit)))...)
	}
	im.byUnit[unit] = int32(len(im.chunks))
	return unit, nil
}

// wellFormed refuses values that no component or event has.
func wellFormed(s *Schema, values []byte, apart int) error {
	if err := s.CheckValues(values, apart); err != nil {
		return fmt.Errorf("%w: %q: %w", ErrConflict, s.Name, err)
	}
	return nil
}

// cut makes chunks of rows that are in chunks of any length, of the sizes that they would have had
// if they had come one by one.
func (c *composer) cut(a *archetype, from *capture.Rows) error {
	total, columns := 0, make([][]byte, len(a.columns)+1)
	versions := make([]uint64, len(columns))
	for i := range from.Chunks {
		k := &from.Chunks[i]
		if k.N == 0 {
			continue
		}
		if k.N < 0 || len(k.Columns) != len(columns) || len(k.Versions) != len(columns) {
			return wrong("a chunk of %d columns has %d, and %d versions", len(columns), len(k.Columns), len(k.Versions))
		}
		total += k.N
		for j := range columns {
			columns[j] = append(columns[j], k.Columns[j]...)
			versions[j] = max(versions[j], k.Versions[j])
		}
	}
	from.Chunks, from.Spare, from.Layouts = nil, nil, len(a.layouts)
	for at := 0; at < total; {
		class := 0
		if !a.pooled {
			for len(a.layouts) < len(chunkSizes) {
				a.arrange(make([]uint32, a.width()))
			}
			for class = a.nextClass(len(chunkSizes)); class > 0 && a.layouts[class-1].capacity >= total-at; {
				class--
			}
		}
		l := a.layouts[class]
		k := capture.Chunk{Class: class, N: min(l.capacity, total-at), Versions: slices.Clone(versions)}
		for _, column := range columns {
			size := len(column) / total
			k.Columns = append(k.Columns, column[at*size:(at+k.N)*size:(at+k.N)*size])
		}
		from.Chunks = append(from.Chunks, k)
		from.Layouts = max(from.Layouts, class+1)
		a.units += l.units
		at += k.N
	}
	a.units = 0
	a.layouts = a.layouts[:min(from.Layouts, len(a.layouts))]
	return nil
}

// pools takes the pools in the arena, with the pages of places that lead to their rows.
func (c *composer) pools() error {
	n := 0
	for _, p := range c.world.pools {
		pool, ok := p.(*arenaPool)
		if !ok {
			continue
		}
		if n == len(c.state.Pools) || !slices.Equal(c.state.Pools[n].Components, []uint32{uint32(pool.comp.id)}) {
			return wrong("the pool of component %q is missing, or at another place", pool.comp.schema.Name)
		}
		if err := c.pool(pool, &c.state.Pools[n]); err != nil {
			return fmt.Errorf("component %q: %w", pool.comp.schema.Name, err)
		}
		n++
	}
	if n != len(c.state.Pools) {
		return wrong("there are %d pools, this world has %d", len(c.state.Pools), n)
	}
	return nil
}

// pool takes one pool.
func (c *composer) pool(p *arenaPool, rows *capture.Rows) error {
	im, a := c.image, c.world.describe(mask.Of(uint32(p.comp.id)))
	a.arrange(make([]uint32, a.width()))
	a.pooled = true
	if rows.Loose {
		if err := c.cut(a, rows); err != nil {
			return err
		}
	}
	to := &c.rows[p.comp.id]
	i := len(im.arenaPools)
	*next(&im.arenaPools) = archetypeImage{used: len(rows.Chunks), spare: len(rows.Spare)}
	err := c.chunks(a, rows, func(unit uint32, _ *layout, handles []uint64) error {
		for row, h := range handles {
			slot := uint32(h & (slots.MaxSlots - 1))
			if !c.alive(h) || c.reserved(h) || to.at(slot).unit != 0 {
				return wrong("the handle %d is dead, or there twice", h)
			}
			to.put(slot, poolPlace{unit, uint32(row)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	im.arenaPools[i].places = len(to.pages)
	return c.pages(to.pages)
}

// pages plans where pages of places lie.
func (c *composer) pages(pages [][]poolPlace) error {
	for _, page := range pages {
		k := next(&c.image.places)
		if *k = (placesImage{}); page == nil {
			continue
		}
		unit, err := c.plan.Assign(1)
		if err != nil {
			return err
		}
		*k = placesImage{unit, capture.Own(unsafe.Slice((*byte)(unsafe.Pointer(&page[0])), arena.Unit))}
	}
	return nil
}

// free takes the list of slots that wait, and makes the pages of records.
func (c *composer) free() error {
	im, s := c.image, &c.state.Slots
	used := len(s.Lives)
	for i, slot := range s.Free {
		if slot == 0 || int(slot) >= used || c.records[slot] != (slots.Record{}) || s.Lives[slot] == c.last {
			return wrong("slot %d waits to be issued, and is in use, worn out, or listed twice", slot)
		}
		c.records[slot].Row = s.Lives[slot]
		if i+1 < len(s.Free) {
			c.records[slot].Chunk = s.Free[i+1]
		}
		im.slots.Tail = slot
	}
	if im.slots.Free = len(s.Free); im.slots.Free > 0 {
		im.slots.Head = s.Free[0]
	}
	for slot := 1; slot < used; slot++ {
		if r := &c.records[slot]; *r == (slots.Record{}) {
			if s.Lives[slot] != c.last {
				return wrong("slot %d is neither in use nor does it wait", slot)
			}
			r.Row = c.last
			im.slots.Retired++
		}
	}
	base, bits, _ := slots.Lives(im.tag)
	c.records[0] = slots.Record{Chunk: bits, Row: base}
	for page := 0; page*slots.PageSlots < used; page++ {
		bytes, records, deaths := slots.NewPage(page, used)
		from := page * slots.PageSlots
		copy(records, c.records[from:])
		copy(deaths, s.Deaths[from:])
		im.pages = append(im.pages, capture.Own(bytes))
	}
	return nil
}

// heapPools takes the values that are copied by their Go type.
func (c *composer) heapPools() error {
	im := c.image
	c.heaps = make([]map[uint64]bool, len(c.world.components))
	n := 0
	for _, p := range c.world.pools {
		typed, ok := p.(heapStored)
		if !ok {
			continue
		}
		id := int(p.of().id)
		if n == len(c.state.Heaps) || c.state.Heaps[n].Component != id {
			return wrong("the values of component %q are missing, or at another place", p.of().schema.Name)
		}
		from := &c.state.Heaps[n]
		n++
		known := make(map[uint64]bool, len(from.Handles))
		for _, h := range from.Handles {
			if known[h] || !c.alive(h) || c.reserved(h) {
				return wrong("component %q: the handle %d is dead, or there twice", p.of().schema.Name, h)
			}
			known[h] = true
		}
		c.heaps[id] = known
		handles := unsafe.Slice((*Entity)(unsafe.Pointer(unsafe.SliceData(from.Handles))), len(from.Handles))
		*next(&im.heapPools) = heapImage{version: from.Version, values: typed.newValues(handles, from.Data)}
	}
	if n != len(c.state.Heaps) {
		return wrong("there are values of %d types on the heap, this world has %d", len(c.state.Heaps), n)
	}
	return nil
}

// reserved reports whether a handle that is alive is nowhere.
func (c *composer) reserved(h uint64) bool { return c.records[h&(slots.MaxSlots-1)].Table == limbo }

// groups takes those groups that the world has, too: their rows must be in one order. Others are put in
// order by the restore.
func (c *composer) groups() error {
	for i, k := range c.world.components {
		from := &c.state.Components[i]
		if k.group == nil || k.group.pools[0].of() != k || from.Group != 1+i {
			continue
		}
		same, members := true, 0
		for j := range c.state.Components {
			if c.state.Components[j].Group == 1+i {
				members++
				same = same && c.world.components[j].group == k.group
			}
		}
		if !same || members != len(k.group.pools) {
			continue
		}
		if err := c.group(k.group, from.InAll); err != nil {
			return fmt.Errorf("component %q: %w", k.schema.Name, err)
		}
		for _, p := range k.group.pools {
			c.image.components[p.of().id].group = 1 + uint32(i)
			c.image.components[p.of().id].inAll = from.InAll
		}
	}
	return nil
}

// group checks that the first rows of the pools are those that all have, in one order.
func (c *composer) group(g *group, inAll int) error {
	var lists [][]uint64
	for _, p := range g.pools {
		lists = append(lists, c.list(p.of()))
	}
	count := map[uint64]int{}
	for _, list := range lists {
		if inAll < 0 || inAll > len(list) || !slices.Equal(list[:inAll], lists[0][:inAll]) {
			return wrong("the rows of its group are in different orders")
		}
		for _, h := range list[inAll:] {
			if count[h]++; count[h] == len(lists) {
				return wrong("the entity %d belongs into its group", h)
			}
		}
	}
	return nil
}

// list returns the handles of a pool in the order of its rows.
func (c *composer) list(of *component) (handles []uint64) {
	for i := range c.state.Heaps {
		if c.state.Heaps[i].Component == int(of.id) {
			return c.state.Heaps[i].Handles
		}
	}
	for i := range c.state.Pools {
		if c.state.Pools[i].Components[0] != uint32(of.id) {
			continue
		}
		for _, k := range c.state.Pools[i].Chunks {
			if k.N > 0 {
				handles = append(handles, unsafe.Slice((*uint64)(unsafe.Pointer(&k.Columns[0][0])), k.N)...)
			}
		}
	}
	return handles
}

// has reports whether a living entity has a component.
func (c *composer) has(h uint64, of *component) bool {
	slot := h & (slots.MaxSlots - 1)
	switch {
	case c.heaps[of.id] != nil:
		return c.heaps[of.id][h]
	case of.pool != nil:
		return c.rows[of.id].at(uint32(slot)).unit != 0
	case c.records[slot].Table == limbo:
		return false
	}
	t := c.image.tables[c.records[slot].Table-limbo-1]
	m := c.image.archetypes[t.archetype-limbo-1].mask
	return m.Has(uint32(of.id))
}

// links returns the links of a handle in a relation, or nil.
func (c *composer) links(r *Relation, h uint64) *links {
	if !c.alive(h) {
		return nil
	}
	at := c.rows[r.id].at(uint32(h & (slots.MaxSlots - 1)))
	if at.unit == 0 {
		return nil
	}
	k := c.image.chunks[c.image.byUnit[at.unit]-1]
	return (*links)(unsafe.Pointer(&c.image.columns[k.first+1].block.Bytes[uintptr(at.row)*unsafe.Sizeof(links{})]))
}

// relations checks the lists of sources of all targets, and that what is to be free of cycles is.
func (c *composer) relations() error {
	if len(c.state.Relations) != len(c.world.relations) {
		return wrong("there are %d relations, this world has %d", len(c.state.Relations), len(c.world.relations))
	}
	for i, r := range c.world.relations {
		policy := Policy(c.state.Relations[i].Policy)
		if policy > Refuse || c.state.Relations[i].Component != int(r.id) {
			return wrong("relation %q has the policy %d, or another place", r.name, policy)
		}
		count, err := c.relation(r)
		if err != nil {
			return fmt.Errorf("relation %q: %w", r.name, err)
		}
		*next(&c.image.relations) = relationImage{count, policy}
	}
	return nil
}

// relation checks the links of one relation, and returns how many sources there are.
func (c *composer) relation(r *Relation) (count int, err error) {
	listed := 0
	handles := c.list(r.info)
	for _, h := range handles {
		l := c.links(r, h)
		if *l == (links{}) || c.reserved(h) {
			return 0, wrong("the entity %d has links to nobody, or is nowhere", h)
		}
		if l.Target != 0 {
			count++
			if c.links(r, uint64(l.Target)) == nil {
				return 0, wrong("the entity %d has a target that is none", h)
			}
		}
		if listed, err = c.sources(r, h, l, listed, c.rows[r.id].n); err != nil {
			return 0, err
		}
	}
	if r.options.Acyclic && len(handles) > 0 { // each has a target that is there, or none
		c.circles.begin(len(c.records))
		target := func(e Entity) Entity { return c.links(r, uint64(e)).Target }
		for _, h := range handles {
			if c.circles.leadsInto(Entity(h), target) {
				return 0, wrong("the targets of the entity %d go round", h)
			}
		}
	}
	if listed != count {
		return 0, wrong("%d entities have a target, %d are listed as sources", count, listed)
	}
	return count, nil
}

// sources walks the sources of a target. It returns how many are listed with them, of at most so many.
func (c *composer) sources(r *Relation, h uint64, l *links, listed, most int) (int, error) {
	prev, n := Entity(0), uint64(0)
	for source := l.First; source != 0; n++ {
		s := c.links(r, uint64(source))
		if s == nil || uint64(s.Target) != h || s.Prev != prev || listed == most {
			return 0, wrong("the entity %d lists the source %d, which does not agree", h, source)
		}
		listed++
		prev, source = source, s.Next
	}
	if prev != l.Last || n != l.Count {
		return 0, wrong("the list of the entity %d has %d sources and ends at %d, not %d and %d", h, n, prev, l.Count, l.Last)
	}
	return listed, nil
}

// prefabs: the children of a prefab are prefabs.
func (c *composer) prefabs() error {
	mark, children := c.world.mark, c.world.ChildOf()
	if mark == nil {
		return nil
	}
	for _, h := range c.list(children.info) {
		if target := uint64(c.links(children, h).Target); target != 0 && c.has(target, mark) && !c.has(h, mark) {
			return wrong("the entity %d is a prefab, its child %d is not", target, h)
		}
	}
	return nil
}

// requirements: an entity has what a component of it requires.
func (c *composer) requirements() error {
	for _, need := range c.world.components {
		for _, q := range need.rules.guarded {
			if err := c.requirement(need, q); err != nil {
				return err
			}
		}
		for _, other := range need.rules.excludes {
			if other.id > need.id {
				continue
			}
			if h := c.find(func(h uint64) bool { return c.has(h, need) && c.has(h, other) }); h != 0 {
				return wrong("the entity %d has %q and %q, which exclude each other", h, need.schema.Name, other.schema.Name)
			}
		}
	}
	return nil
}

// requirement checks one rule.
func (c *composer) requirement(need *component, q *dependency) error {
	h := c.find(func(h uint64) bool {
		return q.holds(func(k *component) bool { return c.has(h, k) }) && !c.has(h, need)
	})
	if h != 0 {
		return wrong("the entity %d has %q, which requires %q, and lacks that", h, q.of.schema.Name, need.schema.Name)
	}
	return nil
}

// find returns a living entity for which a condition holds, or 0.
func (c *composer) find(holds func(h uint64) bool) uint64 {
	for slot := 1; slot < len(c.records); slot++ {
		if life := c.records[slot].Life; life != 0 {
			if h := uint64(life)<<slots.IndexBits | uint64(slot); holds(h) {
				return h
			}
		}
	}
	return 0
}

// events takes what waits, and how far readers have come.
func (c *composer) events() error {
	if len(c.state.Streams) != len(c.world.events.streams) {
		return wrong("there are %d event types, this world has %d", len(c.state.Streams), len(c.world.events.streams))
	}
	for i, t := range c.world.events.streams {
		if err := c.stream(t, &c.state.Streams[i]); err != nil {
			return fmt.Errorf("event %q: %w", t.schema.Name, err)
		}
	}
	return nil
}

// stream takes one event type.
func (c *composer) stream(t *stream, from *capture.Stream) error {
	k := next(&c.image.streams)
	if from.Absent {
		*k = streamImage{schema: t.schema, keep: t.keep}
		return nil
	}
	// Why is sent no error where the oldest events of the tick are gone? Worlds have said so, once.
	*k = streamImage{schema: t.schema, keep: Retention{from.Events, from.Ticks}, first: from.First, sent: max(from.Sent, from.First), data: from.Data, ends: from.Ends}
	last := from.First + uint64(len(from.Data)/t.data.words)
	switch {
	case len(from.Data)%t.data.words != 0 || last < from.First:
		return wrong("%d words are no whole number of events", len(from.Data))
	case from.Events < 0 || from.Events > mostUnread || from.Ticks < 0 || from.Ticks > mostTicks:
		return wrong("%d events are to wait, for %d ticks", from.Events, from.Ticks)
	case from.Sent > last:
		return wrong("the events of this tick begin at %d, there are %d to %d", from.Sent, from.First, last)
	case len(from.Ends) > from.Ticks || !slices.IsSorted(from.Ends) || len(from.Ends) > 0 && from.Ends[len(from.Ends)-1] > last:
		return wrong("the last ticks ended at %v, there are events up to %d", from.Ends, last)
	}
	for _, r := range from.Readers {
		if r.Next < from.First || r.Next > last {
			return wrong("a reader is at %d, there are events %d to %d", r.Next, from.First, last)
		}
		*next(&k.readers) = readerImage{r.Number, r.Name, r.Next, r.Lost, r.Lagging}
	}
	if err := wellFormed(t.schema, capture.Bytes(from.Data), 8*t.data.words); err != nil {
		return err
	}
	for i := range from.Subscribers {
		if err := c.breaker(next(&k.subscribers), &from.Subscribers[i]); err != nil {
			return err
		}
	}
	return nil
}

// breaker takes a health.
func (c *composer) breaker(to *breakerImage, from *capture.Breaker) error {
	if Health(from.State) > Blocked || from.Failures < 0 || len(from.Recent) > mostRecent || len(from.Burst) > mostBurst ||
		math.IsNaN(float64(from.Wait+from.RetryAt+from.Since)) {
		return wrong("the health of %q is none", from.Name)
	}
	to.read(from)
	return nil
}

// looks takes what queries have seen.
func (c *composer) looks() error {
	for i := range c.state.Looks {
		from := &c.state.Looks[i]
		if i > 0 && c.state.Looks[i-1].Number >= from.Number || len(from.Which) != len(from.Entities) {
			return wrong("what queries have seen is not in order")
		}
		k := next(&c.image.looks)
		*k = lookImage{number: from.Number, since: from.Since}
		for _, ids := range [][]uint32{from.Changed, from.Added} {
			for _, id := range ids {
				if int(id) >= len(c.world.components) {
					return wrong("a query has seen component %d", id)
				}
			}
		}
		for _, id := range from.Changed {
			k.changed = append(k.changed, ComponentID(id))
		}
		for _, id := range from.Added {
			k.added = append(k.added, ComponentID(id))
		}
		for j, h := range from.Entities {
			n := addition{Entity(h), from.Which[j]}
			if slot := h & (slots.MaxSlots - 1); n.which < 0 || n.which >= len(k.added) || slot >= uint64(len(c.records)) || slot == 0 {
				return wrong("what waits for a query is none of its components")
			}
			k.entries = append(k.entries, n)
		}
	}
	return nil
}

// systems takes the past of systems and observers.
func (c *composer) systems() error {
	for i := range c.state.Systems {
		from := &c.state.Systems[i]
		k := next(&c.image.systems)
		*k = systemImage{elapsed: float64(from.Elapsed), phase: float64(from.Phase), runs: from.Runs, skipped: from.Skipped, disabled: from.Disabled}
		if err := c.breaker(&k.breakerImage, &from.Breaker); err != nil {
			return err
		}
		if !(k.elapsed >= 0 && k.elapsed <= MaxTime && k.phase >= 0 && k.phase <= MaxTime) {
			return wrong("system %q has run %v seconds ago, and is %v into its interval", from.Name, k.elapsed, k.phase)
		}
	}
	for i := range c.state.Watchers {
		if err := c.breaker(next(&c.image.watchers), &c.state.Watchers[i]); err != nil {
			return err
		}
	}
	return nil
}

// finite reports whether a number is one.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// notices takes the changes that wait for their report.
func (c *composer) notices() error {
	n := &c.image.notices
	for i := range c.state.Notices {
		from := &c.state.Notices[i]
		on := Trigger(from.Trigger)
		if on == 0 || on&(on-1) != 0 || on > OnDespawn || int(from.Component) >= len(c.world.components) {
			return wrong("a change of kind %#x of component %d waits", from.Trigger, from.Component)
		}
		k := c.world.components[from.Component]
		q := queued{Notice: Notice{Trigger: on, Component: k.id, Entity: Entity(from.Entity)}, from: uint32(len(n.passed))}
		n.passed = append(n.passed, from.Passed...)
		q.to = uint32(len(n.passed))
		_, typed := k.pool.(heapStored)
		switch {
		case on != OnRemove && (from.Value != nil || from.Kept != nil):
			return wrong("a change that removes nothing has a removed value")
		case on == OnRemove && typed:
			if t := reflect.TypeOf(from.Kept); t == nil || t.Kind() != reflect.Pointer || t.Elem() != k.typ {
				return wrong("the removed value of component %q is missing", k.schema.Name)
			}
			q.kept = from.Kept
			for len(n.plans) <= i {
				n.plans = append(n.plans, capture.Cloning{})
			}
		case on == OnRemove:
			if from.Value != nil && uintptr(len(from.Value)) != k.size {
				return wrong("the removed value of component %q has %d bytes", k.schema.Name, len(from.Value))
			}
			if err := wellFormed(k.schema, from.Value, max(int(k.size), 1)); err != nil {
				return err
			}
			words := make([]uint64, k.size/8+1)
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), k.size), from.Value)
			q.at = uint32(len(n.data)) + 1
			n.data = append(n.data, words...)
		}
		n.queue = append(n.queue, q)
	}
	return nil
}

// clock takes the clock, and what is to die.
func (c *composer) clock() error {
	from, to := &c.state.Clock, &c.image.clock
	*to = clockImage{
		tick: from.Tick, time: float64(from.Time), owed: float64(from.Owed),
		before: from.Before, moves: from.Moves, allMoves: from.AllMoves, runs: from.Runs,
	}
	if !(to.time >= 0 && to.time <= MaxTime) || !finite(to.owed) || to.owed < 0 {
		return wrong("the clock shows %v seconds, and owes %v", to.time, to.owed)
	}
	c.image.random.Seed(c.state.Random)
	known := map[uint64]bool{}
	for _, h := range c.state.Deferred {
		if known[h] {
			return wrong("the entity %d is to die twice", h)
		}
		known[h] = true
		c.image.deferred = append(c.image.deferred, Entity(h))
	}
	return nil
}

// resources takes the values of resources.
func (c *composer) resources() error {
	for i := range c.state.Resources {
		from := &c.state.Resources[i]
		key := provided{typ: from.Type, name: from.Name}
		if key.name != "" {
			key.typ = nil
		}
		saved := reflect.ValueOf(from.Saved)
		if !saved.IsValid() || saved.Kind() != reflect.Pointer || saved.IsNil() || from.Type == nil || saved.Type().Elem() != from.Type {
			return wrong("resource %s has no value", key)
		}
		*next(&c.image.resources) = resourceImage{provided: key, saved: saved}
	}
	return nil
}
