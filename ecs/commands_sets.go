package ecs

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// setCounter counts the sets of components that commands will bring about: those that no
// entity has had yet. Each of them costs the world an archetype for good, so a host
// may want to refuse the commands before.
//
// Why not from the Preview? It keeps values, and what dies with whom. This counts sets
// only, and is asked when there are thousands of commands.
//
// Invariant: after the first len(log) commands, an entity has the set of[entity] of
// sets, and uses[i] of these commands have brought sets[i] about. fresh is how many sets
// are brought about that the world did not have when they were first met.
type setCounter struct {
	of    map[Entity]int32
	index map[mask.Mask]int32 // of a set in sets
	sets  []metSet
	log   []setStep
	fresh int

	named int       // commands whose components are in ids
	ids   mask.Mask // all that commands give or take
}

// metSet is a set of components that commands bring about.
type metSet struct {
	mask  mask.Mask
	uses  int32
	fresh bool
}

// setStep is what a command did to the count: the entity that it names had one set and
// got another. Both are -1 for none; to is, when the command changes no set.
type setStep struct{ from, to int32 }

// setCount is Raw.Sets.
func (w *World) setCount() int { return len(w.archetypes) - 1 }

// NewSets returns how many sets of components the commands will bring about that the
// world does not have yet. It looks at the commands only as far as it must to know
// whether there are more than enough: at most enough comes back when there may be
// fewer. What functions given to Do will change is not known. O(commands recorded
// since the last call), and nothing as long as there are no more commands than enough.
func (c *Commands) NewSets(enough int) int {
	if len(c.ops) <= enough || c.world == nil {
		return min(len(c.ops), enough)
	}
	c.openSets()
	if c.fewSets(enough, nil) {
		return enough
	}
	c.count()
	return c.sets.fresh
}

// FewSets reports whether no more sets of components than enough can come of the
// commands, and of others, however many, that name no components but theirs and these.
func (c *Commands) FewSets(enough int, more []ComponentID) bool {
	if c.world == nil {
		return true
	}
	c.openSets()
	return c.fewSets(enough, more)
}

// openSets makes the counter when it is first needed.
func (c *Commands) openSets() {
	if c.sets == nil {
		c.sets = &setCounter{of: map[Entity]int32{}, index: map[mask.Mask]int32{}}
	}
}

// fewSets reports whether the commands name so few components that no more sets than enough
// can come of them: each one that there is, with or without each of these.
func (c *Commands) fewSets(enough int, more []ComponentID) bool {
	s := c.sets
	for ; s.named < len(c.ops); s.named++ {
		o := &c.ops[s.named]
		switch o.kind {
		case opSpawn, opCopy, opAdd, opExchange, opMerge:
			n := o.n
			if o.kind == opMerge {
				n = 1
			}
			for _, v := range c.values[o.at : o.at+n] {
				c.nameAll(v.of)
			}
			if o.kind == opExchange {
				for _, id := range unsafe.Slice((*ComponentID)(c.dataAt(o.id)), o.offset) {
					c.nameAllID(id)
				}
			}
			if o.kind == opCopy {
				c.nameAll(c.world.mark)
			}
		case opRemove, opPatch, opBlend:
			c.nameAllID(ComponentID(o.id))
		}
	}
	named, n := s.ids, 0
	for _, id := range more {
		c.nameAllID(id)
	}
	all := s.ids
	s.ids = named
	for _, word := range all {
		n += bits.OnesCount64(word)
	}
	return n < 32 && len(c.world.archetypes)<<n <= enough
}

// nameAllID is nameAll for the number of a component; unknown numbers are skipped.
func (c *Commands) nameAllID(id ComponentID) {
	if uint(id) < uint(len(c.world.components)) {
		c.nameAll(c.world.components[id])
	}
}

// name puts a component into a set, with all that it requires there.
func (c *Commands) name(m *mask.Mask, of *component) {
	c.nameIf(m, of, func(x *component) bool { return x.pool != nil || m.Has(uint32(x.id)) }) // of pools, all may be there
}

// nameIf is name with what the entity has, as conditions of requirements ask.
func (c *Commands) nameIf(m *mask.Mask, of *component, has func(*component) bool) {
	if of == nil || of.world != c.world || m.Has(uint32(of.id)) {
		return
	}
	of.withNeeds(has, func(x *component) {
		if x.pool == nil {
			m.Set(uint32(x.id))
		}
	})
}

// nameAll names what commands give or take, with all that may come or go with it.
func (c *Commands) nameAll(of *component) {
	c.nameIf(&c.sets.ids, of, always)
	if of == nil || of.world != c.world || len(of.rules.guarded) == 0 {
		return
	}
	met := []*component{of}
	for i := 0; i < len(met); i++ { // grows as it goes
		for _, q := range met[i].rules.guarded {
			if !slices.Contains(met, q.of) {
				met = append(met, q.of)
				c.nameIf(&c.sets.ids, q.of, always)
			}
		}
	}
}

// unname takes components out of a set, with all that goes because of them. It stays as it is
// where a requirement surely refuses that: what is in pools may be there or not.
func (c *Commands) unname(m *mask.Mask, ids []ComponentID, gives func(*component) bool) {
	w := c.world
	if slices.ContainsFunc(ids, func(id ComponentID) bool { return uint(id) >= uint(len(w.components)) }) {
		return
	}
	if w.anyGuarded(ids) {
		has := func(x *component) bool { return m.Has(uint32(x.id)) }
		if _, err := withDependants(w.components, ids, has, gives); err != nil {
			return
		}
		if all, err := withDependants(w.components, ids, func(x *component) bool { return x.pool != nil || has(x) }, gives); err == nil {
			ids = all
		}
	}
	for _, id := range ids {
		m.Clear(uint32(id))
	}
}

// count counts the commands that are not counted yet.
func (c *Commands) count() {
	for s := c.sets; len(s.log) < len(c.ops); {
		o := &c.ops[len(s.log)]
		if m, changes := c.after(o); changes {
			s.take(o.entity, s.met(c.world, m))
		} else {
			s.log = append(s.log, setStep{-1, -1})
		}
	}
}

// after returns the set that a command's entity has after it, and whether it may be
// another than before: it does with the set what apply does with the entity.
func (c *Commands) after(o *op) (m mask.Mask, changes bool) {
	w, n := c.world, o.n
	switch o.kind {
	case opSpawn:
	case opCopy:
		if m = c.setOf(o.other); w.mark != nil {
			m.Clear(uint32(w.mark.id))
		}
	case opAdd, opExchange, opRemove, opPatch, opBlend, opMerge:
		m = c.setOf(o.entity)
	default:
		return m, false
	}
	switch o.kind {
	case opRemove:
		c.unname(&m, []ComponentID{ComponentID(o.id)}, never)
		n = 0
	case opPatch, opBlend:
		if uint(o.id) < uint(len(w.components)) {
			c.name(&m, w.components[o.id])
		}
		n = 0
	case opExchange:
		c.unname(&m, unsafe.Slice((*ComponentID)(c.dataAt(o.id)), o.offset), func(x *component) bool {
			return slices.ContainsFunc(c.values[o.at:o.at+n], func(v storedValue) bool { return v.of == x })
		})
	case opMerge:
		n = 1
	}
	for _, v := range c.values[o.at : o.at+n] {
		c.name(&m, v.of)
	}
	return m, true
}

// met returns the number of a set.
func (s *setCounter) met(w *World, m mask.Mask) int32 {
	i, ok := s.index[m]
	if !ok {
		i = int32(len(s.sets))
		s.index[m] = i
		s.sets = append(s.sets, metSet{mask: m, fresh: w.byMask[m] == nil})
	}
	return i
}

// take notes that a command gives an entity a set.
func (s *setCounter) take(e Entity, to int32) {
	from, ok := s.of[e]
	if !ok {
		from = -1
	}
	s.of[e] = to
	s.log = append(s.log, setStep{from, to})
	if s.sets[to].uses++; s.sets[to].uses == 1 && s.sets[to].fresh {
		s.fresh++
	}
}

// setOf returns what an entity has after the commands that were seen.
func (c *Commands) setOf(e Entity) mask.Mask {
	if i, ok := c.sets.of[e]; ok {
		return c.sets.sets[i].mask
	}
	if r := c.world.slots.Record(uint64(e)); r != nil && r.Table != limbo {
		return c.world.tables[r.Table].arch.mask
	}
	return mask.Mask{}
}

// rewind takes back all but the first n of these commands.
func (s *setCounter) rewind(ops []op, n int) {
	if s == nil {
		return
	}
	for i := len(s.log) - 1; i >= n; i-- {
		was, e := s.log[i], ops[i].entity
		if was.to < 0 {
			continue
		}
		if s.sets[was.to].uses--; s.sets[was.to].uses == 0 && s.sets[was.to].fresh {
			s.fresh--
		}
		if was.from < 0 {
			delete(s.of, e)
		} else {
			s.of[e] = was.from
		}
	}
	s.log, s.named = s.log[:min(len(s.log), n)], min(s.named, n)
}

// forget empties it, but for its room.
func (s *setCounter) forget() {
	if s != nil && (len(s.log) > 0 || s.named > 0) {
		clear(s.of)
		clear(s.index)
		*s = setCounter{of: s.of, index: s.index, sets: s.sets[:0], log: s.log[:0]}
	}
}
