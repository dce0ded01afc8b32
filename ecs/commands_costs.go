package ecs

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// Some commands are short and their changes are not: a despawn ends all children too, an entity
// that gets a component takes all of its values to another place, and what an observer of
// removals gets is copied first. A host that limits what others record asks for that to be
// counted before it records the command: [Commands.Bytes] and [Commands.Changes] have it then.
//
// Why not for every command? Who limits nothing need not pay for the look at the entity.

// changeCosts is what was counted of commands beyond their own size.
//
// Invariant: doomed has each entity once that was counted as ending; extra counts those of
// them that no command names. given has the components of at most smallValue bytes that the first
// seen values give, once each, and bytes is the sum of what these count in a move.
type changeCosts struct {
	doomed cascadeSearch
	extra  int
	links  int // commands that may give an entity a target

	seen  int
	ids   mask.Mask
	given []givenComponent
	bytes int
}

// givenComponent is a component that commands give first with the value of an index.
type givenComponent struct {
	of *component
	at int
}

const (
	// freeMove is how many bytes are moved in no more time than a command takes anyway.
	freeMove = 512
	// perColumn is what each column counts besides its bytes: to find both places and copy a few
	// bytes takes some 8 ns, and a row of sixty small components moves in five times the time of
	// one with one.
	perColumn = 32
	// perNotice is what a change takes that waits for its observers, without values.
	perNotice = int(unsafe.Sizeof(queued{}))
)

// Changes returns how many commands are recorded, with one for each entity that CountDespawn has
// found and no command names.
func (c *Commands) Changes() int { return len(c.ops) + c.costs.extra }

// CountDespawn is called before e's end is recorded, by a host that limits commands. It counts e and
// those that die with it, as far as they were not counted before: all but e in [Commands.Changes], and
// the bytes that are moved or kept for observers because of them in [Commands.Bytes]. It returns how
// many it has counted, no more than most and one. Rewind and Apply forget them.
//
// A dead entity counts as none. O(those counted). Where the commands give targets in relations, it asks the [Preview].
func (c *Commands) CountDespawn(e Entity, most int) int {
	if c.world == nil || c.world.closed() {
		return 0
	}
	d := &c.costs.doomed
	first := len(d.order)
	if c.world.slots.Record(uint64(e)) == nil || d.marked(e) {
		return 0
	}
	d.find(e)
	var ahead *Preview
	if c.costs.links > 0 {
		ahead = c.Preview()
	}
	if ahead != nil || c.world.linked(e) {
		c.findFamily(first, most, ahead)
	}
	found := d.order[first:]
	for _, e := range found {
		c.large.bytes += c.endBytes(e)
	}
	c.costs.extra += len(found) - 1
	return len(found)
}

// findFamily appends those that die with the first-th of the doomed, until there are most more.
func (c *Commands) findFamily(first, most int, ahead *Preview) {
	d := &c.costs.doomed
	for i := first; i < len(d.order); i++ {
		for _, r := range c.world.relations {
			if r.options.OnDespawn != Cascade {
				continue
			}
			if ahead != nil {
				for source := range ahead.Sources(r, d.order[i]) {
					if len(d.order)-first > most {
						return
					}
					d.findOnce(source)
				}
				continue
			}
			for source := range r.Sources(d.order[i]) {
				if len(d.order)-first > most {
					return
				}
				d.findOnce(source)
			}
		}
	}
}

// findOnce is find for an entity that may be there already.
func (c *cascadeSearch) findOnce(e Entity) {
	if !c.marked(e) {
		c.find(e)
	}
}

// find marks an entity and appends it to the order.
func (c *cascadeSearch) find(e Entity) {
	c.mark(e)
	c.order = append(c.order, e)
}

// endBytes returns how many bytes the end of an entity moves and keeps.
func (c *Commands) endBytes(e Entity) int {
	n := freed(c.rowBytes(e)) + c.world.keptOf(e)
	for _, p := range c.world.dataPools {
		if size := int(p.of().size); size > freeMove && p.find(e) != nil {
			n += size // the last one takes its place
		}
	}
	return n
}

// freed is how many bytes of a move count.
func freed(bytes int) int {
	if bytes <= freeMove {
		return 0
	}
	return bytes
}

// rowBytes returns about how many bytes count when an entity's row is moved by then: for the values in
// the world, and for what the commands give.
func (c *Commands) rowBytes(e Entity) int {
	c.nameGiven()
	n := c.costs.bytes + c.large.rows[e]
	if r := c.world.slots.Record(uint64(e)); r != nil && r.Table != limbo {
		n += c.world.tables[r.Table].arch.moved()
	}
	return n
}

// moved returns how many bytes count when a row is moved.
func (a *archetype) moved() int { return a.bytes + perColumn*len(a.columns) }

// moved returns how many bytes count for the column of a component.
func (c *component) moved() int {
	if c.size == 0 {
		return 0
	}
	return int(c.size) + perColumn
}

// nameGiven brings given up to date. What is small counts for every entity: few commands give
// many components.
func (c *Commands) nameGiven() {
	k := &c.costs
	for ; k.seen < len(c.values); k.seen++ {
		of := c.values[k.seen].of
		if of == nil || of.world != c.world || k.ids.Has(uint32(of.id)) {
			continue
		}
		of.withNeeds(always, func(x *component) {
			if x.size > smallValue || x.pool != nil || k.ids.Has(uint32(x.id)) {
				return
			}
			k.ids.Set(uint32(x.id))
			k.given = append(k.given, givenComponent{x, k.seen})
			k.bytes += x.moved()
		})
	}
}

// keptOf returns how many bytes are kept for the observers of all that an entity has, when it ends.
func (w *World) keptOf(e Entity) (n int) {
	r := w.slots.Record(uint64(e))
	if w.notices.any&(OnDespawn|OnRemove) == 0 || r == nil || r.Table == limbo {
		return 0
	}
	if w.notices.watch&OnDespawn != 0 {
		n += perNotice
	}
	if a := w.tables[r.Table].arch; a.mask.Meets(&w.removals) { // asked beside other systems, too
		for _, id := range a.ids {
			n += w.components[id].keptBytes()
		}
	}
	for _, p := range w.pools {
		if p.of().observed&OnRemove != 0 && p.find(e) != nil {
			n += p.of().keptBytes()
		}
	}
	return n
}

// keptBytes returns how many bytes are kept for observers when the component is removed.
func (c *component) keptBytes() int {
	if c.observed&OnRemove == 0 {
		return 0
	}
	return perNotice + int(c.size)
}

// CountMove is called before it is recorded that e gets a component, or loses one, by a host that limits
// commands. It counts in [Commands.Bytes] what is moved and kept then: the values of the whole
// entity, with 32 bytes more for each component, where these are more than 512 bytes, and those that
// observers get. Rewind and Apply
// forget it. O(components given so far), and O(1) after that.
func (c *Commands) CountMove(e Entity, removed ...ComponentID) {
	if c.world == nil || c.world.closed() {
		return
	}
	n := freed(c.rowBytes(e))
	for _, id := range removed {
		switch {
		case uint(id) >= uint(len(c.world.components)) || c.world.pointer(e, id) == nil:
		case len(c.world.components[id].rules.guarded) > 0:
			n += c.world.keptOf(e) // others may go with it
		default:
			of := c.world.components[id]
			n += of.keptBytes()
			if of.pool != nil {
				n += freed(int(of.size))
			}
		}
	}
	c.large.bytes += n
}

// MostMoved returns how many bytes CountMove and CountDespawn count at most for one entity of the world
// as it is, whichever it is, or for one that the commands so far have changed.
func (c *Commands) MostMoved() int {
	if c.world == nil {
		return 0
	}
	c.nameGiven()
	n := freed(c.world.widest + c.costs.bytes + c.large.widest)
	if c.world.notices.any&(OnDespawn|OnRemove) != 0 {
		n += perNotice
		for _, of := range c.world.components {
			n += of.keptBytes()
		}
	}
	for _, p := range c.world.dataPools {
		n += freed(int(p.of().size))
	}
	return n
}

// mark returns how far the counts have come.
func (k *changeCosts) mark() costsMark { return costsMark{len(k.doomed.order), k.extra, k.links} }

// costsMark is a place in the counts.
type costsMark struct{ doomed, extra, links int }

// rewind takes back what was counted since a mark, and for values from an index on.
func (k *changeCosts) rewind(m costsMark, values int) {
	for _, e := range k.doomed.order[m.doomed:] {
		k.doomed.marks[e.Index()/64] &^= 1 << (e.Index() % 64)
	}
	k.doomed.order, k.extra, k.links = k.doomed.order[:m.doomed], m.extra, m.links
	k.seen = min(k.seen, values)
	for n := len(k.given); n > 0 && k.given[n-1].at >= values; n-- {
		last := k.given[n-1].of
		k.ids.Clear(uint32(last.id))
		k.bytes -= last.moved()
		k.given = k.given[:n-1]
	}
}

// forget empties it, but for its room.
func (k *changeCosts) forget() { k.rewind(costsMark{}, 0) }
