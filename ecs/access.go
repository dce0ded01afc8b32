package ecs

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// find returns the place of e's value, or nil.
//
// Why does the component and not the archetype know the offset? Then it is
// found with one load after the entity's record, by type and by number alike.
func (c *component) find(e Entity) unsafe.Pointer {
	if r := c.world.slots.Peek(uint64(e)); r != nil && int(r.Table) < len(c.where) {
		if o := c.where[r.Table]; o != 0 {
			return unsafe.Add(c.world.arena.Base(), offset(r, o, c.size))
		}
	}
	return c.findAside(e)
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

// Pointer returns the place of e's value, for reading until the next structural
// change; nil when e is dead or lacks the component.
func (w *World) Pointer(e Entity, id ComponentID) unsafe.Pointer {
	if int(id) >= len(w.components) {
		return nil
	}
	return w.components[id].find(e)
}

// Edit is Pointer for writing: it stamps the component as changed.
func (w *World) Edit(e Entity, id ComponentID) unsafe.Pointer {
	p := w.Pointer(e, id)
	if p != nil {
		w.stamp(e, id)
		w.notice(OnSet, id, e, nil)
	}
	return p
}

// Has reports whether e is alive and has the component.
func (w *World) Has(e Entity, id ComponentID) bool { return w.Pointer(e, id) != nil }

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

// Components appends the components of e to ids, rising by number.
func (w *World) Components(e Entity, ids []ComponentID) []ComponentID {
	for id := range w.components {
		if w.Has(e, ComponentID(id)) {
			ids = append(ids, ComponentID(id))
		}
	}
	return ids
}

// Touch stamps the component of e as changed without telling observers, for
// those who wrote through Pointer.
func (w *World) Touch(e Entity, id ComponentID) {
	if w.Has(e, id) {
		w.stamp(e, id)
	}
}

// Get returns a copy of e's value.
//
// Why is find written out here? It is too long for the compiler to put it in
// place, a call is a third of the time, and the size is a constant here.
func (c Component[T]) Get(e Entity) (v T, ok bool) {
	info := c.info
	w := info.world
	if r := w.slots.Peek(uint64(e)); r != nil && int(r.Table) < len(info.where) {
		if o := info.where[r.Table]; o != 0 {
			return *(*T)(unsafe.Add(w.arena.Base(), offset(r, o, unsafe.Sizeof(v)))), true
		}
	}
	if p := info.findAside(e); p != nil {
		return *(*T)(p), true
	}
	return v, false
}

// Edit returns the place of e's value, to be read and written until the next
// structural change, and stamps it as changed; nil when e has none.
func (c Component[T]) Edit(e Entity) *T { return (*T)(c.world.Edit(e, c.id)) }

// Has reports whether e is alive and has the component.
func (c Component[T]) Has(e Entity) bool { return c.info.find(e) != nil }

// Set gives e the value, adding the component if e lacks it.
func (c Component[T]) Set(e Entity, v T) error { return c.world.Add(e, c.With(v)) }

// Remove takes the component from e; an entity without it stays as it is.
func (c Component[T]) Remove(e Entity) error { return c.world.Remove(e, c.id) }
