package ecs

import (
	"errors"
	"fmt"
	"unsafe"
)

// Commands records structural changes while queries are being iterated, and
// applies them in the order recorded. A system's commands are applied when it
// returns, and dropped when it fails. Recording allocates nothing once the
// buffers are warm.
//
// Commands for an entity that has died by the time they apply are passed over:
// two systems may well kill the same enemy.
type Commands struct {
	world    *World
	ops      []op
	values   []stored
	data     []uint64 // the bytes of pointer-free values
	kept     []any    // keeps values with Go pointers alive
	reserved []Entity // issued by Spawn and not settled yet
	scratch  []Value
	applying bool
	turn     turn     // while the world stands still: whom Spawn waits for
	lost     []Entity // issued meanwhile, and dropped
}

type opKind uint8

const (
	opSpawn opKind = iota
	opDespawn
	opAdd
	opRemove
	opPatch
	opRelate
	opEmit
	opDo
)

// op is one recorded change. Values lie in values[at:at+n].
type op struct {
	kind   opKind
	id     uint32 // component, event or relation
	offset uint32 // opPatch: first byte in the component
	at, n  uint32
	entity Entity
	other  Entity
}

// stored is a value kept by the buffer: at an index of data, or of kept. One of
// another world, or of none, keeps nothing; applying it is refused.
type stored struct {
	of *component
	at uint32
}

// NewCommands returns an empty buffer for w.
func (w *World) NewCommands() *Commands { return &Commands{world: w} }

// Spawn reserves an entity and records its creation. The handle is alive at
// once, can be named by later commands and stored in components; it has no
// components until the commands are applied. The zero Entity comes back when
// the world's entity limit is reached; Apply then reports ErrEntityLimit.
//
// Beside other systems (see System.Parallel) and in Tick.Parallel, handles are
// the same as if one had run after the other: so the first Spawn waits until all
// that comes before is done, and the handle is alive only when the world has
// moved on.
func (c *Commands) Spawn(values ...Value) Entity {
	e, err := c.issue()
	if err == nil {
		c.reserved = append(c.reserved, e)
	}
	c.record(op{kind: opSpawn, entity: e}, values)
	return e
}

// Despawn records the end of e and its children.
func (c *Commands) Despawn(e Entity) { c.record(op{kind: opDespawn, entity: e}, nil) }

// Add records that e gets the values, added or replaced.
func (c *Commands) Add(e Entity, values ...Value) { c.record(op{kind: opAdd, entity: e}, values) }

// Remove records that e loses a component.
func (c *Commands) Remove(e Entity, id ComponentID) {
	c.record(op{kind: opRemove, entity: e, id: uint32(id)}, nil)
}

// Patch records that some bytes of e's component change; an entity without the
// component gets its default first. It is how scripts set single fields. Bytes
// past the component's end make Apply report ErrRange. Do not patch fields that
// hold Go pointers.
func (c *Commands) Patch(e Entity, id ComponentID, offset uintptr, bytes []byte) {
	at := c.keep(unsafe.Pointer(unsafe.SliceData(bytes)), uintptr(len(bytes)))
	c.ops = append(c.ops, op{kind: opPatch, entity: e, id: uint32(id), offset: uint32(offset), at: at, n: uint32(len(bytes))})
}

// SetParent records that child becomes the last child of parent.
func (c *Commands) SetParent(child, parent Entity) {
	c.Relate(c.world.ChildOf(), child, parent)
}

// Relate records that source becomes the last source of target in a relation;
// target 0 takes the target away. A relation of another world makes Apply report
// ErrConflict.
func (c *Commands) Relate(r *Relation, source, target Entity) {
	if r.world != c.world {
		c.Do(func(*World) error { return fmt.Errorf("%w: relation %q is of another world", ErrConflict, r.name) })
		return
	}
	c.ops = append(c.ops, op{kind: opRelate, id: uint32(r.index), entity: source, other: target})
}

// Do records a function, for what no other command says. It may make any change
// to the world; its error is reported by Apply.
func (c *Commands) Do(change func(*World) error) {
	c.kept = append(c.kept, change)
	c.ops = append(c.ops, op{kind: opDo, at: uint32(len(c.kept) - 1)})
}

// emit records an event of a registered type.
func (c *Commands) emit(id EventID, p unsafe.Pointer, size uintptr) {
	c.ops = append(c.ops, op{kind: opEmit, id: uint32(id), at: c.keep(p, size)})
}

// Len returns how many commands are recorded.
func (c *Commands) Len() int { return len(c.ops) }

// Spawned returns how many entities the recorded commands create.
func (c *Commands) Spawned() int { return len(c.reserved) }

func (c *Commands) record(o op, values []Value) {
	o.at, o.n = uint32(len(c.values)), uint32(len(values))
	for i := range values {
		c.store(&values[i])
	}
	c.ops = append(c.ops, o)
}

// store copies a value into the buffer: the caller's memory may change before
// the commands apply.
func (c *Commands) store(v *Value) {
	info := v.of
	if info == nil || info.world != c.world {
		c.values = append(c.values, stored{of: info})
		return
	}
	if !info.heap {
		c.values = append(c.values, stored{of: info, at: c.keep(v.data(), info.size)})
		return
	}
	c.kept = append(c.kept, info.pool.(heapStored).clone(v.ptr))
	c.values = append(c.values, stored{of: info, at: uint32(len(c.kept) - 1)})
}

// keep copies n bytes and returns where they begin in data.
func (c *Commands) keep(p unsafe.Pointer, n uintptr) uint32 {
	at := len(c.data)
	for range (n + 7) / 8 {
		c.data = append(c.data, 0)
	}
	if n > 0 {
		copyBytes(unsafe.Pointer(&c.data[at]), p, n)
	}
	return uint32(at)
}

// Apply makes the recorded changes and empties the buffer. A command that fails
// for another reason than a dead entity does not stop those after it; the
// errors come back joined.
func (c *Commands) Apply() error {
	if c.world.locks > 0 {
		return ErrIterating
	}
	if c.applying {
		return fmt.Errorf("%w: a command applies the commands that it belongs to", ErrCycle)
	}
	c.applying = true
	var errs []error
	for i := 0; i < len(c.ops); i++ { // a function of Do may record more
		if err := c.apply(c.ops[i]); err != nil && !errors.Is(err, ErrDead) {
			errs = append(errs, err)
		}
	}
	c.clear()
	c.world.committed("applying commands, the last", 0)
	return errors.Join(errs...)
}

func (c *Commands) apply(o op) error {
	w := c.world
	switch o.kind {
	case opSpawn:
		return c.spawn(o)
	case opDespawn:
		return w.Despawn(o.entity)
	case opAdd:
		return w.Add(o.entity, c.load(o)...)
	case opRemove:
		return w.Remove(o.entity, ComponentID(o.id))
	case opPatch:
		return c.patch(o)
	case opRelate:
		return w.relations[o.id].Set(o.entity, o.other)
	case opEmit:
		return w.events.push(EventID(o.id), c.dataAt(o.at))
	default:
		return c.kept[o.at].(func(*World) error)(w)
	}
}

func (c *Commands) spawn(o op) error {
	if o.entity == 0 {
		return ErrEntityLimit
	}
	switch r := c.world.slots.Record(uint64(o.entity)); {
	case r == nil:
		return nil // despawned before it was placed
	case r.Table != limbo:
		return c.world.Add(o.entity, c.load(o)...) // placed by an Add outside of the buffer
	}
	err := c.world.settle(o.entity, c.load(o))
	if err != nil {
		c.world.slots.Release(uint64(o.entity))
	}
	return err
}

func (c *Commands) patch(o op) error {
	w, id := c.world, ComponentID(o.id)
	switch size := w.components[id].size; {
	case w.components[id].reserved != "":
		return w.components[id].notYours()
	case uintptr(o.offset)+uintptr(o.n) > size:
		return fmt.Errorf("%w: bytes %d to %d of %q, which has %d", ErrRange, o.offset, uintptr(o.offset)+uintptr(o.n), w.components[id].schema.Name, size)
	}
	if !w.Has(o.entity, id) {
		if err := w.Add(o.entity, w.ValueAt(id, nil)); err != nil {
			return err
		}
	}
	copyBytes(unsafe.Add(w.Edit(o.entity, id), o.offset), c.dataAt(o.at), uintptr(o.n))
	w.call(w.components[id].rules.hooks.set, o.entity, w.components[id])
	return nil
}

// load gives a command's values back in the form that Add and settle take.
func (c *Commands) load(o op) []Value {
	c.scratch = c.scratch[:0]
	for _, s := range c.values[o.at : o.at+o.n] {
		v := Value{of: s.of}
		switch {
		case s.of == nil || s.of.world != c.world:
		case s.of.heap:
			v.ptr = s.of.pool.(heapStored).address(c.kept[s.at])
		default:
			v.ptr = c.dataAt(s.at)
		}
		c.scratch = append(c.scratch, v)
	}
	return c.scratch
}

// dataAt returns the address of what keep has copied. Nothing was copied for a
// value of no bytes: an address past the end would be one of another object.
func (c *Commands) dataAt(at uint32) unsafe.Pointer {
	if int(at) == len(c.data) {
		return nil
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(c.data)), uintptr(at)*8)
}

// Drop forgets the recorded changes; entities that Spawn reserved die.
func (c *Commands) Drop() {
	for _, e := range c.reserved {
		c.release(e)
	}
	c.clear()
}

func (c *Commands) clear() {
	clear(c.kept)
	clear(c.scratch)
	c.applying = false
	c.ops, c.values, c.data = c.ops[:0], c.values[:0], c.data[:0]
	c.kept, c.reserved, c.scratch = c.kept[:0], c.reserved[:0], c.scratch[:0]
}

// take moves the commands of another buffer to the end of this one.
func (c *Commands) take(from *Commands) {
	values, data, kept := uint32(len(c.values)), uint32(len(c.data)), uint32(len(c.kept))
	for _, o := range from.ops {
		switch o.kind {
		case opPatch, opEmit:
			o.at += data
		case opDo:
			o.at += kept
		default:
			o.at += values
		}
		c.ops = append(c.ops, o)
	}
	for _, s := range from.values {
		if s.of != nil && s.of.heap {
			s.at += kept
		} else {
			s.at += data
		}
		c.values = append(c.values, s)
	}
	c.data, c.kept = append(c.data, from.data...), append(c.kept, from.kept...)
	c.reserved, c.lost = append(c.reserved, from.reserved...), append(c.lost, from.lost...)
	from.clear()
	from.lost = from.lost[:0]
}
