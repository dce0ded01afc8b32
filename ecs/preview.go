package ecs

import (
	"fmt"
	"iter"
	"unsafe"
)

// Preview is the world as it will be when the commands recorded so far have been
// applied: what one system has done already, while no other system sees it. It has the
// questions of the world: for entities that the commands concern it has values of its
// own, for all others it asks the world.
//
// The world itself is not touched. What a Preview says is what Apply makes, as long
// as the world stays as it is until then: it knows the rules of components and
// relations, who dies with whom, and which commands are refused. It does not know
// what functions given to Do will change, nor that the world may run out of room.
//
// It follows the record: commands that are taken back by Rewind, dropped or applied
// are no longer in it. Places that it returned are good until then, or until the
// next command for the same component of the same entity.
//
// Why from the commands and not by changing the world at once, with notes for
// taking that back? A run that is under way iterates columns that would move, other
// systems would have to be kept from seeing it, and hooks and observers have their
// time when commands are applied.
//
// Invariants: an entry for each slot that places leads to, and of a living entity
// or one that the commands have ended; the parts of an entry chain by next, one for
// each component, and are right for the first seen commands.
type Preview struct {
	commands *Commands
	seen     int      // commands that are in it
	epoch    int      // counts how often it was emptied
	places   []uint32 // by slot: 1 + the index in entries
	entries  []previewEntity
	parts    []previewValue
	kept     []any      // values with Go pointers
	values   valuePages // all others

	list   []Entity // to work with, as those that follow
	doomed map[Entity]bool
	given  []newValue
}

// previewEntity is what becomes of one entity.
type previewEntity struct {
	entity Entity
	born   bool // by a command: the world has nothing of it
	dead   bool
	first  int32 // of parts; -1: none
}

// previewValue is what becomes of one component of an entity: the value it will have, or
// that it will have none.
type previewValue struct {
	id    ComponentID
	next  int32
	has   bool
	value unsafe.Pointer
}

// Preview returns the preview of the commands. It is brought up to date here:
// O(commands recorded since the last call), and nothing while there are none.
//
// It panics for commands of no world: zero ones, and those of a job that has ended.
func (c *Commands) Preview() *Preview {
	if c.world == nil {
		panic(fmt.Errorf("ecs: Commands.Preview: %w", errNoWorld))
	}
	p := c.preview
	if p == nil {
		p = &Preview{commands: c}
		c.preview = p
	}
	for p.seen < len(c.ops) {
		p.seen++
		p.apply(c.ops[p.seen-1])
	}
	return p
}

// forget empties it, but for the room of a usual tick.
func (p *Preview) forget() {
	if p == nil || p.seen == 0 {
		return
	}
	for i := range p.entries {
		p.places[p.entries[i].entity.Index()] = 0
	}
	clear(p.kept)
	clear(p.parts) // they point to values
	p.epoch++
	p.seen, p.entries, p.parts, p.kept = 0, p.entries[:0], p.parts[:0], p.kept[:0]
	p.values.forget()
}

// entry returns what the commands make of an entity, or nil if they leave it alone.
func (p *Preview) entry(e Entity) *previewEntity {
	if i := int(e.Index()); i < len(p.places) && p.places[i] > 0 {
		if f := &p.entries[p.places[i]-1]; f.entity == e {
			return f
		}
	}
	return nil
}

// Concerns reports whether the commands do anything to an entity, as one of those
// that they name or together with one. O(1).
func (p *Preview) Concerns(e Entity) bool { return p.entry(e) != nil }

// Concerned iterates the entities that the commands concern, in the order in which
// they came to do so, those included that they end.
func (p *Preview) Concerned() iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		for i := range p.entries {
			if !yield(p.entries[i].entity) {
				return
			}
		}
	}
}

// Len returns how many entities the commands concern, and At the i-th of them. What
// was forgotten and recorded anew may make others of them: then Epoch is another.
func (p *Preview) Len() int { return len(p.entries) }

// At returns the i-th entity that the commands concern, from 0. As for the index of a slice, a number out of range panics.
func (p *Preview) At(i int) Entity { return p.entries[i].entity }

// Epoch counts how often commands were taken back, dropped or applied.
func (p *Preview) Epoch() int { return p.epoch }

// Alive reports whether an entity will be alive.
func (p *Preview) Alive(e Entity) bool {
	if f := p.entry(e); f != nil {
		return !f.dead
	}
	return p.commands.world.Alive(e)
}

// Has reports whether an entity will be alive and have a component.
func (p *Preview) Has(e Entity, id ComponentID) bool { return p.Pointer(e, id) != nil }

// Pointer returns the place of the value that an entity's component will have, for
// reading; nil if it will be dead or lack the component. It is the place in the
// world where the commands leave the component alone: see Own.
func (p *Preview) Pointer(e Entity, id ComponentID) unsafe.Pointer {
	value, _ := p.look(e, id)
	return value
}

// Own is Pointer where the commands concern this component of the entity, or make
// or end the entity itself; with ok false they leave the component as it is.
func (p *Preview) Own(e Entity, id ComponentID) (value unsafe.Pointer, ok bool) {
	if p.entry(e) == nil {
		return nil, false
	}
	return p.look(e, id)
}

// look returns the value that a component will have, and whether the commands concern it.
func (p *Preview) look(e Entity, id ComponentID) (value unsafe.Pointer, own bool) {
	f := p.entry(e)
	switch {
	case f == nil:
	case f.dead:
		return nil, true
	default:
		if at := p.part(f, id); at != nil {
			if !at.has {
				return nil, true
			}
			return at.value, true
		}
		if f.born {
			return nil, true
		}
	}
	return p.commands.world.pointer(e, id), false
}

// part returns what the commands make of a component, or nil if they leave it alone.
func (p *Preview) part(f *previewEntity, id ComponentID) *previewValue {
	for i := f.first; i >= 0; i = p.parts[i].next {
		if p.parts[i].id == id {
			return &p.parts[i]
		}
	}
	return nil
}

// Target returns the target that an entity will have in a relation, or 0; so it does for a
// relation of another world, in which no entity of this one has a link.
func (p *Preview) Target(r *Relation, source Entity) Entity {
	if l := p.links(r, source); l != nil {
		return l.Target
	}
	return 0
}

// Count returns how many sources an entity will have in a relation, in O(1).
func (p *Preview) Count(r *Relation, target Entity) int {
	if l := p.links(r, target); l != nil {
		return int(l.Count)
	}
	return 0
}

// Parent returns the parent that an entity will have, or 0.
func (p *Preview) Parent(e Entity) Entity { return p.Target(p.commands.world.ChildOf(), e) }

// Sources iterates the sources that an entity will have in a relation, in their
// order. The loop body must record nothing.
func (p *Preview) Sources(r *Relation, target Entity) iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		if l := p.links(r, target); l != nil {
			for e := l.First; e != 0 && yield(e); {
				e = p.links(r, e).Next
			}
		}
	}
}

// Children iterates the children that an entity will have; see Sources.
func (p *Preview) Children(e Entity) iter.Seq[Entity] {
	return p.Sources(p.commands.world.ChildOf(), e)
}

// links are those that an entity will have in a relation, or nil. In a relation of another
// world, whose number is that of another component here, there are none.
func (p *Preview) links(r *Relation, e Entity) *links {
	if r == nil || r.world != p.commands.world {
		return nil
	}
	return (*links)(p.Pointer(e, r.id))
}

// placed reports whether an entity will be alive and have a place.
func (p *Preview) placed(e Entity) bool {
	if f := p.entry(e); f != nil {
		return !f.dead
	}
	return p.commands.world.placed(e)
}

// valuePages are room for values, which do not move.
type valuePages struct {
	list     [][]uint64
	at, used int // the page that is being filled, and how far
}

// pageWords is how many words a page has; a value that is larger has one of its own.
const pageWords = 1024

// make returns room for a value of so many bytes, which are not 0.
func (s *valuePages) make(size uintptr) unsafe.Pointer {
	n := max(int(size+7)/8, 1)
	if n > pageWords {
		return unsafe.Pointer(unsafe.SliceData(make([]uint64, n)))
	}
	if s.used+n > pageWords {
		s.at, s.used = s.at+1, 0
	}
	if s.at == len(s.list) {
		s.list = append(s.list, make([]uint64, pageWords))
	}
	s.used += n
	return unsafe.Pointer(&s.list[s.at][s.used-n])
}

// keptPages is how many pages stay for the next values: 2 MiB. A tick that needed more
// was one of many.
const keptPages = 256

// forget empties the pages and keeps some of them.
func (s *valuePages) forget() {
	if s.at, s.used = 0, 0; len(s.list) > keptPages {
		s.list = append(make([][]uint64, 0, keptPages), s.list[:keptPages]...)
	}
}
