package ecs

import (
	"fmt"
	"unsafe"
)

// SpawnMany creates n entities with the given components, or none. Then init,
// if it is not nil, gets the new entities chunk by chunk, to read their handles
// and to write their columns; it runs under the iteration lock, and what it
// writes is told to nobody. Components that live in pools are reached in it by
// handle. The error wraps what TrySpawn returns, or ErrRange for a negative n.
//
// The cost is that of copying the values, by the column and not by the entity,
// unless a component is pooled, observed or has rules.
func (w *World) SpawnMany(n int, init func(*Chunk), values ...Value) error {
	switch {
	case w.locks > 0:
		return ErrIterating
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
		to.spawn(w, n, values)
	}
	w.committed("spawning many", 0)
	if init != nil {
		w.show(to, n, init)
	}
	return nil
}

// spawn adds n new rows with the values, for which there is room.
func (a *archetype) spawn(w *World, n int, values []Value) {
	for n > 0 {
		c, k := a.openFor(w, n)
		w.slots.Fill(c.handles(c.n, k), c.layout.table, c.unit, uint32(c.n))
		c.fillRun(c.n, k, values)
		a.extended(w, c, k)
		n -= k
	}
}

// openFor returns the chunk that takes the next rows, and how many of n it takes.
// Room was made before.
func (a *archetype) openFor(w *World, n int) (*Chunk, int) {
	c, err := a.reserve(w)
	if err != nil {
		panic(err) // grow has made room: a bug in this package
	}
	return c, min(n, c.layout.capacity-c.n)
}

// extended counts k rows that were written past the end of the last chunk.
func (a *archetype) extended(w *World, c *Chunk, k int) {
	c.n += k
	a.count += k
	c.versions[0] = w.version
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
	w.giveBack(given)
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
			return nil, err
		}
		made = append(made, e)
	}
	return to, nil
}

func (w *World) killAll(es []Entity) {
	for _, e := range es {
		w.kill(e, w.slots.Record(uint64(e)), w.hasRemoveHooks)
	}
}

// takeList takes the world's list of entities to work with, empty. Whoever
// takes it puts it back; a second one meanwhile gets a new one.
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
