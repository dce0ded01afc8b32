package ecs

import (
	"fmt"
	"iter"
	"runtime"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/mask"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
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
	dataPools  []pool // pools without those of relations
	version    uint64 // counts system runs, from 1; columns are stamped with it

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
	s.slots.Now = now
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

// closed reports whether Close was called.
func (s *store) closed() bool { return s.arena.Size() == 0 }

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
