package ecs

import "fmt"

// DespawnAll ends every entity that the query matches, and those that die with
// them, and returns how many matched. It is a look for Changed. The error wraps
// ErrIterating or, when a relation refuses one of them or the query is of
// another world, ErrConflict; nobody has died then.
//
// Whole archetypes go at once where the query takes them whole, nobody watches
// and no relation holds them.
func (w *World) DespawnAll(q *Query) (int, error) {
	if err := w.checkBatch(q); err != nil {
		return 0, err
	}
	if !q.whole() || w.hasRemoveHooks || w.notices.any&(OnDespawn|OnRemove) != 0 || w.related() {
		return w.despawnEach(q)
	}
	n := 0
	for _, a := range q.archetypes() {
		n += a.count
		w.wipe(a)
	}
	w.committed("despawning all", 0)
	return n, nil
}

// checkBatch refuses a batch that cannot run.
func (w *World) checkBatch(q *Query) error {
	switch {
	case w.closed():
		return ErrClosed
	case w.locks > 0:
		return ErrIterating
	case q == nil || q.world != w:
		return fmt.Errorf("%w: the query is of another world, or none", ErrConflict)
	}
	return nil
}

// wipe ends all entities of an archetype.
func (w *World) wipe(a *archetype) {
	for _, c := range a.chunks {
		for _, p := range w.stores {
			if p.len() == 0 {
				continue
			}
			for _, e := range c.Entities() {
				p.remove(e)
			}
		}
		for _, e := range c.Entities() {
			w.slots.Release(uint64(e))
		}
	}
	a.clear(w)
}

// clear takes all rows out; what their entities' records say is the caller's.
func (a *archetype) clear(w *World) {
	w.checkFreed()
	for _, c := range a.chunks {
		c.n = 0
		a.free(w, c)
	}
	a.chunks, a.count = a.chunks[:0], 0
}

// matches appends the entities that a query yields.
func (q *Query) matches(list []Entity) []Entity {
	for c := range q.Chunks() {
		list = append(list, c.Entities()...)
	}
	return list
}

func (w *World) despawnEach(q *Query) (int, error) {
	list := w.takeList()
	defer func() { w.list = list }()
	list = q.matches(list)
	if err := w.despawnAll(list); err != nil {
		return 0, err
	}
	w.committed("despawning all", 0)
	return len(list), nil
}

// AddAll gives the values to every entity that the query matches, as ExchangeAll
// does.
func (w *World) AddAll(q *Query, values ...Value) (int, error) {
	return w.ExchangeAll(q, nil, values...)
}

// RemoveAll takes components from every entity that the query matches, as
// ExchangeAll does.
func (w *World) RemoveAll(q *Query, components ...ComponentID) (int, error) {
	return w.ExchangeAll(q, components)
}

// ExchangeAll removes components from every entity that the query matches and
// gives them the values, and returns how many matched. It is a look for Changed.
// The error wraps what Exchange returns; nothing has changed then.
//
// Where the query takes archetypes whole and nothing is special about the
// components, columns move by runs of rows, and chunks change hands as they are
// when only components without bytes come or go. Rows keep their order, after
// those that are there already.
func (w *World) ExchangeAll(q *Query, remove []ComponentID, add ...Value) (int, error) {
	if err := w.checkBatch(q); err != nil {
		return 0, err
	}
	_, removed, err := w.without(w.empty(), remove)
	if err != nil {
		return 0, err
	}
	_, added, err := w.shape(w.empty(), add)
	switch {
	case err != nil:
		return 0, err
	case removed|added != 0 || !q.whole():
		return w.exchangeEach(q, remove, add)
	}
	return w.exchangeArchetypes(q.archetypes(), remove, add)
}

// batchMove is one archetype's way in a sweep.
type batchMove struct{ from, to *archetype }

// exchangeArchetypes is an exchange of whole archetypes. It plans all moves and makes room
// for them before it makes the first. What stays where it is gets its values
// first, so that nothing is written twice.
func (w *World) exchangeArchetypes(all []*archetype, remove []ComponentID, add []Value) (int, error) {
	r, err := w.planBatchMoves(all, remove, add)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, p := range w.batchMoves {
		n += p.from.count
	}
	for _, p := range w.batchMoves {
		if p.from == p.to {
			for _, c := range p.from.chunks {
				c.overwriteAll(add)
			}
		}
	}
	for _, p := range w.batchMoves {
		if p.from != p.to {
			w.moves += uint64(p.from.count)
			w.moveAll(p.from, p.to, add)
		}
	}
	r.close()
	w.committed("changing all", 0)
	return n, nil
}

// planBatchMoves fills w.passages with everybody's way, and makes room at their ends.
func (w *World) planBatchMoves(all []*archetype, remove []ComponentID, add []Value) (reservation, error) {
	r := w.newReservation(0)
	w.batchMoves = w.batchMoves[:0]
	for _, from := range all {
		if from.count == 0 {
			continue
		}
		to, err := w.route(from, remove, add)
		if err == nil && to != from && to.fits(from) {
			err = w.mirror(from, to)
		}
		if err != nil {
			return r, err
		}
		w.batchMoves = append(w.batchMoves, batchMove{from, to})
	}
	for _, p := range w.batchMoves {
		switch {
		case p.from == p.to:
		case p.to.fits(p.from):
			p.to.due += p.from.last().n
		default:
			p.to.due += p.from.count
		}
	}
	for _, p := range w.batchMoves {
		if due := p.to.due; due > 0 {
			p.to.due = 0
			r.rows(p.to, due)
		}
	}
	return r, r.undo(r.err)
}

// exchangeEach is ExchangeAll entity by entity, with all the room made first.
func (w *World) exchangeEach(q *Query, remove []ComponentID, add []Value) (int, error) {
	list := w.takeList()
	defer func() { w.list = list }()
	if list = q.matches(list); len(list) == 0 {
		return 0, nil
	}
	r, err := w.planEntities(list, remove, add)
	if err != nil {
		return 0, err
	}
	defer r.close()
	for i, e := range list {
		if err := w.Exchange(e, remove, add...); err != nil {
			return i, err
		}
	}
	return len(list), nil
}

func (w *World) planEntities(list []Entity, remove []ComponentID, add []Value) (reservation, error) {
	r := w.newReservation(0)
	goals := w.goals[:0]
	defer func() { w.goals = goals[:0] }()
	for _, e := range list {
		_, record := w.find(e)
		from := w.tables[record.Table].arch
		given, err := w.complete(e, remove, add)
		to := from
		if err == nil {
			to, err = w.route(from, remove, given)
		}
		w.giveBack(given)
		if err != nil {
			r.err = err
			break
		}
		if to != from {
			if to.due++; to.due == 1 {
				goals = append(goals, to)
			}
		}
		r.last = max(r.last, e.Index())
	}
	for _, a := range goals {
		due := a.due
		a.due = 0
		r.rows(a, due)
	}
	w.poolsFor(&r, add, len(list))
	return r, r.undo(r.err)
}
