package ecs

import (
	"fmt"
	"slices"
	"unsafe"
)

// SpawnMany creates n entities with the given components, or none. Then init,
// if it is not nil, gets the new entities chunk by chunk, to read their handles
// and to write their columns; it runs under the iteration lock, and what it
// writes is not reported to observers. Components that live in pools are reached in it by
// handle. The error wraps what TrySpawn returns, or ErrRange for a negative n.
//
// The cost is that of copying the values, by the column and not by the entity,
// unless a component is pooled, observed or has rules.
func (w *World) SpawnMany(n int, init func(*Chunk), values ...Value) error {
	if err := w.refuseChange(); err != nil {
		return err
	}
	switch {
	case n < 0:
		return fmt.Errorf("%w: %d entities", ErrRange, n)
	case n == 0:
		return nil
	}
	if err := w.reserveArena(); err != nil {
		return err
	}
	to, special, err := w.shape(w.empty(), values)
	if err != nil {
		return err
	}
	if special != 0 || w.notices.watch&OnSpawn != 0 {
		if to, err = w.spawnEach(n, values); err != nil {
			return err
		}
	} else {
		r := w.newReservation(0)
		r.entities(n)
		r.rowsOfOne(to, n)
		if err := r.undo(r.err); err != nil {
			return err
		}
		to.spawn(&w.store, n, values)
		w.reportRows(to, n, values)
	}
	w.committed("spawning many", 0)
	if init != nil {
		w.show(to, n, init)
	}
	return nil
}

// spawn adds n new rows with the values, for which there is room.
func (a *archetype) spawn(s *store, n int, values []Value) {
	for n > 0 {
		c, k := a.openFor(s, n)
		s.slots.Fill(c.handles(c.n, k), c.layout.table, c.unit, uint32(c.n))
		c.fillRun(c.n, k, values)
		a.extended(s, c, k)
		n -= k
	}
}

// openFor returns the chunk that takes the next rows, and how many of n it takes.
// Room was made before.
func (a *archetype) openFor(s *store, n int) (*Chunk, int) {
	c, err := a.reserve(s)
	if err != nil {
		panic(err) // grow has made room: a bug in this package
	}
	return c, min(n, c.layout.capacity-c.n)
}

// extended counts k rows that were written past the end of the last chunk.
func (a *archetype) extended(s *store, c *Chunk, k int) {
	c.n += k
	a.count += k
	c.versions[0] = s.version
}

// fillRun stores the values in k consecutive rows.
func (c *Chunk) fillRun(row, k int, values []Value) {
	offsets := c.layout.offsets
	for i := range values {
		v := &values[i]
		if size := v.of.size; size > 0 && v.of.pool == nil {
			repeat(unsafe.Add(c.base, uintptr(offsets[v.of.id])+uintptr(row)*size), v.data(), size, k)
		}
	}
}

// repeat writes n copies of a value. Each copy doubles what is there, up to a
// size that stays in the nearest cache.
func repeat(to, from unsafe.Pointer, size uintptr, n int) {
	copyBytes(to, from, size)
	for done := 1; done < n; {
		k := min(done, n-done, max(1, 2048/int(size)))
		copyBytes(unsafe.Add(to, uintptr(done)*size), to, uintptr(k)*size)
		done += k
	}
}

// spawnEach makes n entities one by one, with all the room made before the
// first; none are left when a storage refuses one after all.
func (w *World) spawnEach(n int, values []Value) (*archetype, error) {
	r := w.newReservation(w.slots.Highest(n))
	r.entities(n)
	given, err := w.complete(0, nil, values)
	to := w.empty()
	if err == nil {
		to, err = w.route(to, nil, given)
	}
	w.values.give(given)
	if err != nil {
		return nil, err
	}
	r.rowsOfOne(to, n)
	w.poolsFor(&r, values, n)
	if err := r.undo(r.err); err != nil {
		return nil, err
	}
	made := w.takeList()
	defer func() { w.list = made }()
	for range n {
		e, err := w.TrySpawn(values...)
		if err != nil {
			w.killAll(made)
			return nil, r.undo(err)
		}
		made = append(made, e)
	}
	return to, nil
}

// killAll ends entities that are in no relation, each by itself.
func (w *World) killAll(es []Entity) {
	for _, e := range es {
		w.kill(e, w.slots.Record(uint64(e)), w.hasRemoveHooks)
	}
}

// takeList returns the world's list of entities to work with, empty. The caller puts it
// back. A second caller meanwhile gets a new list.
func (w *World) takeList() []Entity {
	list := w.list[:0]
	w.list = nil
	return list
}

// show gives the last n rows to a function, in order.
func (w *World) show(a *archetype, n int, f func(*Chunk)) {
	w.locks++
	defer func() { w.locks-- }()
	i := len(a.chunks)
	for n > 0 {
		i--
		n -= a.chunks[i].n
	}
	var view Chunk
	for _, c := range a.chunks[i:] {
		view = c.rows(-n, c.n+n)
		n = 0 // only the first may hold rows from before
		f(&view)
	}
}

// DespawnAll ends every entity that the query matches, and those that die with
// them, and returns how many matched. It is a look for Changed. The error wraps
// ErrIterating or, when a relation refuses one of them or the query is of
// another world, ErrConflict; no entity has died then.
//
// Whole archetypes go at once where the query takes all of their rows, no observer or
// hook watches, and no entity is in a relation.
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
	if q == nil || q.world != w {
		return fmt.Errorf("%w: the query is of another world, or none", ErrConflict)
	}
	return w.refuseChange()
}

// wipe ends all entities of an archetype.
func (w *World) wipe(a *archetype) {
	for _, c := range a.chunks {
		if w.reports.on {
			for _, e := range c.Entities() {
				w.reports.died(e)
			}
		}
		for _, p := range w.dataPools {
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
	a.clear(&w.store)
}

// clear takes all rows out; what their entities' records say is the caller's.
func (a *archetype) clear(s *store) {
	s.checkFreed()
	for _, c := range a.chunks {
		c.n = 0
		a.free(s, c)
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

// despawnEach is DespawnAll entity by entity, for queries that do not take whole
// archetypes and for worlds in which a death concerns others.
func (w *World) despawnEach(q *Query) (int, error) {
	list := w.takeList()
	defer func() { w.list = list }()
	list = q.matches(list)
	if err := w.despawnAll(list...); err != nil {
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
func (w *World) RemoveAll(q *Query, components ...ComponentRef) (int, error) {
	return w.ExchangeAll(q, components)
}

// ExchangeAll removes components from every entity that the query matches and
// gives them the values, and returns how many matched. It is a look for Changed.
// The error wraps what Exchange returns; nothing has changed then, unless a [Storage]
// has taken values before it refused one: as many entities as are returned have
// changed.
//
// Where the query takes archetypes whole and nothing is special about the
// components, columns move by spans of rows, and chunks change hands as they are
// when only components without bytes come or go. Rows keep their order, after
// those that are there already.
func (w *World) ExchangeAll(q *Query, components []ComponentRef, add ...Value) (int, error) {
	if err := w.checkBatch(q); err != nil {
		return 0, err
	}
	var few [8]ComponentID
	remove, err := w.numbersOf(few[:0], components)
	if err != nil {
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

// batchMove is the move of one archetype of a batch.
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
		w.reportMoves(p, add)
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

// planBatchMoves fills w.batchMoves with the move of each archetype, and makes room at the target.
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
		if err := w.exchange(e, remove, add); err != nil {
			return i, err
		}
	}
	return len(list), nil
}

// planEntities makes room for an exchange of each entity: at its target archetype, and in
// the pools of the values.
func (w *World) planEntities(list []Entity, remove []ComponentID, add []Value) (reservation, error) {
	r := w.newReservation(0)
	goals := w.goals[:0]
	defer func() { w.goals = goals[:0] }()
	for _, e := range list {
		_, record := w.find(e)
		from := w.tables[record.Table].arch
		given, gone, err := w.follow(e, remove, add)
		to := from
		if err == nil {
			to, err = w.route(from, gone, given)
		}
		w.values.give(given)
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

// fits reports whether chunks of another archetype can become chunks of a:
// both have the same columns.
func (a *archetype) fits(from *archetype) bool { return slices.Equal(a.columns, from.columns) }

// mirror makes sure that to has a layout for every size of chunk that from has.
func (w *World) mirror(from, to *archetype) error {
	for len(to.layouts) < len(from.layouts) {
		if err := w.addTable(to); err != nil {
			return err
		}
	}
	return nil
}

// moveAll takes all entities of an archetype to another, in which there is room.
func (w *World) moveAll(from, to *archetype, add []Value) {
	if to.fits(from) {
		w.handOver(from, to, add)
	}
	for _, c := range from.chunks {
		for row := 0; row < c.n; {
			d, k := to.openFor(&w.store, c.n-row)
			d.copyRun(d.n, c, row, k)
			w.slots.Move(d.handles(d.n, k), d.layout.table, d.unit, uint32(d.n))
			d.fillRun(d.n, k, add)
			to.extended(&w.store, d, k)
			row += k
		}
	}
	from.clear(&w.store)
}

// handOver gives the full chunks of an archetype to one with the same columns:
// only the records of their entities change. They come before a last chunk that
// is not full.
func (w *World) handOver(from, to *archetype, add []Value) {
	n, at := len(from.chunks), len(to.chunks)
	if last := from.chunks[n-1]; last.n < last.layout.capacity {
		n--
	}
	if at > 0 && to.chunks[at-1].n < to.chunks[at-1].layout.capacity {
		at--
	}
	for _, c := range from.chunks[:n] {
		from.units, to.units = from.units-c.layout.units, to.units+c.layout.units
		from.count, to.count = from.count-c.n, to.count+c.n
		c.layout = to.layouts[c.layout.class]
		c.versions[0] = w.version
		w.slots.Move(c.handles(0, c.n), c.layout.table, c.unit, 0)
		c.fillRun(0, c.n, add)
	}
	to.chunks = slices.Insert(to.chunks, at, from.chunks[:n]...)
	from.chunks = slices.Delete(from.chunks, 0, n)
}

// copyRun copies n rows of another chunk, in the columns that both have.
func (c *Chunk) copyRun(row int, from *Chunk, at, n int) {
	copy(c.handles(row, n), from.handles(at, n))
	theirs, i := from.layout.arch.columns, 0
	for j, column := range c.layout.arch.columns {
		for i < len(theirs) && theirs[i].id < column.id {
			i++
		}
		if i < len(theirs) && theirs[i].id == column.id {
			copyBytes(c.cell(j, row), from.cell(i, at), column.size*uintptr(n))
		}
	}
}

// overwriteAll stores the values in every row and stamps their columns.
func (c *Chunk) overwriteAll(values []Value) {
	c.fillRun(0, c.n, values)
	for i := range values {
		c.stamp(values[i].of.id)
	}
}

// poolsFor makes room for n rows in the pools of the values and of all that
// they may require.
func (w *World) poolsFor(r *reservation, values []Value, n int) {
	given, err := w.complete(0, nil, values) // an error was met before
	defer w.values.give(given)
	for i := range given {
		if p := given[i].of.pool; p != nil && err == nil {
			r.pool(p, n)
		}
	}
}
