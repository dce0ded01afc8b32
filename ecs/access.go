package ecs

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
)

// find returns the place of e's value, or nil.
//
// Why does the component and not the archetype know the offset? Then it is
// found with one load after the entity's record, by type and by number alike.
func (c *component) find(e Entity) unsafe.Pointer {
	r := c.world.slots.Record(uint64(e))
	if r == nil {
		return nil
	}
	if int(r.Table) < len(c.where) {
		if o := c.where[r.Table]; o != 0 {
			at := uintptr(r.Chunk)*arena.Unit + uintptr(o) + uintptr(r.Row)*c.size
			return unsafe.Add(c.world.arena.Base(), at)
		}
	}
	if c.pool != nil {
		return c.pool.find(e)
	}
	return nil
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

func (w *World) versionOf(e Entity, id ComponentID) uint64 {
	if p := w.components[id].pool; p != nil {
		return p.version(e)
	}
	if _, r := w.find(e); r != nil {
		return w.chunks[r.Chunk].Version(id)
	}
	return 0
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
func (c Component[T]) Get(e Entity) (v T, ok bool) {
	if p := c.info.find(e); p != nil {
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
