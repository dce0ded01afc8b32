package ecs

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Exchange removes components from e and gives it values, in one move: the
// components come and go together, for observers too. A component that is both
// removed and given stays and gets the value. Those e lacks are passed over, and
// an entity that is only reserved gets its place. The error wraps what Add and
// Remove return, and nothing has changed then.
func (w *World) Exchange(e Entity, remove []ComponentID, add ...Value) error {
	r := w.slots.Record(uint64(e))
	switch {
	case r == nil:
		return w.deadError(e)
	case w.locks > 0:
		return ErrIterating
	case r.Table == limbo:
		return w.settle(e, r, add)
	}
	from := w.tables[r.Table].arch
	less, special, err := w.without(from, remove)
	if err != nil {
		return err
	}
	to, more, err := w.shape(less, add)
	switch {
	case err != nil:
		return err
	case special|more != 0:
		return w.change(e, r, remove, add)
	case to == from:
		w.chunks[r.Chunk].overwrite(int(r.Row), add)
		return nil
	}
	return w.shift(e, r, from, to, add)
}

// change is the long way of every structural change of one entity, for
// components that are pooled, observed or have rules. An entity without a place
// gets one. Everything that can fail is done before anything is changed.
func (w *World) change(e Entity, r *slots.Record, remove []ComponentID, add []Value) error {
	if !w.frozen.on && ruled(add) { // while it stands still, e has all that it is given
		list, err := w.complete(e, remove, add)
		defer w.giveBack(list)
		if err != nil {
			return err
		}
		add = list
	}
	from := w.tables[r.Table].arch
	to, err := w.prepare(e, from, remove, add)
	if err != nil {
		return err
	}
	w.callRemoveHooks(e, remove, add)
	w.noticeChange(e, from, remove, add)
	due := w.findDueHooks(e, add)
	switch {
	case r.Table == limbo:
		to.push(w, to.last(), e, r)
	case to != from:
		w.move(e, r, from, to, to.last())
	}
	w.write(e, r, add)
	for _, id := range remove {
		if p := w.components[id].pool; p != nil && !gives(add, id) {
			p.remove(e)
		}
	}
	w.callDueHooks(e, due)
	w.committed("changing the components", e)
	return nil
}

// takeValues takes an empty list to work with; giveBack returns it. What its
// values point to is not the world's to keep.
func (w *World) takeValues() []Value {
	n := len(w.values) - 1
	if n < 0 {
		return nil
	}
	list := w.values[n]
	w.values = w.values[:n]
	return list
}

func (w *World) giveBack(list []Value) {
	clear(list)
	w.values = append(w.values, list[:0])
}

// prepare finds where e goes and makes room for it there and in the pools.
func (w *World) prepare(e Entity, from *archetype, remove []ComponentID, add []Value) (*archetype, error) {
	to, err := w.route(from, remove, add)
	if err != nil {
		return nil, err
	}
	for i := range add {
		if p := add[i].of.pool; p != nil {
			if err := p.reserve(e); err != nil {
				return nil, err
			}
		}
	}
	if to == from {
		return to, nil
	}
	_, err = to.reserve(w)
	return to, err
}

// route finds the archetype that an entity of archetype from has once it has
// lost and got components, and refuses what must not be written.
func (w *World) route(from *archetype, remove []ComponentID, add []Value) (*archetype, error) {
	if from.id == limbo {
		from = w.empty()
	}
	less, removed, err := w.without(from, remove)
	if err != nil {
		return nil, err
	}
	to, added, err := w.shape(less, add)
	if err == nil && (removed|added)&reservedTrait != 0 {
		err = w.refuseReserved(remove, add)
	}
	return to, err
}

// refuseReserved names the component that is not everybody's to write.
func (w *World) refuseReserved(remove []ComponentID, add []Value) error {
	for _, id := range remove {
		if w.components[id].reserved != "" {
			return w.components[id].reservedError()
		}
	}
	for i := range add {
		if add[i].of.reserved != "" {
			return add[i].of.reservedError()
		}
	}
	return nil
}

// noticeChange records for the observers what is about to happen to e.
func (w *World) noticeChange(e Entity, from *archetype, remove []ComponentID, add []Value) {
	if w.notices.any == 0 {
		return
	}
	if from.id == limbo {
		w.notice(OnSpawn, 0, e, nil)
	}
	w.noticeRemoved(e, remove, add)
	w.noticeGiven(e, add)
}

// noticeRemoved records what is about to be removed from e and not given again.
func (w *World) noticeRemoved(e Entity, ids []ComponentID, add []Value) {
	for i, id := range ids {
		if w.components[id].watch&OnRemove == 0 || slices.Contains(ids[:i], id) || gives(add, id) {
			continue
		}
		if p := w.pointer(e, id); p != nil {
			w.notice(OnRemove, id, e, p)
		}
	}
}

// noticeGiven records what is about to be written to e: one notice for each
// component, whatever number of values it gets.
func (w *World) noticeGiven(e Entity, values []Value) {
	for i := range values {
		id := values[i].of.id
		if w.components[id].watch&(OnAdd|OnSet) == 0 || gives(values[:i], id) {
			continue
		}
		if w.has(e, id) {
			w.notice(OnSet, id, e, nil)
		} else {
			w.notice(OnAdd, id, e, nil)
		}
	}
}

// noticeDespawn records the removal of everything that a dying entity had.
func (w *World) noticeDespawn(a *archetype, e Entity) {
	if a.id == limbo {
		return // nobody was told that it came
	}
	w.notice(OnDespawn, 0, e, nil)
	if a.watched&OnRemove != 0 {
		w.noticeRemoved(e, a.ids, nil)
	}
	for _, p := range w.pools {
		if id := p.of().id; p.of().watch&OnRemove != 0 {
			if at := p.find(e); at != nil {
				w.notice(OnRemove, id, e, at)
			}
		}
	}
}

// gives reports whether one of the values is of a component.
func gives(values []Value, id ComponentID) bool {
	for i := range values {
		if values[i].of.id == id {
			return true
		}
	}
	return false
}

// write stores the values into an entity that has room for them.
func (w *World) write(e Entity, r *slots.Record, values []Value) {
	w.chunks[r.Chunk].overwrite(int(r.Row), values)
	for i := range values {
		v := &values[i]
		switch p := v.of.pool.(type) {
		case nil:
		case *arenaPool:
			p.put(e, v.data())
		default:
			p.put(e, v.ptr)
		}
	}
}

// overwrite stores those of the values that are columns of a row, and stamps
// them as changed.
func (c *Chunk) overwrite(row int, values []Value) {
	c.fill(row, values)
	for i := range values {
		if values[i].of.pool == nil {
			c.stamp(values[i].of.id)
		}
	}
}

// fill is overwrite for a row that has just come: its chunk is stamped already.
func (c *Chunk) fill(row int, values []Value) {
	offsets := c.layout.offsets
	for i := range values {
		v := &values[i]
		size := v.of.size
		if size == 0 || v.of.pool != nil {
			continue
		}
		copyBytes(unsafe.Add(c.base, uintptr(offsets[v.of.id])+uintptr(row)*size), v.data(), size)
	}
}
