package ecs

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/mask"
	"github.com/perigee-ecs/perigee/ecs/internal/shadow"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
	"unsafe"
)

// store is the lower half of a world: the memory, and where each entity and each
// component is in it. Chunks, archetypes and pools know their store; they know nothing
// of queries, systems and observers, which belong to the World around it.
//
// Invariants: components, archetypes and tables stand at their numbers; chunks at their
// first arena units; byMask leads to every archetype. [limbo] and the empty archetype
// are always there.
type store struct {
	arena      *arena.Arena
	slots      *slots.Slots // the records of entities; none before the arena is reserved
	slotLimits slotLimits
	components []*component
	archetypes []*archetype // [limbo] has no rows
	tables     []*layout    // by the number in entity records
	byMask     map[mask.Mask]*archetype
	chunks     []*Chunk // nil where no chunk begins
	pools      []pool
	dataPools  []pool     // pools without those of relations
	trackers   []*tracker // of the components that are Tracked
	version    uint64     // counts system runs, from 1; columns are stamped with it

	chunkSerial uint64 // of the newest chunk
	shapeEra    uint64 // how often archetypes, or tables, have gone: who remembers some begins anew
	widest      int    // no row of any archetype has counted for more bytes, see archetype.moved

	removals   mask.Mask // the components whose removal somebody observes
	removalEra uint64    // how often removals has changed

	mark      *component   // of prefab entities; nil until there is one
	templates []*archetype // those that have the mark

	debug   debugState
	cleanup runtime.Cleanup
}

// slotLimits are the options of a world that concern its handles.
type slotLimits struct {
	entities   int // alive at once; 0: as many as the arena has records for
	reuseAfter int // slots that wait before the oldest is issued again
	tag        uint16
}

// makeStore returns the store of an empty world. It has no memory before the first call
// of reserveArena.
func makeStore(bytes int64, limits slotLimits) store {
	nowhere, empty := &archetype{id: limbo}, &archetype{id: limbo + 1}
	return store{
		arena: arena.New(bytes), slots: &slots.Slots{}, slotLimits: limits, byMask: map[mask.Mask]*archetype{},
		archetypes: []*archetype{nowhere, empty}, tables: []*layout{{arch: nowhere}}, version: 1,
	}
}

// reserveArena takes the arena's addresses and everything that lies in its fixed
// parts; a second call does nothing. The error wraps ErrArenaFull or ErrClosed.
//
// Why not in Open? Taking 4 GiB of addresses, touching their first pages and
// giving them back costs twenty times what the rest of a world does, and tests
// and tools open many that stay empty.
func (s *store) reserveArena() error {
	if s.arena.Base() != nil {
		return nil
	}
	if s.closed() {
		return ErrClosed
	}
	if err := s.arena.Reserve(); err != nil {
		return err
	}
	records, n := s.arena.Records()
	now := s.slots.Now
	s.slots = slots.New(records, n, s.slotLimits.entities, s.slotLimits.reuseAfter, s.slotLimits.tag)
	s.slots.Now, s.slots.Stamp = now, 1
	s.cleanup = runtime.AddCleanup(s, (*arena.Arena).Drop, s.arena)
	s.locate()
	s.byMask[mask.Mask{}] = s.empty()
	return s.addTable(s.empty())
}

// locate gives every component the places where records and values lie from now on.
func (s *store) locate() {
	for _, c := range s.components {
		c.records, c.base = s.slots.Records(), s.arena.Base()
	}
}

// issue reserves a handle that has no place yet.
func (s *store) issue() (Entity, error) {
	if s.slots == nil {
		return 0, s.closedError()
	}
	h, ok := s.slots.Issue()
	if !ok {
		return s.issueFirst()
	}
	return Entity(h), nil
}

// issueFirst issues a handle when there was no slot: in a world that has no
// arena yet, the first; in any other the world is full.
func (s *store) issueFirst() (Entity, error) {
	if err := s.reserveArena(); err != nil {
		return 0, err
	}
	h, ok := s.slots.Issue()
	if !ok {
		return 0, s.entityLimitError("")
	}
	return Entity(h), nil
}

// entityLimitError is the error when there is no room for entities; more says for how many.
func (s *store) entityLimitError(more string) error {
	return fmt.Errorf("%w: %d are alive%s", ErrEntityLimit, s.slots.Live(), more)
}

// closed reports whether Close was called. The zero World, which has no arena, counts as closed.
func (s *store) closed() bool { return s.arena == nil || s.arena.Size() == 0 }

// errZeroWorld is the error of a World that nobody has opened.
var errZeroWorld = fmt.Errorf("%w: it is a zero World, not made by NewWorld or Open", ErrClosed)

// closedError is the error of a store that is closed: it says whether it was ever open.
func (s *store) closedError() error {
	if s.arena == nil {
		return errZeroWorld
	}
	return ErrClosed
}

// empty is the archetype of entities without chunk components.
func (s *store) empty() *archetype { return s.archetypes[limbo+1] }

// chunkAt returns the Go side of the chunk that begins at a unit.
func (s *store) chunkAt(unit uint32) *Chunk {
	for int(unit) >= len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	if s.chunks[unit] == nil {
		s.chunks[unit] = &Chunk{}
	}
	return s.chunks[unit]
}

// find returns where a living, placed entity is; nil chunk otherwise.
func (s *store) find(e Entity) (*archetype, *slots.Record) {
	r := s.slots.Record(uint64(e))
	if r == nil {
		return nil, nil
	}
	return s.tables[r.Table].arch, r
}

// placed reports whether e is alive and not merely reserved by commands.
func (s *store) placed(e Entity) bool {
	r := s.slots.Record(uint64(e))
	return r != nil && r.Table != limbo
}

// alive reports whether e was issued by this world and has not died since.
func (s *store) alive(e Entity) bool { return s.slots.Alive(uint64(e)) }

// close forgets all entities and gives the memory back; component types stay.
func (s *store) close() error {
	s.cleanup.Stop()
	for _, a := range s.archetypes {
		a.chunks, a.spare, a.count = nil, nil, 0 // queries remember archetypes
	}
	for _, p := range s.pools {
		p.discard()
	}
	for _, t := range s.trackers {
		t.stop()
	}
	*s.slots = slots.Slots{}
	s.locate()
	s.empty().edges = nil
	clear(s.byMask)
	s.archetypes, s.tables, s.templates = s.archetypes[:limbo+2], s.tables[:limbo+1], nil
	s.chunks, s.pools, s.dataPools = nil, nil, nil
	s.debug = debugState{} // the rows that it watches are gone
	return s.arena.Close()
}

// entities is World.Entities.
func (s *store) entities() iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		for h := s.slots.Next(0); h != 0; h = s.slots.Next(h) {
			if !yield(Entity(h)) {
				return
			}
		}
	}
}

// isPrefab is Raw.IsPrefab.
func (s *store) isPrefab(e Entity) bool {
	a, r := s.find(e)
	return r != nil && a.prefab
}

// A shadow cuts handles as the slots do, or this does not compile.
const _ = -uint(slots.IndexBits ^ shadow.SlotBits)

// tracker compares the values of a tracked component with those of before.
//
// Invariant: in a chunk that was not stamped since the comparison, each row is as its shadow;
// the shadow has no other rows than those of entities that had a value then.
type tracker struct {
	comp     *component
	shadow   *shadow.Shadow
	matched  []*archetype // that have the component in chunks
	seen     int          // archetypes already examined
	compared uint64       // the version of the last comparison
}

// track begins the tracking of a component; a second call does nothing.
func (s *store) track(c *component) {
	if c.tracker == nil {
		c.tracker = &tracker{comp: c}
		c.tracker.restart(s)
		s.trackers = append(s.trackers, c.tracker)
	}
}

// restart forgets all rows: whoever asks with a version of before gets everything.
func (t *tracker) restart(s *store) {
	s.version++
	t.shadow = shadow.New(t.comp.size, t.comp.meaning(), s.version)
	t.compared = 0
}

// meaning returns which bytes of a value are not padding, in order.
func (c *component) meaning() []shadow.Piece {
	if c.typ != nil {
		return appendMeaning(nil, c.typ, 0)
	}
	return appendFields(nil, c.schema.Fields, 0)
}

// appendMeaning appends the bytes of a value of a type that lies at a place.
func appendMeaning(pieces []shadow.Piece, t reflect.Type, at uintptr) []shadow.Piece {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			pieces = appendMeaning(pieces, t.Field(i).Type, at+t.Field(i).Offset)
		}
		return pieces
	case reflect.Array:
		for i := range t.Len() {
			pieces = appendMeaning(pieces, t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
		return pieces
	}
	return appendPiece(pieces, at, t.Size())
}

// appendFields is appendMeaning for fields of a type that is defined at run time.
func appendFields(pieces []shadow.Piece, fields []Field, at uintptr) []shadow.Piece {
	for i := range fields {
		f := &fields[i]
		for j := range max(f.Len, 1) {
			from := at + f.Offset + uintptr(j)*f.Stride
			if f.Kind == Struct {
				pieces = appendFields(pieces, f.Fields, from)
			} else {
				pieces = appendPiece(pieces, from, f.Kind.Size())
			}
		}
	}
	return pieces
}

// appendPiece appends n bytes, to the last piece if they follow it.
func appendPiece(pieces []shadow.Piece, at, n uintptr) []shadow.Piece {
	if end := len(pieces) - 1; end >= 0 && pieces[end].To == at {
		pieces[end].To += n
		return pieces
	}
	return append(pieces, shadow.Piece{From: at, To: at + n})
}

// compareTracked compares the values of all tracked components, and returns the version of
// the comparison: what is written later counts as later.
func (s *store) compareTracked() uint64 {
	for _, t := range s.trackers {
		t.compare(s)
	}
	s.version++
	return s.version - 1
}

// compare shows the shadow what was written, and what is gone.
//
// Why are the rows counted? Rows that have come are found by the stamps of their chunks. For
// those that have gone, all rows of the shadow must be looked up. When as many are there as
// there should be, none has gone without another in its slot.
func (t *tracker) compare(s *store) {
	rows := 0
	if p, ok := t.comp.pool.(*arenaPool); ok {
		rows = t.comparePool(s, p)
	}
	for _, a := range t.archetypes(s) {
		rows += a.count
		for _, c := range a.chunks {
			if c.n > 0 && c.Version(t.comp.id) > t.compared {
				t.shadow.Rows(c.handles(0, c.n), c.column(t.comp.id), s.version)
			}
		}
	}
	t.compared = s.version
	if t.shadow.Len() != rows {
		t.shadow.Prune(s.version, func(h uint64) bool { return t.shows(s, Entity(h)) })
	}
}

// follow is compare for the rows of one chunk, page or span, whose values begin at an address; followed
// ends it, when all were shown that were stamped up to a version. Until then they have the date
// of the last comparison. followed returns at how many rows it had to look.
func (t *tracker) follow(c *Chunk, values unsafe.Pointer) {
	t.shadow.Rows(c.handles(c.first, c.n), values, t.compared)
}

func (t *tracker) followed(s *store, upTo uint64) (seen int64) {
	t.compared = max(t.compared, upTo)
	rows := 0
	if p := t.comp.pool; p != nil {
		rows = p.len()
		for _, a := range s.templates {
			for _, c := range a.chunks {
				for _, e := range c.Entities() {
					if p.find(e) != nil {
						rows--
					}
				}
			}
		}
	}
	for _, a := range t.archetypes(s) {
		rows += a.count
	}
	if n := t.shadow.Len(); n != rows {
		t.shadow.Prune(t.compared, func(h uint64) bool { return t.shows(s, Entity(h)) })
		seen = int64(n)
	}
	return seen
}

// comparePool is compare for the rows of a pool; it returns how many are not of prefabs.
func (t *tracker) comparePool(s *store, p *arenaPool) int {
	rows := p.len()
	for _, a := range s.templates {
		for _, c := range a.chunks {
			for _, e := range c.Entities() {
				if p.find(e) != nil {
					rows--
				}
			}
		}
	}
	for _, c := range p.rows.chunks {
		switch {
		case c.n == 0 || c.Version(t.comp.id) <= t.compared:
		case rows == p.len():
			t.shadow.Rows(c.handles(0, c.n), c.column(t.comp.id), s.version)
		default:
			for i, e := range c.Entities() {
				if !s.isPrefab(e) {
					t.shadow.Rows(c.handles(i, 1), c.at(t.comp.id, i), s.version)
				}
			}
		}
	}
	return rows
}

// archetypes returns those that have the component in chunks, without those of prefabs.
func (t *tracker) archetypes(s *store) []*archetype {
	for ; t.seen < len(s.archetypes); t.seen++ {
		if a := s.archetypes[t.seen]; a.has(t.comp.id) && !a.prefab {
			t.matched = append(t.matched, a)
		}
	}
	return t.matched
}

// shows reports whether a living entity has the component and is no prefab.
func (t *tracker) shows(s *store, e Entity) bool {
	return t.comp.find(e) != nil && (s.mark == nil || !s.isPrefab(e))
}

// stop forgets everything when the world closes.
func (t *tracker) stop() {
	t.shadow, t.matched, t.seen = shadow.New(t.comp.size, nil, 0), nil, 0
}

// trackedBytes returns how much memory the tracking takes.
func (c *component) trackedBytes() int {
	if c.tracker == nil {
		return 0
	}
	return c.tracker.shadow.Bytes()
}

// check: the shadow is whole, and agrees with what was not written since.
func (t *tracker) check(s *store) error {
	errs := []error{t.shadow.Check(t.compared)}
	lists := [][]*Chunk{}
	for _, a := range t.archetypes(s) {
		lists = append(lists, a.chunks)
	}
	if p, ok := t.comp.pool.(*arenaPool); ok {
		lists = append(lists, p.rows.chunks)
	}
	for _, c := range slices.Concat(lists...) {
		if c.n > 0 && c.Version(t.comp.id) <= t.compared {
			errs = append(errs, t.checkChunk(s, c))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("the changes of component %q: %w", t.comp.schema.Name, err)
	}
	return nil
}

func (t *tracker) checkChunk(s *store, c *Chunk) error {
	for i, e := range c.Entities() {
		if s.isPrefab(e) {
			continue
		}
		if err := t.shadow.CheckRow(uint64(e), c.at(t.comp.id, i)); err != nil {
			return err
		}
	}
	return nil
}
