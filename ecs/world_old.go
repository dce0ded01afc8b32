package ecs

import (
	"iter"
	"reflect"
	"unsafe"
)

// The methods of this file have moved to [Raw], and go.

// Define is Raw.Define.
func (w *World) Define(schema Schema, sparse bool, options ...ComponentOption) (ComponentID, error) {
	return w.Raw().Define(schema, sparse, options...)
}

// Migrate is Raw.Migrate.
func (w *World) Migrate() *Migration { return w.Raw().Migrate() }

// ComponentCount is Raw.ComponentCount.
func (w *World) ComponentCount() int { return w.Raw().ComponentCount() }

// ComponentNamed is Raw.ComponentNamed.
func (w *World) ComponentNamed(name string) (ComponentID, bool) { return w.Raw().ComponentNamed(name) }

// Schema is Raw.Schema.
func (w *World) Schema(id ComponentID) *Schema { return w.Raw().Schema(id) }

// GoType is Raw.GoType.
func (w *World) GoType(id ComponentID) reflect.Type { return w.Raw().GoType(id) }

// OnHeap is Raw.OnHeap.
func (w *World) OnHeap(id ComponentID) bool { return w.Raw().OnHeap(id) }

// Pooled is Raw.Pooled.
func (w *World) Pooled(id ComponentID) bool { return w.Raw().Pooled(id) }

// Ruled is Raw.Ruled.
func (w *World) Ruled(id ComponentID) bool { return w.Raw().Ruled(id) }

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

// DefineEvent is Raw.DefineEvent.
func (w *World) DefineEvent(schema Schema) (EventID, error) { return w.Raw().DefineEvent(schema) }

// EventNamed is Raw.EventNamed.
func (w *World) EventNamed(name string) (EventID, bool) { return w.Raw().EventNamed(name) }

// EventNames is Raw.EventNames.
func (w *World) EventNames() []string { return w.Raw().EventNames() }

// EventSchema is Raw.EventSchema.
func (w *World) EventSchema(id EventID) *Schema { return w.Raw().EventSchema(id) }

// EventType is Raw.EventType.
func (w *World) EventType(id EventID) reflect.Type { return w.Raw().EventType(id) }

// Reader is Raw.Reader.
func (w *World) Reader(id EventID) *Reader { return w.Raw().Reader(id) }

// Losses is Raw.Losses.
func (w *World) Losses() []Loss { return w.Raw().Losses() }

// Dropped is Raw.Dropped.
func (w *World) Dropped() uint64 { return w.Raw().Dropped() }

// RelationNamed is Raw.RelationNamed.
func (w *World) RelationNamed(name string) *Relation { return w.Raw().RelationNamed(name) }

// Relations is Raw.Relations.
func (w *World) Relations() iter.Seq[*Relation] { return w.Raw().Relations() }

// ProvideNamed is Raw.ProvideNamed.
func (w *World) ProvideNamed(name string, pointer any) error {
	return w.Raw().ProvideNamed(name, pointer)
}

// ResourceNamed is Raw.ResourceNamed.
func (w *World) ResourceNamed(name string) any { return w.Raw().ResourceNamed(name) }

// ResourceNames is Raw.ResourceNames.
func (w *World) ResourceNames() []string { return w.Raw().ResourceNames() }

// Memory is Raw.Memory.
func (w *World) Memory() []byte { return w.Raw().Memory() }

// MemoryMap is Raw.MemoryMap.
func (w *World) MemoryMap() MemoryMap { return w.Raw().MemoryMap() }

// At is Raw.At.
func (w *World) At(slot uint32) Entity { return w.Raw().At(slot) }

// Slots is Raw.Slots.
func (w *World) Slots() int { return w.Raw().Slots() }

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

// Workers is Raw.Workers.
func (w *World) Workers() int { return w.Raw().Workers() }

// Hold is Raw.Hold.
func (w *World) Hold() Hold { return w.Raw().Hold() }

// Guard is Raw.Guard.
func (w *World) Guard() (end func()) { return w.Raw().Guard() }
