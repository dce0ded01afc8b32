package ecs

import (
	"math/bits"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// census counts the sets of components that commands will bring about: those that no
// entity has had yet. Each of them costs the world an archetype for good, so a host
// may want to refuse the commands before.
//
// Why not from the Preview? It keeps values, and what dies with whom; a census is
// about sets only, and is asked when there are thousands of commands.
//
// Invariant: of has the set that the first seen commands give an entity, fresh those of
// these that the world does not have. After a Rewind they may have more, until both
// are made anew: stale says so.
type census struct {
	seen  int // commands that are in of and fresh
	of    map[Entity]mask.Mask
	fresh map[mask.Mask]struct{}
	stale bool

	named int       // commands whose components are in ids
	ids   mask.Mask // all that commands give or take
}

// Sets returns how many sets of components exist in the world, that of no components
// included. They stay as long as the world.
func (w *World) Sets() int { return len(w.archetypes) - 1 }

// NewSets returns how many sets of components the commands will bring about that the
// world does not have yet. It looks at the commands only as far as it must to know
// whether there are more than enough: at most enough comes back when there may be
// fewer. What functions given to Do will change is not known. O(commands recorded
// since the last call), and nothing as long as there are no more commands than enough.
func (c *Commands) NewSets(enough int) int {
	if len(c.ops) <= enough {
		return min(len(c.ops), enough)
	}
	c.openCensus()
	s := c.census
	if c.fewSets(enough, nil) {
		return enough
	}
	c.count()
	if s.stale && len(s.fresh) > enough {
		s.forget()
		c.count()
	}
	return len(s.fresh)
}

// FewSets reports whether no more sets of components than enough can come of the
// commands, and of others, however many, that name no components but theirs and these.
func (c *Commands) FewSets(enough int, more []ComponentID) bool {
	c.openCensus()
	return c.fewSets(enough, more)
}

func (c *Commands) openCensus() {
	if c.census == nil {
		c.census = &census{of: map[Entity]mask.Mask{}, fresh: map[mask.Mask]struct{}{}}
	}
}

// fewSets reports whether the commands name so few components that no more sets than enough
// can come of them: each one that there is, with or without each of these.
func (c *Commands) fewSets(enough int, more []ComponentID) bool {
	s := c.census
	for ; s.named < len(c.ops); s.named++ {
		o := &c.ops[s.named]
		switch o.kind {
		case opSpawn, opCopy, opAdd, opExchange, opMerge:
			n := o.n
			if o.kind == opMerge {
				n = 1
			}
			for _, v := range c.values[o.at : o.at+n] {
				c.name(&s.ids, v.of)
			}
			if o.kind == opExchange {
				for _, id := range unsafe.Slice((*ComponentID)(c.dataAt(o.id)), o.offset) {
					c.nameID(&s.ids, id)
				}
			}
			if o.kind == opCopy {
				c.name(&s.ids, c.world.mark)
			}
		case opRemove, opPatch, opBlend:
			c.nameID(&s.ids, ComponentID(o.id))
		}
	}
	all, n := s.ids, 0
	for _, id := range more {
		c.nameID(&all, id)
	}
	for _, word := range all {
		n += bits.OnesCount64(word)
	}
	return n < 32 && len(c.world.archetypes)<<n <= enough
}

func (c *Commands) nameID(m *mask.Mask, id ComponentID) {
	if int(id) < len(c.world.components) {
		c.name(m, c.world.components[id])
	}
}

// name puts a component into a set, with all that it requires.
func (c *Commands) name(m *mask.Mask, of *component) {
	if of == nil || of.world != c.world || m.Has(uint32(of.id)) {
		return
	}
	if of.pool == nil {
		m.Set(uint32(of.id))
	}
	for _, need := range of.rules.requires {
		c.name(m, need)
	}
}

// count takes the commands into the census that are not in it.
func (c *Commands) count() {
	for s := c.census; s.seen < len(c.ops); s.seen++ {
		c.enlist(&c.ops[s.seen])
	}
}

// enlist does with the set of an entity what apply does with the entity.
func (c *Commands) enlist(o *op) {
	w, n, m := c.world, o.n, mask.Mask{}
	switch o.kind {
	case opSpawn:
	case opCopy:
		if m = c.setOf(o.other); w.mark != nil {
			m.Clear(uint32(w.mark.id))
		}
	case opAdd, opExchange, opRemove, opPatch, opBlend, opMerge:
		m = c.setOf(o.entity)
	default:
		return
	}
	switch o.kind {
	case opRemove:
		if int(o.id) < len(w.components) {
			m.Clear(o.id)
		}
		n = 0
	case opPatch, opBlend:
		c.nameID(&m, ComponentID(o.id))
		n = 0
	case opExchange:
		for _, id := range unsafe.Slice((*ComponentID)(c.dataAt(o.id)), o.offset) {
			if int(id) < len(w.components) {
				m.Clear(uint32(id))
			}
		}
	case opMerge:
		n = 1
	}
	for _, v := range c.values[o.at : o.at+n] {
		c.name(&m, v.of)
	}
	c.census.of[o.entity] = m
	if w.byMask[m] == nil {
		c.census.fresh[m] = struct{}{}
	}
}

// setOf returns what an entity has after the commands that were seen.
func (c *Commands) setOf(e Entity) mask.Mask {
	if m, ok := c.census.of[e]; ok {
		return m
	}
	if r := c.world.slots.Record(uint64(e)); r != nil && r.Table != limbo {
		return c.world.tables[r.Table].arch.mask
	}
	return mask.Mask{}
}

// rewind notes that only the first n commands are left.
func (s *census) rewind(n int) {
	if s != nil {
		s.stale = s.stale || s.seen > n
		s.seen, s.named = min(s.seen, n), min(s.named, n)
	}
}

// forget empties it.
func (s *census) forget() {
	if s != nil && (s.seen > 0 || s.named > 0 || s.stale) {
		clear(s.of)
		clear(s.fresh)
		*s = census{of: s.of, fresh: s.fresh}
	}
}
