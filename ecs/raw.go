package ecs

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"time"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Raw is a world without Go's types: components, events, relations and resources by
// name or number, values as addresses and bytes, the memory itself. It is for code that
// learns at run time what there is: script hosts, inspectors, savers, compilers. A game
// in Go has [Component], [Event] and the methods of [World] instead, which check at
// compile time what Raw leaves to its caller.
//
// A number that nothing is registered under is no mistake here: the methods return nil,
// false or the zero value for it. An address is good until the next structural change;
// what is written there must be what the schema says, and is written unseen: [Raw.Touch]
// stamps it afterwards.
type Raw struct{ world *World }

// Raw returns the world without Go's types. O(1).
func (w *World) Raw() Raw { return Raw{w} }

// Define registers a component type at run time, with the same standing as a
// Go type. The same fields again return the same number, and their default is
// that of the newest schema from then on; other fields under a taken name are an
// error that wraps ErrConflict. With sparse, values live in a pool.
//
// Of the options, Requires, Requirement, Excludes and Hooks have a meaning here, at the first
// definition, and Tracked at any; those that say what the schema or sparse says are refused.
func (r Raw) Define(schema Schema, sparse bool, options ...ComponentOption) (ComponentID, error) {
	return r.world.define(schema, sparse, options...)
}

// Migrate begins a migration: other fields for types that were defined at run time.
func (r Raw) Migrate() *Migration { return r.world.migrate() }

// Compact gives back what the world holds and does not use: chunks without rows,
// chunks much longer than their rows need, pages of pools without entities,
// room on Go's heap; then the pages of all that is free in the arena.
//
// The room that Grow made is gone, too. Nothing else that a program can see
// changes: no entity, value, order or version. Rows of an archetype's last chunk
// may move, so borrowed slices and pointers die; while a query is being
// iterated, only the pages of free memory go back. What cannot be done because
// the arena is full is left as it is. O(everything), some microseconds for each
// archetype: call it between levels, not in a tick.
func (r Raw) Compact() { r.world.compact() }

// ComponentCount returns how many types are registered: their numbers are
// 0 to ComponentCount()-1.
func (r Raw) ComponentCount() int { return len(r.world.components) }

// ComponentNamed returns the component registered under a name.
func (r Raw) ComponentNamed(name string) (ComponentID, bool) { return r.world.componentNamed(name) }

// Schema returns the fields of a component, or nil. Do not change what it points to.
func (r Raw) Schema(id ComponentID) *Schema { return r.world.schemaByID(id) }

// GoType returns the Go type of a component, nil when it was defined at run time only.
func (r Raw) GoType(id ComponentID) reflect.Type { return r.world.goType(id) }

// OnHeap reports whether values of a component may be copied by their Go type only:
// they hold Go pointers, or lie in a Storage.
func (r Raw) OnHeap(id ComponentID) bool { return r.world.onHeap(id) }

// Pooled reports whether a component's values lie in a pool, as [Sparse] asks,
// and not in the chunks of their entities.
func (r Raw) Pooled(id ComponentID) bool { return r.world.pooled(id) }

// Ruled reports whether a component has rules, or others have rules about it: see
// [Requires], [Requirement], [Excludes] and [Hooks].
func (r Raw) Ruled(id ComponentID) bool { return r.world.ruled(id) }

// Default returns the address of a component's default, for reading until a type is registered or
// migrated; nil for a number that nothing is registered under. O(1).
func (r Raw) Default(id ComponentID) unsafe.Pointer { return r.world.defaultOf(id) }

// Together returns nil when an entity may have the values at the same time, and otherwise the error
// with which World.TrySpawn would refuse them: ErrConflict for components that exclude each other,
// what they require included, and for a Value of no component of this world. It changes nothing.
// O(values, and what they require).
func (r Raw) Together(values ...Value) error { return r.world.together(values) }

// Has reports whether e is alive and has the component.
func (r Raw) Has(e Entity, id ComponentID) bool { return r.world.pointer(e, id) != nil }

// Components appends the components of e to ids, rising by number.
func (r Raw) Components(e Entity, ids []ComponentID) []ComponentID {
	return r.world.componentsOf(e, ids)
}

// Pointer returns the address of e's value, for reading until the next structural
// change; nil when e is dead or lacks the component.
func (r Raw) Pointer(e Entity, id ComponentID) unsafe.Pointer { return r.world.pointer(e, id) }

// Edit is Pointer for writing: it stamps the component as changed and reports
// [OnSet] to observers.
func (r Raw) Edit(e Entity, id ComponentID) unsafe.Pointer { return r.world.edit(e, id) }

// ChangesAsked reports whether any query was ever made that names the component in
// [Query.Changed]. Until then, code that writes columns as bytes may stamp them without
// comparing them with what they were: the first look of such a query yields everything
// anyway, and only [Chunk.Version] shows the difference. O(1).
func (r Raw) ChangesAsked(id ComponentID) bool {
	return uint(id) < uint(len(r.world.components)) && r.world.components[id].changesAsked
}

// Since is [Component.Since] by number: the values are bytes. The error may wrap ErrUnknown,
// too.
func (r Raw) Since(id ComponentID, version uint64) (RawDelta, error) {
	return r.world.since(id, version)
}

// Touch stamps the component of e as changed without a report to observers, for
// values that were written through Pointer.
func (r Raw) Touch(e Entity, id ComponentID) { r.world.touch(e, id) }

// ValueAt pairs a component, mostly one defined at run time, with the data at p:
// as many bytes as its schema has. A nil p means the default. For a number that
// nothing is registered under it is the zero Value.
//
// The data is the caller's: it is read each time the value is used, and must be
// there and whole until the last. Only what lies in the world's own memory, as
// Pointer, Edit and columns give it, is copied at once, because rows move when
// others come. Recording the value in Commands copies it, too.
func (r Raw) ValueAt(id ComponentID, p unsafe.Pointer) Value { return r.world.valueAt(id, p) }

// DefineEvent registers an event type at run time. The same definition again
// returns the same number; a different one under a taken name wraps ErrConflict.
func (r Raw) DefineEvent(schema Schema) (EventID, error) { return r.world.defineEvent(schema) }

// EventNamed returns the event registered under a name.
func (r Raw) EventNamed(name string) (EventID, bool) { return r.world.eventNamed(name) }

// EventNames returns the names of all event types, in order of registration.
func (r Raw) EventNames() []string { return r.world.eventNames() }

// EventSchema returns the fields of an event, or nil. Do not change what it points to.
func (r Raw) EventSchema(id EventID) *Schema { return r.world.eventSchema(id) }

// EventType returns the Go type of an event, nil when it was defined at run time only.
func (r Raw) EventType(id EventID) reflect.Type { return r.world.eventType(id) }

// Reader makes a reader for an event type. It panics, with an error that wraps
// ErrUnknown, for a number that nothing is registered under.
func (r Raw) Reader(id EventID) *Reader { return r.world.newReader(id) }

// Subscribe is [Event.Subscribe] for an event type that was defined at run time. The address is
// good during the call; what it points to is what EventSchema says by then.
func (r Raw) Subscribe(id EventID, name string, do func(w *World, p unsafe.Pointer) error) error {
	return r.world.subscribe(id, name, do)
}

// Unsubscribe removes a subscriber by name; a name that is not there is ignored.
func (r Raw) Unsubscribe(id EventID, name string) { r.world.unsubscribe(id, name) }

// Retain says how long events wait: see [Event.Retain].
func (r Raw) Retain(id EventID, keep Retention) error { return r.world.retain(id, keep) }

// Losses returns the losses that have begun since the last call, in the order in
// which they did: one for each reader, and the next for the same reader after it has
// caught up. While a loss goes on, Stats count its events. At most 1,024 wait to
// be fetched.
func (r Raw) Losses() []Loss { return r.world.losses() }

// Dropped returns how many events were dropped since the world began, as Stats
// do, in O(event types).
func (r Raw) Dropped() uint64 { return r.world.dropped() }

// EventBytes returns how many bytes the events of all types take that are kept: those that some reader
// has not read, and those of this tick. O(1).
func (r Raw) EventBytes() int64 { return r.world.eventBytes() }

// EventStats describes the events of one type, as [World.Stats] does for all. O(readers).
func (r Raw) EventStats(id EventID) EventStats { return r.world.eventStats(id) }

// Turn returns how many turns the world has begun: steps, and Runs between them. It is the same for all code
// of one step, and no part of a snapshot. O(1).
func (r Raw) Turn() uint64 { return r.world.notices.turn }

// Spent returns how long the runs took, by the clock, that the system which has begun to run last had before,
// with what they caused. It is no part of a snapshot. O(1).
func (r Raw) Spent() time.Duration { return r.world.schedule.spent }

// TextBytes returns how many bytes the strings have that components of Go types hold, in fields that their
// schemas name. O(components), and O(values) of each that was written since the last call: a million of them
// with one string each take some milliseconds. No other goroutine may write them meanwhile.
func (r Raw) TextBytes() int64 { return r.world.textBytes() }

// RelationNamed returns the relation of a name, or nil.
func (r Raw) RelationNamed(name string) *Relation { return r.world.relationNamed(name) }

// Relations iterates the world's relations in the order in which they were made;
// the hierarchy is the first.
func (r Raw) Relations() iter.Seq[*Relation] { return r.world.allRelations() }

// ProvideNamed puts a pointer to a struct into the world under a name, for
// scripts and for several values of one type. The error wraps ErrConflict when
// it is no such pointer.
func (r Raw) ProvideNamed(name string, pointer any) error {
	return r.world.provideNamed(name, pointer)
}

// ResourceNamed returns the pointer provided under a name, or nil.
func (r Raw) ResourceNamed(name string) any { return r.world.resourceNamed(name) }

// ResourceNames returns the names of all resources in alphabetical order.
func (r Raw) ResourceNames() []string { return r.world.resourceNames() }

// Memory returns the arena: every byte that chunks, pools of pointer-free types
// and entity records lie in, for code that works in place on columns, such as
// compiled scripts. Its length is a multiple of 64 KiB, at most 65,535 times
// that; an address inside it minus that of its first byte fits in 32 bits. It
// neither moves nor grows, and it dies with the world: nil after Close, and when
// the system refuses the addresses, which are taken no later than here.
//
// What is written through it must be what the owner of those bytes would accept:
// the fields of components, within their kinds. Stamp columns with Chunk.Column.
func (r Raw) Memory() []byte { return r.world.memory() }

// MemoryMap returns the map of Memory. O(1).
func (r Raw) MemoryMap() MemoryMap { return r.world.memoryMap() }

// At returns the living entity in a slot, or 0. Tools use it to turn "12" into
// a handle; games keep handles.
func (r Raw) At(slot uint32) Entity { return r.world.at(slot) }

// Restores returns how many snapshots were restored to the world, loads included: whoever keeps something beside the
// world that follows from it makes it anew after another one. O(1).
func (r Raw) Restores() uint64 { return r.world.restores }

// Slots returns how many slots handles were ever issued of: no entity has a higher one.
func (r Raw) Slots() int { return r.world.slots.Used() }

// Room returns how many entities more can surely be spawned before ErrEntityLimit.
func (r Raw) Room() int { return r.world.room() }

// Reserve issues a handle that is alive but nowhere: it has no components, no
// query finds it, and it can be stored and named. Add gives it its place, with
// values or without; Despawn ends it. The error wraps ErrIterating or
// ErrEntityLimit.
func (r Raw) Reserve() (Entity, error) { return r.world.reserve() }

// IsPrefab reports whether e is alive and a prefab entity.
func (r Raw) IsPrefab(e Entity) bool { return r.world.isPrefab(e) }

// Sets returns how many sets of components exist in the world, the empty set
// included. They stay as long as the world, but for those that came after a snapshot that is
// restored.
func (r Raw) Sets() int { return r.world.setCount() }

// RowsWith returns how many rows have at least one of the components, those of prefabs included, and
// how many bytes these take: whole rows of archetypes, with all their columns and the handle of the
// entity, and rows of pools with the value and the handle. A [Migration] of the components copies
// them. The entity of a row in a pool may have another one in an archetype. Numbers that nothing is
// registered under, and values on Go's heap, are left out. O(archetypes + components).
func (r Raw) RowsWith(ids ...ComponentID) (rows int, bytes int64) { return r.world.rowsWith(ids) }

// ObserverCount returns how many observers wait for one of some changes of a component; one that waits for
// two of them counts twice. O(1).
func (r Raw) ObserverCount(id ComponentID, on Trigger) int { return r.world.observerCount(id, on) }

// Version counts system runs, from 1: what a system writes carries the version
// of its run. Chunk versions and Changed compare with it.
func (r Raw) Version() uint64 { return r.world.version }

// Tag returns the tag of the world's handles.
func (r Raw) Tag() uint16 { return r.world.options.Tag }

// Seed returns the seed that the world was opened with.
func (r Raw) Seed() uint64 { return r.world.options.Seed }

// Workers returns how many goroutines work at the same time, at most: what
// [Options].Workers said.
func (r Raw) Workers() int { return r.world.options.Workers }

// Hold takes the iteration lock, as a loop over a query does, until Release: direct
// structural changes return ErrIterating in between. It is for code that keeps
// addresses of columns while it calls functions that it does not know, as the script
// host does. Release also ends loops that a panic has left in between. O(1).
func (r Raw) Hold() Hold { return r.world.hold() }

// Ready returns nil when the world can be stepped, and what stands in the way otherwise:
// ErrClosed, or ErrIterating inside of a step, a run or a loop over a query. O(1).
func (r Raw) Ready() error {
	switch {
	case r.world.closed():
		return r.world.closedError()
	case r.world.clock.running.Load() || r.world.locks > 0:
		return ErrIterating
	}
	return nil
}

// Claim is for a host that makes steps with work of its own before and after the systems: until
// Release, World.Step, Schedule.StepContext and World.Run return ErrIterating to everybody else, on
// whatever goroutine, and so does World.Close. Of two that begin at the same time exactly one is
// refused. The holder steps by StepClaimed, and runs by RunClaimed. The error is ErrClosed, or wraps
// ErrIterating while a step or a Run is under way, or a claim. O(1).
func (r Raw) Claim() error {
	switch {
	case r.world.closed():
		return r.world.closedError()
	case !r.world.clock.running.bits.CompareAndSwap(0, claimed):
		return fmt.Errorf("%w: a claim inside a step, or beside one", ErrIterating)
	case r.world.locks > 0: // nobody else is at work by now
		r.Release()
		return ErrIterating
	}
	return nil
}

// Release ends the claim. Only its holder calls it.
func (r Raw) Release() {
	r.world.reports.ahead = false
	r.world.clock.running.bits.And(^claimed)
}

// StepClaimed is Schedule.StepContext for the holder of a claim, and World.Step with a nil context.
// Without a claim it is as these.
func (r Raw) StepClaimed(ctx context.Context, dt float64) error {
	if ctx != nil && ctx.Err() != nil {
		return fmt.Errorf("the step did not begin: %w", ContextError(ctx))
	}
	return r.world.step(ctx, dt, true)
}

// OnBegin has a function called before anything of a step, and of a Run, of the world: for code that
// keeps something which follows from the world alone, and is to follow from what the world is then. It
// may read the world, and changes nothing in it. Whoever holds a claim says when, by BeginClaimed. The function
// stays for as long as the world; nil does nothing.
func (r Raw) OnBegin(begin func()) {
	if begin != nil {
		r.world.schedule.begins = append(r.world.schedule.begins, begin)
	}
}

// BeginClaimed is for the holder of a claim, who begins a step: it calls the functions of OnBegin, which
// StepClaimed and RunClaimed do not.
func (r Raw) BeginClaimed() {
	r.world.reports.ahead = true
	r.world.schedule.turn(false)
}

// RunClaimed is World.Run, also for the holder of a claim.
func (r Raw) RunClaimed(name string, run func(*Tick) error) error {
	return r.world.run(name, run, true)
}

// Guard is for a host that recovers from panics of its own code around loops over
// the world. Systems and World.Run do not need it. A loop over [Rows] or [Rows2] that
// a panic leaves goes on holding the iteration lock, because nothing in it can catch
// the panic without making all loops slower. The function that Guard returns ends all
// loops that were begun after Guard was called:
//
//	func (h *host) inspect() (err error) {
//		defer h.recovered(&err)
//		defer h.world.Raw().Guard()()
//		for e, p := range ecs.Rows(h.positions, h.position) { … }
//
// Loops that were running before go on. Call what it returns once, from the
// goroutine that owns the world and from the function that called Guard. O(1).
func (r Raw) Guard() (end func()) { return r.world.guard() }

// memory is Raw.Memory.
func (w *World) memory() []byte {
	if w.reserveArena() != nil {
		return nil
	}
	return unsafe.Slice((*byte)(w.arena.Base()), w.arena.Size())
}

// memoryMap is Raw.MemoryMap.
func (w *World) memoryMap() MemoryMap {
	return MemoryMap{
		Records: arena.RecordsAt, Slots: uint32(min(w.arena.Slots(), slots.MaxSlots)), Directory: arena.DirectoryAt,
		Unit: arena.Unit, Scratch: arena.ScratchAt, ScratchEnd: arena.Page, Marks: w.arena.MarksAt(),
	}
}
