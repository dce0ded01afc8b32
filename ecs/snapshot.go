package ecs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"
	"weak"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/internal/mask"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// image is a copy of what a world is: see package snapshot, whose table says of each part of a
// world what becomes of it. Its memory is blocks, which images share when what they hold has not
// changed, and slices, which are used again when the image is filled again.
//
// Versions in it are those of the world in which it stands: the one that it was taken from or,
// once it was restored there, that one as of then. So an image says cheaply which columns are still
// what they were: those of the same chunk and the same version.
//
// Invariants: chunks are in the order of archetypes and then pools, those in use before the spare
// ones; each has a column for its handles and one for each of its components with bytes; byUnit
// leads to the chunks.
type image struct {
	blocks *capture.Blocks
	home   weak.Pointer[World] // in which it stands
	source weak.Pointer[World] // from which it was taken, and which has numbered its changes; nil for one that was read
	stamp  uint64              // slots.Slots.Stamp up to which it knows the records
	era    uint64              // store.shapeEra
	tag    uint16
	seed   uint64

	arena      arena.Holdings
	slots      slots.Census
	pages      []*capture.Block // of records
	components []componentImage
	archetypes []archetypeImage
	tables     []tableImage
	chunks     []chunkImage
	columns    []columnImage
	byUnit     []int32 // 1 + index in chunks
	places     []placesImage
	arenaPools []archetypeImage // counts of chunks of arena pools, in order of World.pools
	heapPools  []heapImage
	relations  []relationImage

	looks     []lookImage
	streams   []streamImage
	systems   []systemImage
	watchers  []breakerImage
	notices   noticesImage
	clock     clockImage
	reported  reportedChanges
	deferred  []Entity
	resources []resourceImage
	random    Random

	brings typesBrought // of a save
}

// componentImage is what a component was: it must be that again.
type componentImage struct {
	schema *Schema
	typ    reflect.Type
	stored storageKind
	mark   bool   // of prefab entities
	group  uint32 // 1 + the component of the group's first pool, 0 for none
	inAll  int    // rows of the group
}

// storageKind says where values of a component lie.
type storageKind uint8

const (
	inChunks storageKind = iota
	inArenaPool
	inHeapPool
	inStorage
)

// storageOf returns where values of a component lie.
func storageOf(c *component) storageKind {
	switch p := c.pool.(type) {
	case nil:
		return inChunks
	case *arenaPool:
		return inArenaPool
	default:
		if _, own := p.(ranked); own {
			return inHeapPool
		}
		return inStorage
	}
}

// archetypeImage is a set of components, and how many chunks its entities have.
type archetypeImage struct {
	mask   mask.Mask
	used   int
	spare  int
	places int // of a pool: pages of places
}

// tableImage is a layout of an archetype.
type tableImage struct {
	archetype uint32
	class     int
	at        uint32 // of its offset table, in the arena
}

// chunkImage is a chunk; its columns begin at an index.
type chunkImage struct {
	unit, class, n int
	serial         uint64
	first          int
}

// columnImage is a column, or the handles of a chunk; block is nil when there are no bytes.
type columnImage struct {
	version uint64
	block   *capture.Block
}

// placesImage is a page of places of an arena pool.
type placesImage struct {
	unit  uint32
	block *capture.Block
}

// heapImage is a pool on Go's heap, or in a Storage.
type heapImage struct {
	version uint64
	values  heapValues
	staged  heapValues // that Restore is about to put in
	plan    capture.Cloning
}

// heapValues are the values of a pool that are copied by their Go type.
type heapValues interface {
	// hold adds an image that has them; drop ends that, and returns whether none has them now.
	hold()
	drop() bool
	bytes() int64
	// list returns the handles, and where as many values lie.
	list() (handles []Entity, data unsafe.Pointer)
}

// relationImage is what a relation has beside its links.
type relationImage struct {
	count  int
	policy Policy
}

// clockImage is the clock of a world.
type clockImage struct {
	tick          uint64
	time, owed    float64
	before, moves uint64
	allMoves      uint64 // World.moves
	runs          map[string]uint64
}

// resourceImage is a resource: where it is found, and a copy.
type resourceImage struct {
	provided
	saved  reflect.Value // a pointer of the resource's type
	staged reflect.Value
	plan   capture.Cloning
}

// next returns the element after the last one of a list, which it makes longer. The element is what
// it was when the list was last so long: what it holds can be used again.
func next[T any](list *[]T) *T {
	if n := len(*list); n < cap(*list) {
		*list = (*list)[:n+1]
	} else {
		*list = append(*list, *new(T))
	}
	return &(*list)[len(*list)-1]
}

// refuseSnapshot says why the world can neither be captured nor restored now, or returns nil.
func (w *World) refuseSnapshot() error {
	switch {
	case w.closed():
		return w.closedError()
	case w.clock.running.Load() || w.locks > 0 || w.frozen.on:
		return fmt.Errorf("%w: a snapshot needs a world at rest, between two ticks", ErrIterating)
	case w.migrations > 0:
		return fmt.Errorf("%w: a migration is prepared: commit or drop it first", ErrIterating)
	}
	return nil
}

// Capture copies the world for package [github.com/perigee-ecs/perigee/ecs/snapshot], which
// is how programs use it. Blocks of an image of before, of the same blocks, are shared where
// nothing has changed; an image in reuse, which was dropped, is filled again.
func (r Raw) Capture(blocks *capture.Blocks, plans capture.Clonings, before, reuse capture.Image) (capture.Image, error) {
	w := r.world
	if blocks == nil || plans == nil {
		return nil, fmt.Errorf("%w: a capture without memory, or without a way to clone values", ErrConflict)
	}
	if err := w.refuseSnapshot(); err != nil {
		return nil, err
	}
	if w.unfinished() {
		return nil, fmt.Errorf("%w: the last step was cut short: the next one ends what it has begun", ErrConflict)
	}
	if err := w.reserveArena(); err != nil {
		return nil, err
	}
	im, _ := reuse.(*image)
	if im == nil {
		im = &image{}
	}
	im.blocks = blocks
	old, _ := before.(*image)
	if old != nil && old.home.Value() != w {
		old = nil
	}
	if err := im.captureValues(w, plans, old); err != nil {
		im.Drop()
		return nil, err
	}
	im.captureMemory(w, old)
	im.captureGo(w)
	im.stand(w)
	return im, nil
}

// unfinished reports whether a step that was cut short has left something for the next one.
func (w *World) unfinished() bool {
	return len(w.notices.held) > 0 || slices.ContainsFunc(w.schedule.order, func(o *scheduled) bool { return o.missed })
}

// forgetUnfinished drops that.
func (w *World) forgetUnfinished() {
	clear(w.notices.held)
	w.notices.held = w.notices.held[:0]
	for _, o := range w.schedule.order {
		o.missed = false
	}
}

// stand makes the world the one in which the image stands, as it is now. What is written later has
// other versions.
func (im *image) stand(w *World) {
	if im.home.Value() != w {
		im.home = weak.Make(w)
	}
	im.stamp, im.era = w.slots.Stamp, w.shapeEra
	w.slots.Stamp++
	w.version++
}

// captureValues copies what may refuse to be copied: values with Go pointers, and resources.
func (im *image) captureValues(w *World, plans capture.Clonings, old *image) error {
	n := 0
	for _, p := range w.pools {
		typed, ok := p.(heapStored)
		if !ok {
			continue
		}
		var before *heapImage
		if old != nil && n < len(old.heapPools) {
			before = &old.heapPools[n]
		}
		n++
		if err := im.captureHeap(p, typed, plans, before); err != nil {
			return err
		}
	}
	for _, key := range w.resources.list {
		if err := im.captureResource(w, key, plans); err != nil {
			return err
		}
	}
	return im.notices.captureKept(w, plans)
}

// captureHeap copies a pool whose values are copied by type, or shares the copy of before.
func (im *image) captureHeap(p pool, typed heapStored, plans capture.Clonings, before *heapImage) error {
	c := p.of()
	plan, err := plans(c.typ)
	if err == nil && plan.Left {
		err = fmt.Errorf("%w: it can be left out of snapshots as a resource only", ErrConflict)
	}
	if err != nil {
		return fmt.Errorf("component %q: %w", c.schema.Name, err)
	}
	h := next(&im.heapPools)
	h.plan = plan
	if h.version = p.version(0); before != nil && before.version == h.version && before.values != nil && storageOf(c) == inHeapPool {
		h.values = before.values
		h.values.hold()
		return nil
	}
	values, err := typed.copyValues(h.staged, plan.Clone)
	h.staged = nil
	if err != nil {
		return fmt.Errorf("component %q: %w", c.schema.Name, err)
	}
	h.values = values
	return nil
}

// captureResource copies a resource.
func (im *image) captureResource(w *World, key provided, plans capture.Clonings) error {
	from := reflect.ValueOf(w.resources.find(key))
	typ := from.Type().Elem()
	plan, err := plans(typ)
	if err != nil {
		return fmt.Errorf("resource %s: %w", key, err)
	}
	if plan.Left {
		return nil
	}
	r := next(&im.resources)
	r.provided, r.plan = key, plan
	if !r.saved.IsValid() || r.saved.Type() != from.Type() {
		r.saved = reflect.New(typ)
	}
	if err := copyPlanned(r.saved, from, plan); err != nil {
		return fmt.Errorf("resource %s: %w", key, err)
	}
	return nil
}

// String names the resource in errors.
func (p provided) String() string {
	if p.typ != nil {
		return fmt.Sprintf("%q", p.typ.String())
	}
	return fmt.Sprintf("%q", p.name)
}

// copyPlanned copies what one pointer points to, to where another of the same type does.
func copyPlanned(to, from reflect.Value, plan capture.Cloning) error {
	if plan.Clone == nil {
		to.Elem().Set(from.Elem())
		return nil
	}
	_, err := protect(func() error {
		to.Elem().SetZero()
		plan.Clone(to.UnsafePointer(), from.UnsafePointer())
		return nil
	})
	return err
}

// captureMemory copies what lies in the arena, and the lists that lead to it.
func (im *image) captureMemory(w *World, old *image) {
	w.arena.Save(&im.arena)
	im.slots = w.slots.Census()
	im.captureRecords(w, old)
	if n := len(w.chunks); n > cap(im.byUnit) {
		im.byUnit = make([]int32, n+n/4)
	}
	im.byUnit = im.byUnit[:len(w.chunks)]
	clear(im.byUnit)
	for _, c := range w.components {
		im.captureComponent(w, c)
	}
	for _, a := range w.archetypes[limbo+1:] {
		*next(&im.archetypes) = archetypeImage{mask: a.mask, used: len(a.chunks), spare: len(a.spare)}
		im.captureChunks(a, old)
	}
	directory := w.arena.Directory()
	for i, l := range w.tables[limbo+1:] {
		*next(&im.tables) = tableImage{l.arch.id, l.class, directory[limbo+1+i]}
	}
	shared := 0
	for _, p := range w.pools {
		if p, ok := p.(*arenaPool); ok {
			*next(&im.arenaPools) = archetypeImage{used: len(p.rows.chunks), spare: len(p.rows.spare), places: len(p.sparse)}
			im.captureChunks(p.rows, old)
			shared = im.capturePlaces(p, old, shared)
		}
	}
	for _, r := range w.relations {
		*next(&im.relations) = relationImage{r.count, r.options.OnDespawn}
	}
}

// captureRecords copies the pages of records that were written since the image before.
func (im *image) captureRecords(w *World, old *image) {
	for page := range w.slots.Pages() {
		to, n := next(&im.pages), w.slots.PageBytes(page)
		if old != nil && page < len(old.pages) && w.slots.PageStamp(page) <= old.stamp && len(old.pages[page].Bytes) == n {
			*to = old.pages[page].Hold()
			continue
		}
		*to = im.blocks.Take(n)
		w.slots.Page(page, (*to).Bytes)
	}
}

// captureComponent notes what a component is.
func (im *image) captureComponent(w *World, c *component) {
	k := next(&im.components)
	*k = componentImage{schema: c.schema, typ: c.typ, stored: storageOf(c), mark: c == w.mark}
	if c.group != nil {
		k.group, k.inAll = 1+uint32(c.group.pools[0].of().id), c.group.n
	}
}

// captureChunks copies the chunks of an archetype.
func (im *image) captureChunks(a *archetype, old *image) {
	for _, c := range a.chunks {
		im.captureChunk(a, c, old)
	}
	for _, c := range a.spare {
		im.captureChunk(a, c, old)
	}
}

// captureChunk copies the columns of a chunk, or shares those of the image before that are still
// the same: of the same chunk, with rows that have not moved, and not written.
func (im *image) captureChunk(a *archetype, c *Chunk, old *image) {
	first := len(im.columns)
	*next(&im.chunks) = chunkImage{unit: int(c.unit), class: c.layout.class, n: c.n, serial: c.serial, first: first}
	im.byUnit[c.unit] = int32(len(im.chunks))
	was := old.columnsOf(c)
	for i, version := range c.versions {
		k := next(&im.columns)
		*k = columnImage{version: version}
		switch {
		case c.n == 0:
		case was != nil && was[i].version == version:
			k.block = was[i].block.Hold()
		default:
			bytes := columnBytes(a, c, i)
			k.block = im.blocks.Take(len(bytes))
			copy(k.block.Bytes, bytes)
		}
	}
}

// columnBytes returns the bytes of a column: 0 is that of the handles.
func columnBytes(a *archetype, c *Chunk, i int) []byte {
	if i == 0 {
		return unsafe.Slice((*byte)(c.base), c.n*int(unsafe.Sizeof(Entity(0))))
	}
	return unsafe.Slice((*byte)(c.cell(i-1, 0)), c.n*int(a.columns[i-1].size))
}

// columnsOf returns the columns that the image has of a chunk whose rows are still the same, or
// nil.
func (im *image) columnsOf(c *Chunk) []columnImage {
	if im == nil || int(c.unit) >= len(im.byUnit) || im.byUnit[c.unit] == 0 {
		return nil
	}
	k := &im.chunks[im.byUnit[c.unit]-1]
	if k.serial != c.serial || k.n != c.n || im.columns[k.first].version != c.versions[0] {
		return nil
	}
	return im.columns[k.first:][:len(c.versions)]
}

// capturePlaces copies the pages of places of a pool that were written since the image before, whose
// pages of this pool begin at an index. It returns where those of the next pool begin.
func (im *image) capturePlaces(p *arenaPool, old *image, shared int) int {
	for i, unit := range p.sparse {
		k := next(&im.places)
		*k = placesImage{unit: unit}
		switch {
		case unit == 0:
		case old != nil && shared+i < len(old.places) && p.stamps[i] <= old.stamp && old.places[shared+i].unit == unit:
			k.block = old.places[shared+i].block.Hold()
		default:
			k.block = im.blocks.Take(arena.Unit)
			copy(k.block.Bytes, p.store.unitBytes(unit))
		}
	}
	if old == nil || len(im.arenaPools) > len(old.arenaPools) {
		return math.MaxInt / 2
	}
	return shared + old.arenaPools[len(im.arenaPools)-1].places
}

// unitBytes returns the bytes of a unit of the arena.
func (s *store) unitBytes(unit uint32) []byte {
	return unsafe.Slice((*byte)(s.arena.At(unit*arena.Unit)), arena.Unit)
}

// captureGo copies what lies on Go's side.
func (im *image) captureGo(w *World) {
	im.tag, im.seed, im.random = w.options.Tag, w.options.Seed, w.random
	im.source, im.reported = weak.Make(w), w.reported
	c := &im.clock
	c.tick, c.time, c.owed = w.clock.tick, w.clock.time, w.clock.owed
	c.before, c.moves, c.allMoves = w.clock.before, w.clock.moves, w.moves
	if c.runs == nil && len(w.clock.runs) > 0 {
		c.runs = map[string]uint64{}
	}
	clear(c.runs)
	for name, n := range w.clock.runs {
		c.runs[name] = n
	}
	im.deferred = append(im.deferred[:0], w.deferred.list...)
	im.captureLooks(w)
	for _, t := range w.events.streams {
		next(&im.streams).capture(t)
	}
	for _, o := range w.schedule.order {
		next(&im.systems).capture(o)
	}
	for _, o := range w.notices.everyone.list {
		if !o.gone {
			next(&im.watchers).capture(o.Name, &o.health)
		}
	}
	im.notices.capture(&w.notices)
}

// Drop gives the blocks back and empties the lists, whose room stays.
func (im *image) Drop() {
	for _, k := range im.pages {
		im.blocks.Drop(k)
	}
	for _, c := range im.columns {
		if c.block != nil {
			im.blocks.Drop(c.block)
		}
	}
	for _, p := range im.places {
		if p.block != nil {
			im.blocks.Drop(p.block)
		}
	}
	for i := range im.heapPools {
		h := &im.heapPools[i]
		h.staged = nil
		if h.values != nil && h.values.drop() {
			h.staged = h.values // the memory is used again
		}
		h.values = nil
	}
	im.pages, im.columns, im.places = im.pages[:0], im.columns[:0], im.places[:0]
	im.components, im.archetypes, im.tables = im.components[:0], im.archetypes[:0], im.tables[:0]
	im.chunks, im.arenaPools, im.heapPools, im.relations = im.chunks[:0], im.arenaPools[:0], im.heapPools[:0], im.relations[:0]
	im.looks, im.streams, im.systems, im.watchers = im.looks[:0], im.streams[:0], im.systems[:0], im.watchers[:0]
	im.resources, im.home = im.resources[:0], weak.Pointer[World]{}
	im.source = weak.Pointer[World]{}
	im.notices.drop()
}

// Tick returns the number of the tick after which the image was made, and the time.
func (im *image) Tick() (uint64, float64) { return im.clock.tick, im.clock.time }

// Entities returns how many are alive.
func (im *image) Entities() int { return im.slots.Live }

// Tag returns the tag of the handles.
func (im *image) Tag() uint16 { return im.tag }

// Heap returns roughly how many bytes the image has beside its blocks.
func (im *image) Heap() (n int64) {
	n = int64(len(im.columns)*int(unsafe.Sizeof(columnImage{})) + len(im.chunks)*int(unsafe.Sizeof(chunkImage{})) + len(im.byUnit)*4)
	for i := range im.heapPools {
		if v := im.heapPools[i].values; v != nil {
			n += v.bytes()
		}
	}
	for i := range im.streams {
		n += int64(len(im.streams[i].data) * 8)
	}
	return n
}

// Restore makes the world what it was when an image was made of it, or of another one: see
// package [github.com/perigee-ecs/perigee/ecs/snapshot]. On an error nothing has changed.
func (r Raw) Restore(from capture.Image) error {
	w := r.world
	im, ok := from.(*image)
	if !ok || len(im.pages) == 0 {
		return fmt.Errorf("%w: an empty snapshot", ErrConflict)
	}
	if err := w.refuseSnapshot(); err != nil {
		return err
	}
	takeBack, err := im.brings.define(w)
	for _, step := range []func(*World) error{im.fits, im.stage, im.putValues} {
		if err == nil {
			err = step(w)
		}
	}
	if err != nil {
		takeBack()
		return err
	}
	im.restoreMemory(w)
	im.restoreGo(w)
	w.forgetUnfinished()
	w.restores++
	w.committed("restoring a snapshot", 0)
	return nil
}

// fits says why the world cannot become what the image is. It takes the arena's addresses, and
// changes nothing that anybody could see.
func (im *image) fits(w *World) error {
	if err := w.reserveArena(); err != nil {
		return err
	}
	switch {
	case im.tag != w.options.Tag:
		return fmt.Errorf("%w: the handles of the snapshot have the tag %d, those of this world %d: open the world with Options.Tag %d",
			ErrConflict, im.tag, w.options.Tag, im.tag)
	case !w.slots.Fits(im.slots):
		return fmt.Errorf("%w: the snapshot has handles of %d slots", ErrEntityLimit, im.slots.Used-1)
	}
	if err := w.arena.Prepare(&im.arena); errors.Is(err, ErrArenaFull) {
		return err
	} else if err != nil {
		return fmt.Errorf("%w: the snapshot does not fit: %w: open the world with the same Options.MaxBytes", ErrConflict, err)
	}
	return cmp.Or(im.fitComponents(w), im.fitRelations(w), im.fitEvents(w), im.fitResources(w))
}

// fitComponents compares the components that the image has with those of the world, by number.
func (im *image) fitComponents(w *World) error {
	for i := range im.components {
		k := &im.components[i]
		if i == len(w.components) && k.mark { // a world makes it when it is first needed
			if err := w.makeMark(); err != nil {
				return err
			}
		}
		if i >= len(w.components) {
			return fmt.Errorf("%w: component %q is in the snapshot, and not registered in this world", ErrUnknown, k.schema.Name)
		}
		c := w.components[i]
		switch {
		case c.schema.Name != k.schema.Name:
			return fmt.Errorf("%w: component %d is %q in the snapshot, and %q in this world: register components in the same order", ErrConflict, i, k.schema.Name, c.schema.Name)
		case c.schema != k.schema && !c.schema.Same(k.schema):
			return fmt.Errorf("%w: component %q has other fields in the snapshot: only now: %s; only then: %s: bring back the fields of then, or use a file of package save, which converts values", ErrConflict, c.schema.Name, fieldsBeside(c.schema, k.schema), fieldsBeside(k.schema, c.schema))
		case c.typ != k.typ && c.heap:
			return fmt.Errorf("%w: component %q is of type %s in the snapshot, and of %s in this world", ErrConflict, c.schema.Name, k.typ, c.typ)
		case storageOf(c) != k.stored || (c == w.mark) != k.mark:
			return fmt.Errorf("%w: component %q is kept in another way in the snapshot: see Sparse and Stored", ErrConflict, c.schema.Name)
		}
	}
	return nil
}

// fieldsBeside lists the fields of a schema that another one lacks, for an error.
func fieldsBeside(s, other *Schema) string {
	var list []string
	for i := range s.Fields {
		f := &s.Fields[i]
		alike := func(o Field) bool { return o.Name == f.Name && o.Kind == f.Kind && o.Len == f.Len }
		switch {
		case slices.ContainsFunc(other.Fields, alike):
		case len(list) == 8:
			return strings.Join(list, ", ") + " and others"
		case f.Len > 0:
			list = append(list, fmt.Sprintf("%s (%d of %v)", f.Name, f.Len, f.Kind))
		default:
			list = append(list, fmt.Sprintf("%s (%v)", f.Name, f.Kind))
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// fitRelations: relations are components, which are the same; so they stand at the same places.
func (im *image) fitRelations(w *World) error {
	if len(im.relations) > len(w.relations) {
		return fmt.Errorf("%w: the snapshot has %d relations, this world %d", ErrConflict, len(im.relations), len(w.relations))
	}
	return nil
}

// fitResources: what stands in the place of a resource is of its type.
func (im *image) fitResources(w *World) error {
	for i := range im.resources {
		r := &im.resources[i]
		if now := w.resources.find(r.provided); now != nil && reflect.TypeOf(now) != r.saved.Type() {
			return fmt.Errorf("%w: resource %s is of type %s in the snapshot, and of %T in this world", ErrConflict, r.provided, r.saved.Type(), now)
		}
	}
	return nil
}

// stage copies what is copied by type, for the world: the image keeps its own.
func (im *image) stage(w *World) error {
	n := 0
	for _, p := range w.pools {
		typed, ok := p.(heapStored)
		if !ok || n == len(im.heapPools) {
			continue
		}
		h := &im.heapPools[n]
		n++
		var err error
		if h.staged, err = typed.stageValues(h.values, h.plan.Clone); err != nil {
			return fmt.Errorf("component %q: %w", p.of().schema.Name, err)
		}
	}
	for i := range im.resources {
		r := &im.resources[i]
		r.staged = reflect.New(r.saved.Type().Elem())
		if err := copyPlanned(r.staged, r.saved, r.plan); err != nil {
			return fmt.Errorf("resource %s: %w", r.provided, err)
		}
	}
	return im.notices.stage()
}

// putValues gives the pools the values that were staged. A Storage may refuse them: then all get
// back what they had.
func (im *image) putValues(w *World) error {
	type saved struct {
		pool   heapStored
		values heapValues
	}
	var done []saved
	n := 0
	for _, p := range w.pools {
		typed, ok := p.(heapStored)
		if !ok {
			continue
		}
		before, err := typed.copyValues(nil, nil)
		if err == nil {
			done = append(done, saved{typed, before})
			if n < len(im.heapPools) {
				err = typed.putValues(im.heapPools[n].staged)
				im.heapPools[n].staged = nil
			} else {
				err = typed.putValues(nil) // registered later: nobody has it
			}
			n++
		}
		if err != nil {
			for _, s := range done {
				err = errors.Join(err, s.pool.putValues(s.values))
			}
			return fmt.Errorf("component %q: %w", p.of().schema.Name, err)
		}
	}
	return nil
}

// restoreMemory brings the arena back, and the lists that lead to it.
func (im *image) restoreMemory(w *World) {
	home := im.home.Value() == w
	im.restoreShapes(w)
	w.arena.Restore(&im.arena)
	im.restoreRecords(w, home)
	dates := im.renumber(w)
	for unit, c := range w.chunks {
		if c != nil && (unit >= len(im.byUnit) || im.byUnit[unit] == 0) {
			c.serial, c.n = 0, 0 // it is gone, and its memory may be anything from now on
		}
	}
	k := 0
	for i := range im.archetypes {
		a := &im.archetypes[i]
		k = im.restoreChunks(w, w.archetypes[limbo+1+i], a, k, home, &dates)
	}
	im.restorePools(w, k, home, &dates)
	for i, r := range w.relations {
		r.count = 0
		if i < len(im.relations) {
			r.count, r.options.OnDespawn = im.relations[i].count, im.relations[i].policy
		}
	}
	im.restoreLooks(w, &dates)
	w.version = dates.last()
	if home {
		im.stand(w)
	} else {
		w.slots.Stamp++
		w.version++
	}
	im.restoreGroups(w) // at last: to put rows in order writes to the world, which is no longer as the image then
}

// restoreRecords copies the pages of records back that were written since.
func (im *image) restoreRecords(w *World, home bool) {
	for page, k := range im.pages {
		if !home || w.slots.PageStamp(page) > im.stamp {
			w.slots.SetPage(page, int(im.slots.Used), k.Bytes)
		}
	}
	w.slots.SetCensus(im.slots)
	w.slots.Now = uint32(min(im.clock.tick, math.MaxUint32))
}

// restoreShapes makes archetypes and their tables those of the image: what is the same stays, what
// came later goes.
func (im *image) restoreShapes(w *World) {
	archetypes, tables := im.sameShapes(w)
	if limbo+1+archetypes < len(w.archetypes) || limbo+1+tables < len(w.tables) {
		w.forgetShapes(limbo+1+archetypes, limbo+1+tables)
	}
	for _, k := range im.archetypes[archetypes:] {
		a := w.describe(k.mask)
		a.id = uint32(len(w.archetypes))
		w.archetypes = append(w.archetypes, a)
		w.byMask[k.mask] = a
		if a.prefab {
			w.templates = append(w.templates, a)
		}
	}
	for _, k := range im.tables[tables:] {
		w.putTable(w.archetypes[k.archetype], k.at)
	}
	w.lastSpawn = lastSpawn{}
}

// sameShapes returns how many archetypes, and tables, the world and the image have in common, from
// the first one on.
func (im *image) sameShapes(w *World) (archetypes, tables int) {
	if im.home.Value() == w && im.era == w.shapeEra {
		return len(im.archetypes), len(im.tables) // the world has only got more since
	}
	for archetypes < len(im.archetypes) && limbo+1+archetypes < len(w.archetypes) &&
		w.archetypes[limbo+1+archetypes].mask == im.archetypes[archetypes].mask {
		archetypes++
	}
	directory := w.arena.Directory()
	for ; tables < len(im.tables) && limbo+1+tables < len(w.tables); tables++ {
		k, l := im.tables[tables], w.tables[limbo+1+tables]
		if l.arch.id != k.archetype || int(k.archetype) > archetypes || l.class != k.class || directory[limbo+1+tables] != k.at {
			break
		}
	}
	return archetypes, tables
}

// forgetShapes drops the archetypes and tables from some numbers on, and has everybody who
// remembers archetypes begin anew.
func (s *store) forgetShapes(archetypes, tables int) {
	s.shapeEra++
	for _, l := range s.tables[tables:] {
		l.arch.layouts = l.arch.layouts[:min(l.class, len(l.arch.layouts))]
	}
	directory := s.arena.Directory()
	clear(directory[tables:len(s.tables)])
	for _, c := range s.components {
		c.where = c.where[:min(tables, len(c.where))]
	}
	for _, a := range s.archetypes[archetypes:] {
		delete(s.byMask, a.mask)
		a.chunks, a.spare, a.count, a.units = nil, nil, 0, 0
	}
	clear(s.tables[tables:])
	clear(s.archetypes[archetypes:])
	s.tables, s.archetypes = s.tables[:tables], s.archetypes[:archetypes]
	for _, a := range s.archetypes {
		for i, e := range a.edges {
			if int(e.with) >= archetypes || int(e.without) >= archetypes {
				a.edges[i] = graphEdge{}
			}
		}
	}
	s.templates = slices.DeleteFunc(s.templates, func(a *archetype) bool { return int(a.id) >= archetypes })
}

// putTable makes an archetype's next layout, with a table at a place in the arena.
func (s *store) putTable(a *archetype, at uint32) {
	words := unsafe.Slice((*uint32)(s.arena.At(at)), a.width()+1)
	clear(words)
	words[0] = uint32(a.width())
	l := a.arrange(words[1:])
	l.table = uint32(len(s.tables))
	s.arena.Directory()[l.table] = at
	s.tables = append(s.tables, l)
	for _, id := range a.ids {
		s.components[id].place(l)
	}
}

// restoreChunks gives an archetype its chunks, from the k-th of the image on, and returns where
// those of the next one begin.
func (im *image) restoreChunks(w *World, a *archetype, from *archetypeImage, k int, home bool, dates *redating) int {
	a.count, a.units, a.due = 0, 0, 0
	a.chunks, a.spare = slices.Grow(a.chunks[:0], from.used), a.spare[:0]
	for i := range from.used + from.spare {
		c := im.restoreChunk(w, a, &im.chunks[k+i], home, dates)
		a.count += c.n
		a.units += c.layout.units
		if i < from.used {
			a.chunks = append(a.chunks, c)
		} else {
			a.spare = append(a.spare, c)
		}
	}
	return k + from.used + from.spare
}

// restoreChunk copies the columns of a chunk back that have changed since, and gives all of them a new
// version.
func (im *image) restoreChunk(w *World, a *archetype, k *chunkImage, home bool, dates *redating) *Chunk {
	c := w.chunkAt(uint32(k.unit))
	var same []columnImage
	if home && c.layout != nil && c.layout.arch == a {
		same = im.columnsOf(c)
	}
	versions := c.versions
	if cap(versions) < len(a.columns)+1 {
		versions = make([]uint64, len(a.columns)+1)
	}
	if same == nil {
		w.chunkSerial++
		*c = Chunk{layout: a.layouts[k.class], base: w.arena.At(uint32(k.unit) * arena.Unit), unit: uint32(k.unit), store: &w.store, n: k.n, serial: w.chunkSerial}
	}
	c.versions = versions[:len(a.columns)+1]
	columns := im.columns[k.first:][:len(c.versions)]
	for i := range columns {
		if k.n > 0 && (same == nil || columns[i].version != c.versions[i]) {
			copy(columnBytes(a, c, i), columns[i].block.Bytes)
		}
		c.versions[i] = dates.of(columns[i].version)
		if home {
			columns[i].version = c.versions[i]
		}
	}
	if home {
		k.serial = c.serial
	}
	return c
}

// restorePools gives the pools their rows, and dates.
func (im *image) restorePools(w *World, k int, home bool, dates *redating) int {
	arenas, heaps, at := 0, 0, 0
	for _, p := range w.pools {
		switch p := p.(type) {
		case *arenaPool:
			none := archetypeImage{}
			from := &none
			if arenas < len(im.arenaPools) {
				from = &im.arenaPools[arenas]
			}
			arenas++
			k = im.restoreChunks(w, p.rows, from, k, home, dates)
			im.restorePlaces(p, im.places[at:at+from.places], home)
			at += from.places
		default:
			date := dates.of(0)
			if heaps < len(im.heapPools) {
				date = dates.of(im.heapPools[heaps].version)
				if home {
					im.heapPools[heaps].version = date
				}
			}
			heaps++
			*p.dated(0) = date
		}
	}
	return k
}

// restorePlaces copies the pages of places back that were written since.
func (im *image) restorePlaces(p *arenaPool, from []placesImage, home bool) {
	for i, k := range from {
		same := home && i < len(p.sparse) && p.sparse[i] == k.unit && p.stamps[i] <= im.stamp
		if i == len(p.sparse) {
			p.sparse, p.stamps = append(p.sparse, 0), append(p.stamps, 0)
		}
		p.sparse[i] = k.unit
		if k.unit != 0 && !same {
			copy(p.store.unitBytes(k.unit), k.block.Bytes)
			p.stamps[i] = p.store.slots.Stamp
		}
	}
	p.sparse, p.stamps = p.sparse[:len(from)], p.stamps[:len(from)]
}

// restoreGroups counts the rows of groups. One that was made since, or that is another one in
// the image, is put in order anew.
func (im *image) restoreGroups(w *World) {
	for _, c := range w.components {
		g := c.group
		if g == nil || g.pools[0].of() != c {
			continue
		}
		g.n = 0
		if im.hasGroup(g) {
			g.n = im.components[c.id].inAll
			continue
		}
		g.found()
	}
}

// hasGroup reports whether the image has a group of the same pools.
func (im *image) hasGroup(g *group) bool {
	lead, members := 1+uint32(g.pools[0].of().id), 0
	for i := range im.components {
		if im.components[i].group == lead {
			members++
		}
	}
	for _, p := range g.pools {
		if id := int(p.of().id); id >= len(im.components) || im.components[id].group != lead {
			return false
		}
	}
	return members == len(g.pools)
}

// restoreGo brings back what lies on Go's side.
func (im *image) restoreGo(w *World) {
	w.options.Seed, w.random = im.seed, im.random
	if w.reported.last, w.reported.unknown = im.reported.last, im.reported.unknown; im.source.Value() != w {
		w.reported.last, w.reported.unknown = w.reported.made, true
	}
	c := &im.clock
	w.clock.tick, w.clock.time, w.clock.owed = c.tick, c.time, c.owed
	w.clock.before, w.clock.moves, w.moves = c.before, c.moves, c.allMoves
	clear(w.clock.runs)
	for name, n := range c.runs {
		if w.clock.runs == nil {
			w.clock.runs = map[string]uint64{}
		}
		w.clock.runs[name] = n
	}
	w.deferred.list = w.deferred.list[:0]
	clear(w.deferred.known)
	for _, e := range im.deferred {
		w.deferred.add(e)
	}
	im.restoreResources(w)
	im.restoreEvents(w)
	im.restoreSystems(w)
	im.notices.restore(w)
	im.restoreWatchers(w)
	for _, t := range w.trackers {
		t.matched, t.seen = nil, 0 // archetypes may have gone
		t.restart(&w.store)
	}
	w.invariants.restored(w)
	w.debug = debugState{}
}

// restoreResources writes the values to where the program has them. Those that are not there any
// more are provided anew.
func (im *image) restoreResources(w *World) {
	for i := range im.resources {
		r := &im.resources[i]
		now := reflect.ValueOf(w.resources.find(r.provided))
		switch {
		case now.IsValid():
			now.Elem().Set(r.staged.Elem())
		case r.typ != nil:
			w.resources.put(r.typ, r.staged.Interface())
		default:
			w.resources.putNamed(r.name, r.staged.Interface())
		}
		r.staged = reflect.Value{}
	}
}
