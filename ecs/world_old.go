package ecs

import (
	"iter"
	"reflect"
	"unsafe"
)

// The methods of this file have moved to [Raw], and go.

// ComponentCount is Raw.ComponentCount.
func (w *World) ComponentCount() int { return w.Raw().ComponentCount() }

// ComponentNamed is Raw.ComponentNamed.
func (w *World) ComponentNamed(name string) (ComponentID, bool) { return w.Raw().ComponentNamed(name) }

// GoType is Raw.GoType.
func (w *World) GoType(id ComponentID) reflect.Type { return w.Raw().GoType(id) }

// Has is Raw.Has.
func (w *World) Has(e Entity, id ComponentID) bool { return w.Raw().Has(e, id) }

// Components is Raw.Components.
func (w *World) Components(e Entity, ids []ComponentID) []ComponentID {
	return w.Raw().Components(e, ids)
}

// Pointer is Raw.Pointer.
func (w *World) Pointer(e Entity, id ComponentID) unsafe.Pointer { return w.Raw().Pointer(e, id) }

// Edit is Raw.Edit.
func (w *World) Edit(e Entity, id ComponentID) unsafe.Pointer { return w.Raw().Edit(e, id) }

// Touch is Raw.Touch.
func (w *World) Touch(e Entity, id ComponentID) { w.Raw().Touch(e, id) }

// ValueAt is Raw.ValueAt.
func (w *World) ValueAt(id ComponentID, p unsafe.Pointer) Value { return w.Raw().ValueAt(id, p) }

// EventSchema is Raw.EventSchema.
func (w *World) EventSchema(id EventID) *Schema { return w.Raw().EventSchema(id) }

// EventType is Raw.EventType.
func (w *World) EventType(id EventID) reflect.Type { return w.Raw().EventType(id) }

// Reader is Raw.Reader.
func (w *World) Reader(id EventID) *Reader { return w.Raw().Reader(id) }

// Relations is Raw.Relations.
func (w *World) Relations() iter.Seq[*Relation] { return w.Raw().Relations() }

// Memory is Raw.Memory.
func (w *World) Memory() []byte { return w.Raw().Memory() }

// At is Raw.At.
func (w *World) At(slot uint32) Entity { return w.Raw().At(slot) }

// Room is Raw.Room.
func (w *World) Room() int { return w.Raw().Room() }

// Reserve is Raw.Reserve.
func (w *World) Reserve() (Entity, error) { return w.Raw().Reserve() }

// IsPrefab is Raw.IsPrefab.
func (w *World) IsPrefab(e Entity) bool { return w.Raw().IsPrefab(e) }

// Sets is Raw.Sets.
func (w *World) Sets() int { return w.Raw().Sets() }

// Version is Raw.Version.
func (w *World) Version() uint64 { return w.Raw().Version() }

// Tag is Raw.Tag.
func (w *World) Tag() uint8 { return w.Raw().Tag() }

// Seed is Raw.Seed.
func (w *World) Seed() uint64 { return w.Raw().Seed() }

// Hold is Raw.Hold.
func (w *World) Hold() Hold { return w.Raw().Hold() }
