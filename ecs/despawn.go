package ecs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// cascadeSearch finds out who dies together: entities, the sources of those in every
// relation that cascades, their sources and so on. It is kept by the world so
// that despawning allocates nothing once it is warm.
//
// The order of death is a depth-first one: before each entity its sources,
// relation by relation in the order in which these were made, the last source
// first. No recursion and a mark on each visited slot: scripts can build deep
// families, and relations that are circular.
type cascadeSearch struct {
	order []Entity      // who dies, in order
	stack []dyingEntity // an entity and those on the way to it
	marks []uint64      // a bit per slot: those in order or on the stack
}

// dyingEntity is an entity whose sources are being visited.
type dyingEntity struct {
	entity   Entity
	relation int    // of the sources being visited
	next     Entity // the source to visit next, 0 when the relation is done
}

// marked reports whether e dies, or would once the search is done.
func (c *cascadeSearch) marked(e Entity) bool {
	i := int(e.Index() / 64)
	return i < len(c.marks) && c.marks[i]&(1<<(e.Index()%64)) != 0
}

// mark notes that an entity is in the order or on the stack.
func (c *cascadeSearch) mark(e Entity) {
	for int(e.Index()/64) >= len(c.marks) {
		c.marks = append(c.marks, 0)
	}
	c.marks[e.Index()/64] |= 1 << (e.Index() % 64)
}

// forget ends the search and takes the marks back.
func (c *cascadeSearch) forget() {
	for _, e := range c.order {
		c.marks[e.Index()/64] = 0 // the others with a bit there are in order too
	}
	c.order = c.order[:0]
}

// add appends e and all that dies with it to the order.
func (c *cascadeSearch) add(w *World, e Entity) {
	if c.marked(e) {
		return
	}
	c.push(e)
	for len(c.stack) > 0 {
		top := &c.stack[len(c.stack)-1]
		switch source := w.nextDoomed(top); {
		case source == 0:
			c.order = append(c.order, top.entity)
			c.stack = c.stack[:len(c.stack)-1]
		case !c.marked(source):
			c.push(source)
		}
	}
}

// push begins the visit of an entity: its sources come first.
func (c *cascadeSearch) push(e Entity) {
	c.mark(e)
	c.stack = append(c.stack, dyingEntity{entity: e, relation: -1})
}

// nextDoomed steps to the next source that dies with an entity, or returns 0.
func (w *World) nextDoomed(d *dyingEntity) Entity {
	for d.next == 0 {
		if d.relation++; d.relation >= len(w.relations) {
			return 0
		}
		r := w.relations[d.relation]
		if l := r.of(d.entity); l != nil && r.options.OnDespawn == Cascade {
			d.next = l.Last
		}
	}
	source := d.next
	d.next = w.relations[d.relation].of(source).Prev
	return source
}

// refusal returns an error that names an entity of the order and the source that keeps
// it alive, or nil.
func (c *cascadeSearch) refusal(w *World) error {
	for _, r := range w.relations {
		if r.options.OnDespawn != Refuse || r.count == 0 {
			continue
		}
		for _, e := range c.order {
			for source := range r.Sources(e) {
				if !c.marked(source) {
					return r.refuses(e, source)
				}
			}
		}
	}
	return nil
}

// related reports whether any entity is in any relation.
func (w *World) related() bool {
	for _, r := range w.relations {
		if r.links.len() > 0 {
			return true
		}
	}
	return false
}

// refuses returns the error that keeps a target alive because of a source.
func (r *Relation) refuses(target, source Entity) error {
	return fmt.Errorf("%w: %v cannot die while it is the target of %v in %q", ErrConflict, target, source, r.name)
}

// linked reports whether e is in any relation.
func (w *World) linked(e Entity) bool {
	for _, r := range w.relations {
		if r.links.len() > 0 && r.of(e) != nil {
			return true
		}
	}
	return false
}

// despawnAll ends all of the living entities and what dies with them, or, when a
// relation refuses one of them, none of them. An entity that is in no relation dies by kill.
func (w *World) despawnAll(es ...Entity) error {
	defer w.cascade.forget()
	for _, e := range es {
		w.cascade.add(w, e)
	}
	if err := w.cascade.refusal(w); err != nil {
		return err
	}
	w.execute()
	return nil
}

// endFamily is despawnAll of one entity whatever relations refuse.
func (w *World) endFamily(e Entity) {
	defer w.cascade.forget()
	w.cascade.add(w, e)
	w.execute()
}

// execute ends those that the search has found.
func (w *World) execute() {
	for i, e := range w.cascade.order {
		if w.reports.on && i < len(w.cascade.order)-1 { // the last is one who was named
			w.reports.with = w.taker(e)
		}
		w.end(e)
	}
}

// taker returns the entity with which one dies that is in the order, 0 if there is none.
func (w *World) taker(e Entity) Entity {
	for _, r := range w.relations {
		if target := r.Target(e); target != 0 && r.options.OnDespawn == Cascade && w.cascade.marked(target) {
			return target
		}
	}
	return 0
}

// end takes a living entity out of every relation and ends it alone. Its hooks come
// first, when it is still whose child it was: should one panic, nothing has changed.
func (w *World) end(e Entity) {
	record := w.slots.Record(uint64(e))
	if w.hasRemoveHooks {
		w.callAllRemoveHooks(w.tables[record.Table].arch, e)
	}
	for _, r := range w.relations {
		r.sever(e)
	}
	w.kill(e, record, false)
}

// kill ends one entity, which is in no relation; r is its record, hooks says
// whether it may have some that are still to be called.
func (w *World) kill(e Entity, r *slots.Record, hooks bool) {
	a := w.tables[r.Table].arch
	if hooks {
		w.callAllRemoveHooks(a, e)
	}
	if w.notices.any&(OnDespawn|OnRemove) != 0 {
		w.noticeDespawn(a, e)
	}
	if w.reports.on && r.Table != limbo {
		w.reports.died(e)
	}
	for _, p := range w.dataPools {
		if p.len() > 0 {
			p.remove(e)
		}
	}
	if r.Table != limbo {
		a.drop(&w.store, w.chunks[r.Chunk], int(r.Row))
	}
	w.slots.Release(uint64(e))
}

// Despawn ends an entity and, before it, those that live and die with it: its
// children, and the sources of other relations that cascade. The error wraps
// ErrDead, ErrIterating or, when a relation refuses, ErrConflict; then no entity has
// died.
func (w *World) Despawn(e Entity) error {
	r := w.slots.Record(uint64(e))
	switch {
	case r == nil:
		return w.deadError(e)
	case w.locks > 0:
		return ErrIterating
	case w.linked(e):
		if err := w.despawnAll(e); err != nil {
			return err
		}
	default:
		w.kill(e, r, w.hasRemoveHooks)
	}
	w.committed("despawning", e)
	return nil
}

// Reset despawns everything, whatever relations refuse. Handles from before stay
// dead for ever; component types, relations, systems and resources stay.
func (w *World) Reset() error {
	if err := w.refuseChange(); err != nil {
		return err
	}
	for e := range w.Entities() {
		if w.linked(e) {
			w.endFamily(e)
		} else {
			w.kill(e, w.slots.Record(uint64(e)), w.hasRemoveHooks)
		}
	}
	w.committed("resetting the world", 0)
	return nil
}

// checkCascade: between despawns no slot is marked.
func (w *World) checkCascade() error {
	for i, bits := range w.cascade.marks {
		if bits != 0 {
			return fmt.Errorf("slots %d to %d: some are marked to die, but nobody is dying", i*64, i*64+63)
		}
	}
	if len(w.cascade.order)+len(w.cascade.stack) > 0 {
		return errors.New("a search for those who die together was not ended")
	}
	return nil
}

// deferredDespawns holds the entities that die at the next flush, in the order in which they
// were named.
//
// Invariant: known holds exactly the entities of list.
type deferredDespawns struct {
	list  []Entity
	known map[Entity]bool
}

// DespawnLater lets e live on until the flush: the end of the tick, after every
// system and observer has run, or FlushDespawns. Until then it is alive like any
// other, queries find it, and it may still be despawned, which is fine. It may be
// called while a query is being iterated, but not while other systems run: see
// System.Parallel. Naming an entity twice is naming it once. The error wraps
// ErrDead or ErrIterating.
func (w *World) DespawnLater(e Entity) error {
	switch {
	case !w.Alive(e):
		return w.deadError(e)
	case w.frozen.on:
		return ErrIterating
	}
	w.deferred.add(e)
	if w.reports.on {
		w.reports.named(e)
	}
	return nil
}

// add puts an entity on the list, once.
func (d *deferredDespawns) add(e Entity) {
	if d.known == nil {
		d.known = map[Entity]bool{}
	}
	if !d.known[e] {
		d.known[e] = true
		d.list = append(d.list, e)
	}
}

// FlushDespawns ends what DespawnLater named, in that order, with children, and
// returns how many were alive still. What observers name in answer waits
// for the next flush. Entities that may not die stay alive and are named no
// more; the error says why. It wraps ErrIterating or ErrConflict.
func (w *World) FlushDespawns() (int, error) {
	if err := w.refuseChange(); err != nil {
		return 0, err
	}
	d := &w.deferred
	list, n, next := d.list, 0, 0
	d.list = nil
	clear(d.known)
	defer func() { d.resume(list, next) }()
	var errs []error
	for next < len(list) {
		e := list[next]
		next++
		who := w.reports.turnTo(e)
		if w.Alive(e) {
			n++
			if err := w.Despawn(e); err != nil {
				errs = append(errs, err)
			}
		}
		w.reports.turnBack(who)
	}
	return n, errors.Join(errs...)
}

// resume ends a flush of a list of which those from next on have not had their
// turn, because a hook has panicked: they wait for the next flush, before those
// who were named meanwhile.
func (d *deferredDespawns) resume(list []Entity, next int) {
	if next == len(list) {
		if d.list == nil {
			d.list = list[:0]
		}
		return
	}
	meanwhile := d.list
	d.list = nil
	clear(d.known)
	for _, e := range slices.Concat(list[next:], meanwhile) {
		d.add(e)
	}
}

// annul ends entities that were made in vain, and takes the notices back that
// have come since.
func (w *World) annul(made []Entity, notices queueMark) {
	for _, e := range slices.Backward(made) {
		w.end(e)
	}
	w.notices.cut(notices)
}
