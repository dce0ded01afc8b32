package ecs

import (
	"errors"
	"fmt"
	"unsafe"
)

const (
	// maxNested bounds the functions of Do that other functions have recorded while
	// the commands were being applied.
	maxNested = 1 << 16
	// maxErrors is how many errors of commands one Apply returns in full.
	maxErrors = 64
)

// Apply makes the recorded changes and empties the buffer. A command for an entity that has
// died, or for the zero Entity, is passed over; one for a handle that this world has never
// issued fails with ErrDead. A command that fails does not stop those after it; the
// errors come back joined, those after the 64th as a number and the last of them.
// A hook or a function of Do that panics ends it: what was applied stays, the rest
// is dropped, and the buffer is empty. In a closed world all of it is dropped, with ErrClosed.
func (c *Commands) Apply() error {
	failed, told := c.applyAll()
	return errors.Join(failed, told)
}

// applyAll is Apply. It returns the errors of the subscribers of events apart, for they are not
// those of the system that has sent them.
func (c *Commands) applyAll() (_, told error) {
	switch {
	case c.world == nil:
		c.clear()
		if c.over {
			return fmt.Errorf("%w: the Tick of these commands is over", ErrConflict), nil
		}
		return errNoWorld, nil
	case c.world.closed():
		c.Drop()
		return c.world.closedError(), nil
	case c.outlived():
		c.Drop()
		return fmt.Errorf("%w: the commands were recorded before the world was restored from a snapshot", ErrConflict), nil
	case c.world.locks > 0:
		return ErrIterating, nil
	case c.applying:
		return fmt.Errorf("%w: a command applies the commands that it belongs to", ErrCycle), nil
	}
	c.applying = true
	defer c.abandon()
	var failed applyErrors
	recorded, nested := len(c.ops), 0
	for i := 0; i < len(c.ops); i++ { // a function of Do may record more, and a subscriber
		if i >= recorded && c.callsFunction(c.ops[i]) {
			nested++
		}
		if nested > maxNested {
			failed.note(fmt.Errorf("%w: functions in commands have recorded %d others, and go on", ErrCycle, maxNested))
			c.Drop()
			break
		}
		if c.world.reports.on {
			c.world.reports.by.caller = c.callerOf(i)
		}
		failed.note(c.apply(c.ops[i]))
	}
	c.world.reports.by.caller = Caller{}
	told = c.told.join()
	c.clear()
	c.world.committed("applying commands", 0)
	return failed.join(), told
}

// callsFunction reports whether a command calls a function of the host, which may record others.
func (c *Commands) callsFunction(o op) bool {
	return o.kind == opDo || o.kind == opEmit && len(c.world.events.streams[o.id].subscribers) > 0
}

// abandon drops what a panic has left; after an Apply that came to its end there
// is nothing.
func (c *Commands) abandon() {
	if c.applying {
		c.Drop()
	}
}

// idle reports whether Apply has nothing to do.
func (c *Commands) idle() bool {
	return len(c.ops) == 0 && len(c.reserved) == 0 && !c.applying && c.world.locks == 0
}

// applyErrors are errors of which the first are kept, and one of those that say again that
// the memory is full.
type applyErrors struct {
	errs []error
	more int
	last error // of all
	full bool  // one that is kept says that the memory is full
}

// note adds an error, but for one that says that an entity is dead, or none: that of a handle
// which was never issued is a mistake.
func (f *applyErrors) note(err error) {
	if err == nil {
		return
	}
	if stray := (*strayHandle)(nil); !errors.Is(err, ErrDead) || errors.As(err, &stray) {
		f.add(err)
	}
}

// add adds an error.
func (f *applyErrors) add(err error) {
	if err == nil {
		return
	}
	f.last = err
	full := errors.Is(err, ErrArenaFull)
	if len(f.errs) == maxErrors || full && f.full {
		f.more++
		return
	}
	f.full = f.full || full
	f.errs = append(f.errs, err)
}

// join returns all errors as one, nil if there is none.
func (f *applyErrors) join() error {
	if f.more > 0 {
		f.errs = append(f.errs, fmt.Errorf("%d more commands failed, the last: %w", f.more, f.last))
	}
	return errors.Join(f.errs...)
}

// apply makes the change of one command.
func (c *Commands) apply(o op) error {
	w := c.world
	if c.late(o) {
		return nil
	}
	switch o.kind {
	case opSpawn:
		return c.spawn(o)
	case opCopy:
		return c.copy(o)
	case opDespawn:
		return w.Despawn(o.entity)
	case opLater:
		return w.DespawnLater(o.entity)
	case opAdd:
		return w.Add(o.entity, c.load(o)...)
	case opRemove:
		return w.Remove(o.entity, ComponentID(o.id))
	case opExchange:
		return w.exchange(o.entity, unsafe.Slice((*ComponentID)(c.dataAt(o.id)), o.offset), c.load(o))
	case opPatch, opBlend:
		return c.patch(o)
	case opMerge:
		return c.merge(o)
	case opRelate:
		return w.relations[o.id].Set(o.entity, o.other)
	case opEmit:
		return c.push(o)
	default:
		return c.kept[o.at].(func(*World) error)(w)
	}
}

// late reports whether a command is for an entity that has died, or for none, and so is passed
// over.
//
// Why does it not just fail? The error says which entity it was and when it died. To write that
// takes three times as long as to end an entity, and a loop that ends all of a family one by one
// names most of them too late.
func (c *Commands) late(o op) bool {
	w := c.world
	switch o.kind {
	case opDespawn, opLater, opAdd, opExchange, opMerge:
		return w.gone(o.entity)
	case opRemove:
		return int(o.id) < len(w.components) && w.gone(o.entity)
	case opRelate:
		return w.gone(o.entity) || o.other != 0 && w.gone(o.other) && w.placed(o.entity)
	}
	return false
}

// gone reports whether an entity has died, or there is no such entity. It is not for handles that were never
// issued.
func (w *World) gone(e Entity) bool {
	return w.slots.Record(uint64(e)) == nil && (e == 0 || w.slots.Issued(uint64(e)))
}

// spawn gives a reserved entity its place, or its values if it was placed meanwhile. If
// that fails, the entity dies.
func (c *Commands) spawn(o op) error {
	if o.entity == 0 {
		return c.noEntityError()
	}
	r := c.world.slots.Record(uint64(o.entity))
	switch {
	case r == nil:
		return nil // despawned before it was placed
	case r.Table != limbo:
		return c.world.Add(o.entity, c.load(o)...) // placed by an Add outside of the buffer
	}
	err := c.world.settle(o.entity, r, c.load(o))
	if err != nil {
		c.world.slots.Release(uint64(o.entity))
	}
	return err
}

// noEntityError says why Spawn or Copy got no handle.
func (c *Commands) noEntityError() error {
	if c.world.closed() {
		return ErrClosed
	}
	if err := c.world.reserveArena(); err != nil {
		return err
	}
	return ErrEntityLimit
}

// copy settles a reserved entity; one that was placed meanwhile stays as it is.
func (c *Commands) copy(o op) error {
	if o.entity == 0 {
		return c.noEntityError()
	}
	w := c.world
	if r := w.slots.Record(uint64(o.entity)); r == nil || r.Table != limbo {
		return nil
	}
	err := c.world.deadError(o.other)
	if w.placed(o.other) {
		err = w.copyTo(o.entity, o.other, c.load(o))
	}
	if err != nil {
		w.slots.Release(uint64(o.entity))
	}
	return err
}

// patch overwrites bytes of a component. An entity without it gets the default first.
func (c *Commands) patch(o op) error {
	w, id := c.world, ComponentID(o.id)
	if uint(id) >= uint(len(w.components)) {
		return fmt.Errorf("%w: component %d", ErrUnknown, id)
	}
	switch size := w.components[id].size; {
	case w.components[id].reserved != "":
		return w.components[id].reservedError()
	case uint64(o.other) != uint64(w.components[id].era):
		return fmt.Errorf("%w: a patch of %q was recorded before a migration", ErrConflict, w.components[id].schema.Name)
	case uint64(o.offset)+uint64(o.n) > uint64(size):
		return fmt.Errorf("%w: bytes %d to %d of %q, which has %d", ErrRange, o.offset, uintptr(o.offset)+uintptr(o.n), w.components[id].schema.Name, size)
	}
	if k := w.components[id]; k.heap && c.patchesPointers(k, o) {
		return k.pointersError()
	}
	if !w.has(o.entity, id) {
		if w.gone(o.entity) {
			return nil
		}
		if err := w.Add(o.entity, w.valueAt(id, nil)); err != nil {
			return err
		}
	}
	if to := unsafe.Add(w.edit(o.entity, id), o.offset); o.kind == opBlend {
		c.blend(to, o)
	} else {
		copyBytes(to, c.dataAt(o.at), uintptr(o.n))
	}
	w.callHook(w.components[id].rules.hooks.set, o.entity, w.components[id])
	return nil
}

// patchesPointers reports whether a patch would write bytes of Go pointers, which the
// collector must not find half written.
func (c *Commands) patchesPointers(k *component, o op) bool {
	if o.kind == opPatch {
		return k.pointersIn(uintptr(o.offset), uintptr(o.offset)+uintptr(o.n))
	}
	if o.n == 0 {
		return false
	}
	for i, m := range unsafe.Slice((*byte)(c.dataAt(o.at+(o.n+7)/8)), o.n) {
		if m != 0 && k.pointersIn(uintptr(i), uintptr(i)+1) {
			return true
		}
	}
	return false
}

// merge sets pieces of a component, or adds all of it.
func (c *Commands) merge(o op) error {
	w, v := c.world, c.load(op{at: o.at, n: 1})[0]
	if v.of == nil || v.of.world != w || v.of.reserved != "" || v.stale() || !w.has(o.entity, v.of.id) {
		return w.Add(o.entity, v) // which says what is wrong with it
	}
	if o.offset == 0 {
		w.notice(OnSet, v.of.id, o.entity, nil)
	}
	w.wrote(o.entity, v.of.id, o.offset != 0)
	w.stamp(o.entity, v.of.id)
	copyPieces(w.pointer(o.entity, v.of.id), v.data(), c.piecesAt(o))
	w.callHook(v.of.rules.hooks.set, o.entity, v.of)
	return nil
}

// blend copies the bytes that the mask after them names.
func (c *Commands) blend(to unsafe.Pointer, o op) {
	if o.n == 0 {
		return
	}
	value := unsafe.Slice((*byte)(c.dataAt(o.at)), o.n)
	mask := unsafe.Slice((*byte)(c.dataAt(o.at+(o.n+7)/8)), o.n)
	for i, m := range mask {
		if m != 0 {
			*(*byte)(unsafe.Add(to, i)) = value[i]
		}
	}
}

// push sends an event, unless events of its type have had another layout since.
func (c *Commands) push(o op) error {
	s := &c.world.events
	if t := s.streams[o.id]; t.era != o.offset {
		return fmt.Errorf("%w: an event %q was recorded before a migration", ErrConflict, t.schema.Name)
	}
	c.told.add(c.world.send(EventID(o.id), c.dataAt(o.at)))
	return nil
}

// load gives a command's values back in the form that Add and settle take.
func (c *Commands) load(o op) []Value {
	c.scratch = c.scratch[:0]
	for _, s := range c.values[o.at : o.at+o.n] {
		v := Value{of: s.of, buf: [4]uint64{uint64(s.era)}}
		switch {
		case s.of == nil || s.of.world != c.world:
		case s.era != s.of.era:
			v.ptr = unsafe.Pointer(c) // a stale value is refused before this is read
		default:
			v.ptr = c.valueAt(s)
		}
		c.scratch = append(c.scratch, v)
	}
	return c.scratch
}

// valueAt returns where the buffer keeps a value, which is not stale.
func (c *Commands) valueAt(s storedValue) unsafe.Pointer {
	if s.of.heap {
		return s.of.pool.(heapStored).address(c.kept[s.at])
	}
	return c.dataAt(s.at)
}

// dataAt returns the address of what keep has copied. Nothing was copied for a
// value of no bytes: an address past the end would be one of another object.
func (c *Commands) dataAt(at uint32) unsafe.Pointer {
	if int(at) == len(c.data) {
		return nil
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(c.data)), uintptr(at)*8)
}
