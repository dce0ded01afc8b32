package ecs

import (
	"errors"
	"fmt"
	"slices"
)

// Spawn creates an entity with the given components; the later of two values
// of one component wins. It panics with the error that TrySpawn returns.
func (w *World) Spawn(values ...Value) Entity {
	e, err := w.TrySpawn(values...)
	if err != nil {
		panic(fmt.Errorf("ecs: spawn: %w", err))
	}
	return e
}

// TrySpawn creates an entity, or changes nothing and returns an error that
// wraps ErrIterating, ErrEntityLimit or ErrArenaFull.
func (w *World) TrySpawn(values ...Value) (Entity, error) {
	if w.locks > 0 {
		return 0, ErrIterating
	}
	e, err := w.issue()
	if err != nil {
		return 0, err
	}
	if err := w.settle(e, values); err != nil {
		w.slots.Release(uint64(e))
		return 0, err
	}
	return e, nil
}

// issue reserves a handle that has no place yet.
func (w *World) issue() (Entity, error) {
	h, ok := w.slots.Issue()
	if !ok {
		return 0, fmt.Errorf("%w: %d are alive", ErrEntityLimit, w.slots.Live())
	}
	return Entity(h), nil
}

// settle gives a reserved entity its first place. Everything that can fail is
// done before anything is changed.
func (w *World) settle(e Entity, values []Value) error {
	to, err := w.target(w.empty(), e, values)
	if err != nil {
		return err
	}
	if err := to.reserve(w); err != nil {
		return err
	}
	w.notice(OnSpawn, 0, e, nil)
	w.tellGiven(e, values)
	to.push(w, e, w.slots.Record(uint64(e)))
	w.write(e, values)
	return nil
}

// tellGiven records what is about to be written to e: one notice for each
// component, whatever number of values it gets.
func (w *World) tellGiven(e Entity, values []Value) {
	for i := range values {
		id := values[i].id
		if w.components[id].watch&(OnAdd|OnSet) == 0 || gives(values[:i], id) {
			continue
		}
		if w.Has(e, id) {
			w.notice(OnSet, id, e, nil)
		} else {
			w.notice(OnAdd, id, e, nil)
		}
	}
}

// gives reports whether one of the values is of a component.
func gives(values []Value, id ComponentID) bool {
	return slices.ContainsFunc(values, func(v Value) bool { return v.id == id })
}

// target finds the archetype that an entity of archetype a has once it has the
// values too, and makes room in the pools.
func (w *World) target(a *archetype, e Entity, values []Value) (*archetype, error) {
	for i := range values {
		id := values[i].id
		if values[i].world != w.serial {
			return nil, foreign()
		}
		if w.components[id].reserved != "" {
			return nil, w.notYours(id)
		}
		if p := w.components[id].pool; p != nil {
			if err := p.reserve(e); err != nil {
				return nil, err
			}
			continue
		}
		if !a.mask.Has(uint32(id)) {
			to, err := w.step(a, id, true)
			if err != nil {
				return nil, err
			}
			a = to
		}
	}
	return a, nil
}

// write stores the values into an entity that has room for them.
func (w *World) write(e Entity, values []Value) {
	for i := range values {
		v := &values[i]
		c := w.components[v.id]
		switch p := c.pool.(type) {
		case nil:
			copyBytes(w.Pointer(e, v.id), v.data(), c.size)
			w.stamp(e, v.id)
		case *arenaPool:
			p.put(e, v.data())
		default:
			p.put(e, v.ptr)
		}
	}
}

// Add gives e the values, adding the components that it lacks; in one move. The
// error wraps ErrDead, ErrIterating or ErrArenaFull, and nothing has changed
// then.
func (w *World) Add(e Entity, values ...Value) error {
	from, r := w.find(e)
	switch {
	case r == nil || r.Table == limbo:
		return dead(e)
	case w.locks > 0 && w.grows(e, values):
		return ErrIterating
	}
	to, err := w.target(from, e, values)
	if err != nil {
		return err
	}
	if to != from {
		if err := to.reserve(w); err != nil {
			return err
		}
	}
	w.tellGiven(e, values)
	if to != from {
		w.move(e, from, to, from.planTo(to))
	}
	w.write(e, values)
	return nil
}

// grows reports whether adding the values would change e's components.
func (w *World) grows(e Entity, values []Value) bool {
	for i := range values {
		if !w.Has(e, values[i].id) {
			return true
		}
	}
	return false
}

func dead(e Entity) error { return fmt.Errorf("%w: %v", ErrDead, e) }

// foreign answers for a Value that was made for another world, or by nobody.
func foreign() error {
	return fmt.Errorf("%w: a value was made for another world", ErrConflict)
}

// notYours answers who would write what the world keeps by itself, such as the
// hierarchy, as if it were a component.
func (w *World) notYours(id ComponentID) error {
	c := w.components[id]
	return fmt.Errorf("%w: %q changes through %s only", ErrConflict, c.schema.Name, c.reserved)
}

// reservedOf returns the first of the components that is not everybody's to write.
func (w *World) reservedOf(ids []ComponentID) (ComponentID, bool) {
	i := slices.IndexFunc(ids, func(id ComponentID) bool { return w.components[id].reserved != "" })
	if i < 0 {
		return 0, false
	}
	return ids[i], true
}

// move takes an entity to another archetype, in which reserve has made room.
func (w *World) move(e Entity, from, to *archetype, plan []span) {
	r := w.slots.Record(uint64(e))
	source, row := w.chunks[r.Chunk], int(r.Row)
	c, at := to.push(w, e, r)
	for _, s := range plan {
		copyBytes(c.cell(s.to, at), source.cell(s.from, row), s.size)
	}
	from.drop(w, source, row)
	w.moves++
}

// Remove takes components from e; those it lacks are passed over. The error
// wraps ErrDead, ErrIterating or ErrArenaFull.
func (w *World) Remove(e Entity, ids ...ComponentID) error {
	from, r := w.find(e)
	switch {
	case r == nil || r.Table == limbo:
		return dead(e)
	case w.locks > 0:
		return ErrIterating
	}
	if id, ok := w.reservedOf(ids); ok {
		return w.notYours(id)
	}
	to := from
	for _, id := range ids {
		if to.has(id) {
			less, err := w.step(to, id, false)
			if err != nil {
				return err
			}
			to = less
		}
	}
	if to != from {
		if err := to.reserve(w); err != nil {
			return err
		}
	}
	w.tellRemoved(e, ids)
	if to != from {
		w.move(e, from, to, from.planTo(to))
	}
	for _, id := range ids {
		if p := w.components[id].pool; p != nil {
			p.remove(e)
		}
	}
	return nil
}

func (w *World) tellRemoved(e Entity, ids []ComponentID) {
	for i, id := range ids {
		if w.components[id].watch&OnRemove != 0 && !slices.Contains(ids[:i], id) {
			if p := w.Pointer(e, id); p != nil {
				w.notice(OnRemove, id, e, p)
			}
		}
	}
}

// Despawn ends an entity and its children, children first. The error wraps
// ErrDead or ErrIterating.
func (w *World) Despawn(e Entity) error {
	switch {
	case !w.Alive(e):
		return dead(e)
	case w.locks > 0:
		return ErrIterating
	}
	w.despawn(e)
	return nil
}

// despawn walks the tree below e from its leaves up, without recursion: a
// script can build a deep one.
func (w *World) despawn(e Entity) {
	if w.linkPool().len() == 0 {
		w.kill(e)
		return
	}
	for at := e; ; {
		if child := w.lastChild(at); child != 0 {
			at = child
			continue
		}
		up := w.Parent(at)
		w.unlink(at)
		w.kill(at)
		if at == e {
			return
		}
		at = up
	}
}

// kill ends one entity.
func (w *World) kill(e Entity) {
	a, r := w.find(e)
	w.tellGone(a, e)
	for _, p := range w.pools {
		if p.len() > 0 {
			p.remove(e)
		}
	}
	if r.Table != limbo {
		a.drop(w, w.chunks[r.Chunk], int(r.Row))
	}
	w.slots.Release(uint64(e))
}

// tellGone records the removal of everything that a dying entity had.
func (w *World) tellGone(a *archetype, e Entity) {
	if a.id == limbo {
		return // nobody was told that it came
	}
	w.notice(OnDespawn, 0, e, nil)
	if a.watched&OnRemove != 0 {
		w.tellRemoved(e, a.ids)
	}
	for _, p := range w.pools {
		if id := p.of().id; p.of().watch&OnRemove != 0 {
			if at := p.find(e); at != nil {
				w.notice(OnRemove, id, e, at)
			}
		}
	}
}

// Reset despawns everything. Handles from before stay dead for ever; component
// types, systems and resources stay.
func (w *World) Reset() error {
	if w.locks > 0 {
		return ErrIterating
	}
	var errs []error
	for e := range w.Entities() {
		if w.Alive(e) {
			errs = append(errs, w.Despawn(e))
		}
	}
	return errors.Join(errs...)
}
