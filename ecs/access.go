package ecs

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// find returns the place of e's value, or nil.
func (c *component) find(e Entity) unsafe.Pointer {
	if p := c.peek(e); p != nil {
		return p
	}
	return c.findAside(e)
}

// peek is find for a component whose values lie in chunks; nil for others.
//
// Why does the component and not the archetype know the offset, and the records
// too? Then a value is found with one load after the entity's record, by type
// and by number alike. What is dead has no table, and table 0 has no columns.
func (c *component) peek(e Entity) unsafe.Pointer {
	if i := e & (slots.MaxSlots - 1); i < Entity(len(c.records)) {
		r := &c.records[i]
		if Entity(r.Stamp) == e>>slots.IndexBits && int(r.Table) < len(c.where) {
			if o := c.where[r.Table]; o > 0 {
				return unsafe.Add(c.base, offset(r, o, c.size))
			}
		}
	}
	return nil
}

// offset returns where in the arena a row's value lies: column is where the
// column lies in its chunk.
func offset(r *slots.Record, column uint32, size uintptr) uintptr {
	return uintptr(r.Chunk)*arena.Unit + uintptr(column) + uintptr(r.Row)*size
}

// findAside looks in the component's pool.
func (c *component) findAside(e Entity) unsafe.Pointer {
	if c.pool == nil || !c.world.Alive(e) {
		return nil
	}
	return c.pool.find(e)
}

// pointer is Raw.Pointer.
func (w *World) pointer(e Entity, id ComponentID) unsafe.Pointer {
	if int(id) >= len(w.components) {
		return nil
	}
	return w.components[id].find(e)
}

// edit is Raw.Edit.
func (w *World) edit(e Entity, id ComponentID) unsafe.Pointer {
	p := w.pointer(e, id)
	if p != nil {
		w.stamp(e, id)
		w.notice(OnSet, id, e, nil)
	}
	return p
}

// has is Raw.Has.
func (w *World) has(e Entity, id ComponentID) bool { return w.pointer(e, id) != nil }

// stamp marks the component of a living entity that has it as changed.
func (w *World) stamp(e Entity, id ComponentID) {
	if p := w.components[id].pool; p != nil {
		p.stamp(e)
		return
	}
	if _, r := w.find(e); r != nil {
		w.chunks[r.Chunk].stamp(id)
	}
}

// componentsOf is Raw.Components.
func (w *World) componentsOf(e Entity, ids []ComponentID) []ComponentID {
	for id := range w.components {
		if w.has(e, ComponentID(id)) {
			ids = append(ids, ComponentID(id))
		}
	}
	return ids
}

// touch is Raw.Touch.
func (w *World) touch(e Entity, id ComponentID) {
	if w.has(e, id) {
		w.stamp(e, id)
	}
}

// Get returns a copy of e's value.
func (c Component[T]) Get(e Entity) (v T, ok bool) {
	if p := c.info.find(e); p != nil {
		return *(*T)(p), true
	}
	return v, false
}

// Peek returns the place of e's value, to be read until the next structural
// change; nil when e is dead or lacks the component, and for any e when the
// component lives in a pool or a storage of its own: Get finds those. It is for
// loops that follow many handles: Go inlines it, which makes it about twice as
// fast as Get.
//
// Why is peek written out here? A call of it, inlined too, is past what Go
// inlines into the caller's loop.
func (c Component[T]) Peek(e Entity) (p *T) {
	if i := e & (slots.MaxSlots - 1); i < Entity(len(c.info.records)) {
		r := &c.info.records[i]
		if Entity(r.Stamp) == e>>slots.IndexBits && int(r.Table) < len(c.info.where) {
			if o := c.info.where[r.Table]; o > 0 {
				p = (*T)(unsafe.Add(c.info.base, uintptr(r.Chunk)*arena.Unit+uintptr(o)+uintptr(r.Row)*unsafe.Sizeof(*p)))
			}
		}
	}
	return
}

// Edit returns the place of e's value, to be read and written until the next
// structural change, and stamps it as changed; nil when e has none.
func (c Component[T]) Edit(e Entity) *T { return (*T)(c.info.world.edit(e, c.info.id)) }

// Has reports whether e is alive and has the component.
func (c Component[T]) Has(e Entity) bool { return c.info.find(e) != nil }

// Set gives e the value, adding the component if e lacks it.
//
// Why is With written out here? What it returns is copied into the slice that Add
// gets, and the copy waits until the value has left the processor for the cache.
func (c Component[T]) Set(e Entity, v T) error {
	if unsafe.Sizeof(v) > unsafe.Sizeof(Value{}.buf) || c.info.heap {
		return c.info.world.Add(e, boxed(c.info, v))
	}
	one := [1]Value{{of: c.info}}
	*(*T)(unsafe.Pointer(&one[0].buf)) = v
	return c.info.world.Add(e, one[:]...)
}

// Remove takes the component from e; an entity without it stays as it is.
func (c Component[T]) Remove(e Entity) error { return c.info.world.Remove(e, c.info.id) }
