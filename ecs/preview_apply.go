package ecs

import (
	"slices"
	"unsafe"
)

// newValue is a component that an entity is to get, and its value.
type newValue struct {
	of   *component
	from unsafe.Pointer
}

// apply takes one command into the preview: it does there what apply does in the
// world.
func (p *Preview) apply(o op) {
	w, c := p.commands.world, p.commands
	switch o.kind {
	case opSpawn:
		list, ok := p.listed(o)
		p.spawn(o.entity, list, ok)
	case opCopy:
		p.copy(o)
	case opDespawn:
		p.despawn(o.entity)
	case opAdd:
		if list, ok := p.listed(o); ok {
			p.give(o.entity, nil, list)
		}
	case opRemove:
		if id := ComponentID(o.id); uint(id) < uint(len(w.components)) && len(w.components[id].rules.guarded) > 0 {
			p.exchange(o.entity, []ComponentID{id}, nil)
		} else {
			p.take(o.entity, id)
		}
	case opExchange:
		if list, ok := p.listed(o); ok {
			p.exchange(o.entity, unsafe.Slice((*ComponentID)(c.dataAt(o.id)), o.offset), list)
		}
	case opPatch, opBlend:
		p.patch(o)
	case opMerge:
		p.merge(o)
	case opRelate:
		p.relate(w.relations[o.id], o.entity, o.other)
	}
}

// listed reads a command's values; false: they are refused.
func (p *Preview) listed(o op) (list []newValue, ok bool) {
	c := p.commands
	p.given = p.given[:0]
	for _, s := range c.values[o.at : o.at+o.n] {
		if s.of == nil || s.of.world != c.world || s.era != s.of.era || s.of.reserved != "" {
			return nil, false
		}
		p.given = append(p.given, newValue{s.of, c.valueAt(s)})
	}
	return p.given, true
}

// enter returns the entry of an entity, which is alive.
func (p *Preview) enter(e Entity) *previewEntity {
	if f := p.entry(e); f != nil {
		return f
	}
	i := int(e.Index())
	for i >= len(p.places) {
		p.places = append(p.places, make([]uint32, max(64, len(p.places)))...)
	}
	p.entries = append(p.entries, previewEntity{entity: e, first: -1})
	p.places[i] = uint32(len(p.entries))
	return &p.entries[len(p.entries)-1]
}

// enterPart returns the part of a component.
func (p *Preview) enterPart(e Entity, id ComponentID) *previewValue {
	f := p.enter(e)
	if at := p.part(f, id); at != nil {
		return at
	}
	p.parts = append(p.parts, previewValue{id: id, next: f.first})
	f.first = int32(len(p.parts) - 1)
	return &p.parts[f.first]
}

// put gives an entity a value, whatever it has now.
func (p *Preview) put(e Entity, c *component, from unsafe.Pointer) {
	at := p.enterPart(e, c.id)
	if c.heap {
		own := c.pool.(heapStored)
		p.kept = append(p.kept, own.clone(from))
		at.value = own.address(p.kept[len(p.kept)-1])
	} else {
		if at.value == nil {
			at.value = p.values.make(c.size)
		}
		copyBytes(at.value, from, c.size)
	}
	at.has = true
}

// edit returns a place of the preview's own for a value that an entity has.
func (p *Preview) edit(e Entity, c *component) unsafe.Pointer {
	value, own := p.look(e, c.id)
	if !own {
		p.put(e, c, value)
		value, _ = p.look(e, c.id)
	}
	return value
}

// spawn gives a new entity its place. One that was placed meanwhile is given the
// values; one whose values are refused dies.
func (p *Preview) spawn(e Entity, list []newValue, ok bool) {
	if e == 0 {
		return
	}
	known := p.placed(e)
	if !known {
		if f := p.entry(e); f != nil && f.dead {
			return
		}
		p.enter(e).born = true
	}
	if !(ok && p.give(e, nil, list)) && !known {
		p.entry(e).dead = true
	}
}

// copy makes a new entity out of what another has by then.
func (p *Preview) copy(o op) {
	if o.entity == 0 || p.placed(o.entity) {
		return
	}
	overrides, ok := p.listed(o)
	p.enter(o.entity).born = true
	if !ok || !p.placed(o.other) {
		p.entry(o.entity).dead = true
		return
	}
	list := make([]newValue, 0, 8)
	for _, c := range p.commands.world.components {
		if at := p.Pointer(o.other, c.id); at != nil && c.reserved == "" {
			list = append(list, newValue{c, at})
		}
	}
	if !p.give(o.entity, nil, append(list, overrides...)) {
		p.entry(o.entity).dead = true
	}
}

// give gives an entity values, and what they require, and takes components away that
// are not among these, unless components would meet that exclude each other. It
// reports whether it did.
func (p *Preview) give(e Entity, remove []ComponentID, list []newValue) bool {
	if !p.placed(e) {
		return false
	}
	ruled := slices.ContainsFunc(list, func(g newValue) bool { return g.of.traits&ruledTrait != 0 })
	if ruled || p.commands.world.anyGuarded(remove) {
		whole, all, ok := p.follow(e, remove, list)
		if !ok {
			return false
		}
		list, remove = whole, all
	}
	p.enter(e)
	for _, g := range list {
		p.put(e, g.of, g.from)
	}
	for _, id := range remove {
		if !slices.ContainsFunc(list, func(g newValue) bool { return g.of.id == id }) {
			p.take(e, id)
		}
	}
	return true
}

// follow is World.follow.
func (p *Preview) follow(e Entity, remove []ComponentID, given []newValue) (list []newValue, all []ComponentID, ok bool) {
	list = p.required(e, remove, given)
	has := func(c *component) bool { return p.Has(e, c.id) }
	all, err := withDependants(p.commands.world.components, remove, has, func(c *component) bool { return gives(list, c) })
	if err != nil {
		return nil, nil, false
	}
	again := p.required(e, all, list)
	return list, all, len(again) == len(list) && !p.meeting(e, all, list)
}

// gives reports whether one of the values is of a component.
func gives(list []newValue, c *component) bool {
	return slices.ContainsFunc(list, func(g newValue) bool { return g.of == c })
}

// keeps is World.keeps.
func (p *Preview) keeps(e Entity, c *component, remove []ComponentID) bool {
	return p.Has(e, c.id) && !slices.Contains(remove, c.id)
}

// required is World.required.
func (p *Preview) required(e Entity, remove []ComponentID, given []newValue) []newValue {
	list := slices.Clip(given) // its owner may complete it once more
	has := func(c *component) bool { return gives(list, c) || p.keeps(e, c, remove) }
	for i := 0; i < len(list); i++ { // grows as it goes
		c := list[i].of
		if p.keeps(e, c, remove) {
			continue // it is set, not added
		}
		c.needs(has, func(need *component) {
			if !has(need) {
				list = append(list, newValue{need, need.defaultData()})
			}
		})
	}
	return list
}

// meeting reports whether World.refuseMeeting refuses a list.
func (p *Preview) meeting(e Entity, remove []ComponentID, list []newValue) bool {
	return slices.ContainsFunc(list, func(g newValue) bool {
		return !p.keeps(e, g.of, remove) && slices.ContainsFunc(g.of.rules.excludes, func(x *component) bool {
			return gives(list, x) || p.keeps(e, x, remove)
		})
	})
}

// take takes a component from an entity.
func (p *Preview) take(e Entity, id ComponentID) {
	w := p.commands.world
	if uint(id) < uint(len(w.components)) && w.components[id].reserved == "" && p.placed(e) && p.Has(e, id) {
		p.enterPart(e, id).has = false
	}
}

// exchange takes and gives in one move.
func (p *Preview) exchange(e Entity, remove []ComponentID, list []newValue) {
	w := p.commands.world
	refused := slices.ContainsFunc(remove, func(id ComponentID) bool {
		return uint(id) >= uint(len(w.components)) || w.components[id].reserved != ""
	})
	if !refused {
		p.give(e, remove, list)
	}
}

// patch changes bytes of a component, which an entity without it gets first.
func (p *Preview) patch(o op) {
	c, w, id := p.commands, p.commands.world, ComponentID(o.id)
	if uint(id) >= uint(len(w.components)) || !p.placed(o.entity) {
		return
	}
	info := w.components[id]
	if info.reserved != "" || uint64(o.other) != uint64(info.era) || uint64(o.offset)+uint64(o.n) > uint64(info.size) {
		return
	}
	if !p.Has(o.entity, id) && !p.give(o.entity, nil, []newValue{{info, info.defaultData()}}) {
		return
	}
	if to := unsafe.Add(p.edit(o.entity, info), o.offset); o.kind == opBlend {
		c.blend(to, o)
	} else {
		copyBytes(to, c.dataAt(o.at), uintptr(o.n))
	}
}

// merge sets parts of a component, or adds all of it.
func (p *Preview) merge(o op) {
	c := p.commands
	list, ok := p.listed(op{at: o.at, n: 1})
	switch {
	case !ok || !p.placed(o.entity):
	case !p.Has(o.entity, list[0].of.id):
		p.give(o.entity, nil, list)
	default:
		from := list[0]
		copyPieces(p.edit(o.entity, from.of), from.from, c.piecesAt(o))
	}
}

// relate gives an entity a target in a relation, or takes it away, unless the
// relation refuses that.
func (p *Preview) relate(r *Relation, source, target Entity) {
	if !p.allows(r, source, target) {
		return
	}
	p.unchain(r, source)
	if target != 0 {
		p.chain(r, source, target)
	}
}

// allows is Relation.allows.
func (p *Preview) allows(r *Relation, source, target Entity) bool {
	w := p.commands.world
	switch {
	case !p.placed(source) || target != 0 && !p.placed(target):
		return false
	case r.index == 0 && w.isPrefab(target) && !w.isPrefab(source):
		return false
	case !r.options.Acyclic:
		return true
	}
	depth := 0
	for e := target; e != 0; e = p.Target(r, e) {
		if depth++; e == source || depth > MaxDepth {
			return false
		}
	}
	return true
}

// editLinks returns an entity's links for writing; it gets some if it has none.
func (p *Preview) editLinks(r *Relation, e Entity) *links {
	if !p.Has(e, r.id) {
		p.put(e, r.info, unsafe.Pointer(&links{}))
	}
	return (*links)(p.edit(e, r.info))
}

// chain makes source the last of target's sources. It is in no list.
func (p *Preview) chain(r *Relation, source, target Entity) {
	s, t := p.editLinks(r, source), p.editLinks(r, target)
	s.Target, s.Prev, s.Next = target, t.Last, 0
	if t.Last != 0 {
		p.editLinks(r, t.Last).Next = source
	} else {
		t.First = source
	}
	t.Last = source
	t.Count++
}

// unchain takes an entity out of its target's list.
func (p *Preview) unchain(r *Relation, e Entity) {
	target := p.Target(r, e)
	if target == 0 {
		return
	}
	s, t := p.editLinks(r, e), p.editLinks(r, target)
	if s.Prev != 0 {
		p.editLinks(r, s.Prev).Next = s.Next
	} else {
		t.First = s.Next
	}
	if s.Next != 0 {
		p.editLinks(r, s.Next).Prev = s.Prev
	} else {
		t.Last = s.Prev
	}
	s.Target, s.Prev, s.Next = 0, 0, 0
	t.Count--
	p.release(r, e)
	p.release(r, target)
}

// release takes empty links away.
func (p *Preview) release(r *Relation, e Entity) {
	if l := p.links(r, e); l != nil && *l == (links{}) {
		p.enterPart(e, r.id).has = false
	}
}

// despawn ends an entity and all that dies with it, unless a relation refuses that.
func (p *Preview) despawn(e Entity) {
	switch {
	case !p.Alive(e):
		return
	case !p.linked(e):
		p.enter(e).dead = true
		return
	}
	p.listDoomed(e)
	if !p.refused() {
		for _, e := range p.list {
			p.sever(e)
			p.enter(e).dead = true
		}
	}
	clear(p.doomed)
}

// linked reports whether an entity is in any relation.
func (p *Preview) linked(e Entity) bool {
	for _, r := range p.commands.world.relations {
		if p.links(r, e) != nil {
			return true
		}
	}
	return false
}

// listDoomed lists an entity and all that die with it.
func (p *Preview) listDoomed(e Entity) {
	if p.doomed == nil {
		p.doomed = map[Entity]bool{}
	}
	p.list = append(p.list[:0], e)
	p.doomed[e] = true
	for i := 0; i < len(p.list); i++ { // grows as it goes
		for _, r := range p.commands.world.relations {
			if r.options.OnDespawn != Cascade {
				continue
			}
			for source := range p.Sources(r, p.list[i]) {
				if !p.doomed[source] {
					p.doomed[source] = true
					p.list = append(p.list, source)
				}
			}
		}
	}
}

// refused reports whether a relation keeps one of those alive who are about to die.
func (p *Preview) refused() bool {
	for _, r := range p.commands.world.relations {
		if r.options.OnDespawn != Refuse {
			continue
		}
		for _, e := range p.list {
			for source := range p.Sources(r, e) {
				if !p.doomed[source] {
					return true
				}
			}
		}
	}
	return false
}

// sever takes an entity out of every relation.
func (p *Preview) sever(e Entity) {
	for _, r := range p.commands.world.relations {
		for l := p.links(r, e); l != nil && l.Last != 0; l = p.links(r, e) {
			p.unchain(r, l.Last)
		}
		p.unchain(r, e)
	}
}
