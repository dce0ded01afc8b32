package ecs

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/work"
)

// Commands records structural changes while queries are being iterated, and
// applies them in the order recorded. A system's commands are applied when it
// returns, and dropped when it fails. Recording allocates nothing once the
// buffers are warm.
//
// Commands for an entity that has died by the time they apply are passed over:
// two systems may well kill the same enemy. Those for a handle that the world has never
// issued fail.
//
// The zero Commands belongs to no world. It issues no entities, and Apply drops what was
// recorded and reports ErrConflict. It has no Preview.
type Commands struct {
	world    *World
	ops      []op
	values   []storedValue
	data     []uint64 // the bytes of pointer-free values
	kept     []any    // keeps values with Go pointers alive
	reserved []Entity // issued by Spawn and not settled yet
	scratch  []Value
	applying bool
	over     bool        // it was a job's, which has ended
	ticket   work.Ticket // while the world is frozen: the jobs for which Spawn waits
	lost     []Entity    // issued meanwhile, and dropped
	preview  *Preview    // nil until somebody asks for it
	sets     *setCounter // likewise
	large    largeValues // what a preview of the large components needs
	costs    changeCosts // what changes take beyond their commands
	restores uint64      // of the world, when the first command was recorded
	told     applyErrors // of subscribers of the events that Apply has sent so far
	callers  []Caller    // of ops, as far as changes are reported
}

// opKind says what a command does.
type opKind uint8

const (
	opSpawn opKind = iota
	opDespawn
	opAdd
	opRemove
	opExchange
	opCopy
	opLater
	opPatch
	opBlend
	opMerge
	opRelate
	opEmit
	opDo
)

// op is one recorded change. Values lie in values[at:at+n].
type op struct {
	kind   opKind
	id     uint32 // component, event or relation; opExchange: where in data those removed are; opMerge: where the pieces are
	offset uint32 // opPatch: first byte in the component; opExchange: how many are removed; opEmit: the event's era; opMerge: 1 if observers get no notice
	at, n  uint32 // opMerge: n is the number of pieces; opPatch, opEmit: where in data the bytes are, and how many; opBlend: those, and after them as many of the mask; opDo: at in kept
	entity Entity
	other  Entity // of two; opPatch, opBlend: the component's era
}

// storedValue is a value kept by the buffer: at an index of data, or of kept. One of
// another world, or of none, keeps nothing; applying it is refused. So is one
// whose component has had another layout since.
type storedValue struct {
	of  *component
	at  uint32
	era uint32
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
	e := c.reserve()
	c.record(op{kind: opSpawn, entity: e}, values)
	return e
}

// reserve issues a handle that lives or dies with the buffer until it is settled,
// 0 if there is none.
func (c *Commands) reserve() Entity {
	e, err := c.issue()
	if err == nil {
		c.began()
		c.reserved = append(c.reserved, e)
	}
	return e
}

// Despawn records the end of e and its children.
func (c *Commands) Despawn(e Entity) { c.record(op{kind: opDespawn, entity: e}, nil) }

// Add records that e gets the values, added or replaced.
func (c *Commands) Add(e Entity, values ...Value) { c.record(op{kind: opAdd, entity: e}, values) }

// Remove records that e loses a component. For one of another world Apply reports
// ErrConflict.
func (c *Commands) Remove(e Entity, component ComponentRef) {
	if o, ok := component.(owned); c.world == nil || component == nil || ok && o.owner() != c.world {
		c.refuse(fmt.Errorf("%w: commands remove a component of another world, or of none", ErrConflict))
		return
	}
	c.record(op{kind: opRemove, entity: e, id: uint32(component.ID())}, nil)
}

// Exchange records that e loses components and gets values, in one move, as in
// World.Exchange.
func (c *Commands) Exchange(e Entity, remove []ComponentID, add ...Value) {
	at := c.keep(unsafe.Pointer(unsafe.SliceData(remove)), uintptr(len(remove))*unsafe.Sizeof(ComponentID(0)))
	c.record(op{kind: opExchange, entity: e, id: at, offset: uint32(len(remove))}, add)
}

// Copy reserves an entity, as Spawn does, and records that it becomes a copy of
// e as e is by then, as in World.Copy. If e has died or has no place, it dies.
func (c *Commands) Copy(e Entity, overrides ...Value) Entity {
	copied := c.reserve()
	if c.world != nil {
		c.large.copy(c.world, e, copied)
	}
	c.record(op{kind: opCopy, entity: copied, other: e}, overrides)
	return copied
}

// DespawnLater records that e is named for the next flush, as in
// World.DespawnLater.
func (c *Commands) DespawnLater(e Entity) { c.record(op{kind: opLater, entity: e}, nil) }

// Patch records that some bytes of e's component change; an entity without the
// component gets its default first. It is how scripts set single fields. Bytes
// past the component's end make Apply report ErrRange, a component that does not
// exist ErrUnknown, bytes of a field that holds Go pointers ErrConflict: see Merge.
func (c *Commands) Patch(e Entity, id ComponentID, offset uintptr, bytes []byte) {
	at := c.keep(unsafe.Pointer(unsafe.SliceData(bytes)), uintptr(len(bytes)))
	far := uint32(min(uint64(offset), math.MaxUint32)) // past the end of anything
	c.countLarge(e, id)
	c.note(op{kind: opPatch, entity: e, id: uint32(id), offset: far, at: at, n: uint32(len(bytes)), other: c.eraOf(id)})
}

// Blend is Patch for bytes that do not lie side by side: byte i of the component becomes
// value[i] where mask[i] is not 0. For observers it
// is one change. For a mask of another length Apply reports ErrRange.
func (c *Commands) Blend(e Entity, id ComponentID, value, mask []byte) {
	if len(value) != len(mask) {
		c.refuse(fmt.Errorf("%w: %d bytes, and a mask for %d", ErrRange, len(value), len(mask)))
		return
	}
	at := c.keep(unsafe.Pointer(unsafe.SliceData(value)), uintptr(len(value)))
	c.keep(unsafe.Pointer(unsafe.SliceData(mask)), uintptr(len(mask)))
	c.countLarge(e, id)
	c.note(op{kind: opBlend, entity: e, id: uint32(id), at: at, n: uint32(len(value)), other: c.eraOf(id)})
}

// Piece is a part of a component's value: so many bytes, or a string, which lies where
// the component's schema has a field of kind [String].
type Piece struct {
	Offset, Size uintptr
	Text         bool
}

// Merge records that pieces of e's component become those of the value; an entity
// without the component gets all of the value. It is how scripts set fields of
// components that hold strings, and of those that they do not know to be there. A
// piece past the component's end makes Apply report ErrRange, and so does a string
// where the component has none. Other Go pointers are not for pieces: ErrConflict.
func (c *Commands) Merge(e Entity, v Value, pieces []Piece) { c.merging(e, v, pieces, 0) }

// Assign is Merge for values that were written in place as far as observers are
// concerned: they get no [OnSet]. The component counts as changed, and its hooks
// are called. It is how scripts store what they have assigned to fields of rows that
// had been changed by commands before.
func (c *Commands) Assign(e Entity, v Value, pieces []Piece) { c.merging(e, v, pieces, 1) }

// merging records an opMerge; quiet is 1 if observers get no notice.
func (c *Commands) merging(e Entity, v Value, pieces []Piece, quiet uint32) {
	for _, p := range pieces {
		switch {
		case v.of == nil:
		case p.Offset > v.of.size || p.Size > v.of.size-p.Offset:
			c.refuse(fmt.Errorf("%w: %d bytes from byte %d on of %q, which has %d", ErrRange, p.Size, p.Offset, v.of.schema.Name, v.of.size))
			return
		case !p.Text && v.of.pointersIn(p.Offset, p.Offset+p.Size):
			c.refuse(v.of.pointersError())
			return
		case p.Text && !stringAt(v.of.schema.Fields, p.Offset):
			c.refuse(fmt.Errorf("%w: byte %d of %q is not where a string begins", ErrRange, p.Offset, v.of.schema.Name))
			return
		}
	}
	at := c.keep(unsafe.Pointer(unsafe.SliceData(pieces)), uintptr(len(pieces))*unsafe.Sizeof(Piece{}))
	o := op{kind: opMerge, entity: e, id: at, offset: quiet, at: uint32(len(c.values)), n: uint32(len(pieces))}
	c.store(&v, e)
	c.note(o)
}

// stringAt reports whether one of the fields, or an element of one, is a string that
// begins at an offset.
func stringAt(fields []Field, at uintptr) bool {
	for i := range fields {
		f := &fields[i]
		if at < f.Offset || at-f.Offset >= f.Stride*uintptr(max(f.Len, 1)) {
			continue
		}
		in := (at - f.Offset) % f.Stride
		return f.Kind == String && in == 0 || f.Kind == Struct && stringAt(f.Fields, in)
	}
	return false
}

// piecesAt returns the pieces of an opMerge.
func (c *Commands) piecesAt(o op) []Piece {
	if o.n == 0 {
		return nil // its place in data may be too short for a Piece
	}
	return unsafe.Slice((*Piece)(c.dataAt(o.id)), o.n)
}

// copyPieces copies pieces of a value, strings as strings.
func copyPieces(to, from unsafe.Pointer, pieces []Piece) {
	for _, p := range pieces {
		if p.Text {
			*(*string)(unsafe.Add(to, p.Offset)) = *(*string)(unsafe.Add(from, p.Offset))
		} else {
			copyBytes(unsafe.Add(to, p.Offset), unsafe.Add(from, p.Offset), p.Size)
		}
	}
}

// eraOf returns the era of a component now, 0 for a number that nobody has.
func (c *Commands) eraOf(id ComponentID) Entity {
	if c.world == nil || uint(id) >= uint(len(c.world.components)) {
		return 0
	}
	return Entity(c.world.components[id].era)
}

// SetParent records that child becomes the last child of parent.
func (c *Commands) SetParent(child, parent Entity) {
	if c.world == nil {
		c.refuse(errNoWorld)
		return
	}
	c.Relate(c.world.ChildOf(), child, parent)
}

// Relate records that source becomes the last source of target in a relation;
// target 0 takes the target away. A relation of another world makes Apply report
// ErrConflict.
func (c *Commands) Relate(r *Relation, source, target Entity) {
	if r == nil {
		c.refuse(fmt.Errorf("%w: a nil relation", ErrConflict))
		return
	}
	if r.world != c.world {
		c.refuse(fmt.Errorf("%w: relation %q is of another world", ErrConflict, r.name))
		return
	}
	c.note(op{kind: opRelate, id: uint32(r.index), entity: source, other: target})
}

// Do records a function, for what no other command says. It may make any change
// to the world; its error is reported by Apply. What it records in the same buffer
// is applied last. Functions that record functions without end are cut off after
// 65,536 of them: Apply reports ErrCycle. For a nil one it reports ErrConflict.
func (c *Commands) Do(change func(*World) error) {
	if change == nil {
		c.refuse(fmt.Errorf("%w: a command without a function", ErrConflict))
		return
	}
	c.kept = append(c.kept, change)
	c.note(op{kind: opDo, at: uint32(len(c.kept) - 1)})
}

// errNoWorld is the error of commands that belong to no world.
var errNoWorld = fmt.Errorf("%w: these commands belong to no world", ErrConflict)

// refuse records what Apply is to report for a command that makes no sense.
func (c *Commands) refuse(err error) { c.Do(func(*World) error { return err }) }

// emit records an event of a registered type.
func (c *Commands) emit(id EventID, p unsafe.Pointer, size uintptr) {
	era := c.world.events.streams[id].era
	c.note(op{kind: opEmit, id: uint32(id), offset: era, at: c.keep(p, size), n: uint32(size)})
}

// Len returns how many commands are recorded.
func (c *Commands) Len() int { return len(c.ops) }

// Bytes returns about how many bytes the recorded commands take, with what their
// [Preview] needs for values of more than 128 bytes, whether it was made or
// not, and what CountMove and CountDespawn have counted. The capacity that is kept for the next
// ones does not count.
func (c *Commands) Bytes() int {
	return len(c.data)*8 + len(c.ops)*int(unsafe.Sizeof(op{})) + len(c.values)*int(unsafe.Sizeof(storedValue{})) + len(c.kept)*perKept + c.large.bytes
}

// perKept is about what a function or a value with Go pointers takes.
const perKept = 64

// Spawned returns how many entities the recorded commands create.
func (c *Commands) Spawned() int { return len(c.reserved) }

// record appends a command and copies of its values.
func (c *Commands) record(o op, values []Value) {
	o.at, o.n = uint32(len(c.values)), uint32(len(values))
	for i := range values {
		c.store(&values[i], o.entity)
	}
	c.note(o)
}

// note appends a command.
func (c *Commands) note(o op) {
	c.began()
	if o.kind == opRelate || o.kind == opCopy {
		c.costs.links++
	}
	c.ops = append(c.ops, o)
	if c.world != nil && c.world.reports.on {
		c.noteCaller()
	}
}

// began notes, with the first command, which past of the world the commands are about.
func (c *Commands) began() {
	if len(c.ops)+len(c.reserved) == 0 && c.world != nil {
		c.restores = c.world.restores
	}
}

// outlived reports whether the world has been restored from a snapshot since the commands were
// recorded: the handles that they have issued may be those of other entities by now.
func (c *Commands) outlived() bool {
	return c.restores != c.world.restores && len(c.ops)+len(c.reserved) > 0
}

// store copies a value into the buffer: the caller's memory may change before
// the commands apply.
func (c *Commands) store(v *Value, e Entity) {
	info := v.of
	switch {
	case info == nil || info.world != c.world:
		c.values = append(c.values, storedValue{of: info})
	case info.era != 0 && v.stale(): // of fewer bytes, perhaps
		c.values = append(c.values, storedValue{info, 0, uint32(v.buf[0])})
	case !info.heap:
		c.large.add(e, info)
		c.values = append(c.values, storedValue{info, c.keep(v.data(), info.size), info.era})
	default:
		c.large.bytes += 2 * int(info.size) // here, and a copy for each look
		c.kept = append(c.kept, info.pool.(heapStored).clone(v.ptr))
		c.values = append(c.values, storedValue{info, uint32(len(c.kept) - 1), info.era})
	}
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

// Drop forgets the recorded changes; entities that Spawn reserved die.
func (c *Commands) Drop() {
	for _, e := range c.reserved {
		c.release(e)
	}
	c.clear()
}

// clear empties the buffer and keeps its room. It ends no entity: Drop does.
func (c *Commands) clear() {
	c.preview.forget()
	c.sets.forget()
	c.large.forget()
	c.costs.forget()
	clear(c.kept)
	clear(c.scratch)
	clear(c.callers)
	c.applying, c.told = false, applyErrors{}
	c.ops, c.values, c.data = c.ops[:0], c.values[:0], c.data[:0]
	c.kept, c.reserved, c.scratch = c.kept[:0], c.reserved[:0], c.scratch[:0]
	c.callers = c.callers[:0]
}

// lend gives the buffer of a job to its world until end, and drops what was recorded after the
// last one.
func (c *Commands) lend(w *World) (strays int) {
	strays = c.strays()
	c.world, c.over = w, false
	return strays
}

// end takes the buffer of a job, which is empty, from its world: whoever has kept it records
// with commands of no world.
func (c *Commands) end() { c.world, c.over = nil, true }

// strays drops what was recorded with a tick that is over, and returns how many commands that
// were.
func (c *Commands) strays() int {
	n := len(c.ops)
	switch {
	case n == 0 && len(c.reserved) == 0:
	case c.world == nil:
		c.clear()
	default:
		c.Drop()
	}
	return n
}

// take moves the commands of another buffer to the end of this one.
func (c *Commands) take(from *Commands) {
	c.began()
	values, data, kept := uint32(len(c.values)), uint32(len(c.data)), uint32(len(c.kept))
	if len(c.callers)+len(from.callers) > 0 {
		c.callers = append(c.padCallers(len(c.ops)), from.padCallers(len(from.ops))...)
	}
	for _, o := range from.ops {
		switch o.kind {
		case opPatch, opBlend, opEmit:
			o.at += data
		case opDo:
			o.at += kept
		case opExchange, opMerge:
			o.at, o.id = o.at+values, o.id+data
		default:
			o.at += values
		}
		c.ops = append(c.ops, o)
	}
	c.costs.links += from.costs.links
	c.costs.extra += from.costs.extra
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
	c.large.bytes += from.large.bytes // at most
	from.clear()
	from.lost = from.lost[:0]
}

// Mark is a place in the record of a buffer of commands; see [Commands.Mark].
type Mark struct {
	ops, values, data, kept, reserved, large int
	costs                                    costsMark
}

// Mark returns the end of the record as it is now, for Rewind. It costs some
// nanoseconds, so that a caller may take one before each entity it works on.
// A mark is good until the commands are applied or dropped.
func (c *Commands) Mark() Mark {
	return Mark{len(c.ops), len(c.values), len(c.data), len(c.kept), len(c.reserved), c.large.bytes, c.costs.mark()}
}

// Rewind forgets what was recorded since a mark; entities that Spawn reserved
// since then die. It is how the part of a system's work that failed is left out
// while the rest goes on. O(commands forgotten); a [Preview] that has seen them begins again.
func (c *Commands) Rewind(m Mark) {
	released := len(c.reserved) > m.reserved
	for _, e := range c.reserved[m.reserved:] {
		c.release(e)
	}
	if c.preview != nil && c.preview.seen > m.ops {
		c.preview.forget()
	}
	c.sets.rewind(c.ops, m.ops)
	c.large.rewind(m)
	c.costs.rewind(m.costs, m.values)
	clear(c.kept[m.kept:])
	c.callers = c.callers[:min(len(c.callers), m.ops)]
	c.ops, c.values, c.data = c.ops[:m.ops], c.values[:m.values], c.data[:m.data]
	c.kept, c.reserved = c.kept[:m.kept], c.reserved[:m.reserved]
	if released && !c.world.frozen.on {
		c.world.committed("rewinding commands", 0)
	}
}

// release ends an entity that was reserved and not placed; while the world stands
// still it is not alive yet, and dies as soon as it would be.
func (c *Commands) release(e Entity) {
	if c.world.closed() || c.outlived() {
		return
	}
	if !c.ticket.Zero() {
		c.lost = append(c.lost, e)
		return
	}
	if r := c.world.slots.Record(uint64(e)); r != nil && r.Table == limbo {
		c.world.slots.Release(uint64(e))
	}
}

// issue returns a new handle for a buffer.
func (c *Commands) issue() (Entity, error) {
	w := c.world
	switch {
	case w == nil:
		return 0, errNoWorld
	case !w.frozen.on:
		return w.issue()
	case c.ticket.Zero():
		return 0, fmt.Errorf("%w: only a system's own commands issue handles beside other systems", ErrIterating)
	}
	c.ticket.Wait()
	h, ok := w.frozen.handles.Next()
	if !ok {
		return 0, ErrEntityLimit
	}
	return Entity(h), nil
}

// settle ends a buffer's part in a frozen world: the handles that it has issued and
// dropped die.
func (c *Commands) settle() {
	c.ticket = work.Ticket{}
	for _, e := range c.lost {
		c.world.slots.Release(uint64(e))
	}
	c.lost = c.lost[:0]
}

// largeValues counts what a [Preview] of commands would need for large components: each set of
// one field takes a copy of the whole value, so that a few bytes of commands may stand for
// many bytes of values.
//
// Why not when the preview is made? Then it would depend on who has asked for it how much
// the same commands take, and a host that limits them would cut a script there or not.
//
// Invariant: known holds the places in log. bytes is the sum of their sizes, and of those
// values that have no place and what else was counted. rows has the sum of the sizes for each entity,
// those in pools left out, and no sum was ever above widest.
type largeValues struct {
	bytes  int
	known  map[largePlace]struct{}
	log    []largeNote
	rows   map[Entity]int
	widest int
}

// largePlace is a component of an entity.
type largePlace struct {
	entity Entity
	id     ComponentID
}

// largeNote is a place, and the bytes before it.
type largeNote struct {
	largePlace
	before int
	row    int // bytes of it in rows
}

// smallValue is the size in bytes up to which a value is not counted: it takes little more
// than the command.
const smallValue = 128

// countLarge counts a component that a command changes in part.
func (c *Commands) countLarge(e Entity, id ComponentID) {
	if c.world != nil && uint(id) < uint(len(c.world.components)) {
		c.large.add(e, c.world.components[id])
	}
}

// add counts a component that a command changes, once for each entity, and those that it
// requires, whatever the condition.
func (l *largeValues) add(e Entity, info *component) {
	info.withNeeds(always, func(c *component) { l.addOne(e, c) })
}

// addOne counts one component of an entity.
func (l *largeValues) addOne(e Entity, info *component) {
	if info.size <= smallValue || info.heap {
		return
	}
	at := largePlace{e, info.id}
	if _, ok := l.known[at]; ok {
		return
	}
	if l.known == nil {
		l.known, l.rows = map[largePlace]struct{}{}, map[Entity]int{}
	}
	l.known[at] = struct{}{}
	note := largeNote{at, l.bytes, 0}
	if info.pool == nil {
		note.row = int(info.size)
		l.rows[e] += note.row
		l.widest = max(l.widest, l.rows[e])
	}
	l.log = append(l.log, note)
	l.bytes += int(info.size)
}

// copy counts what a copy of an entity gets.
func (l *largeValues) copy(w *World, e, copied Entity) {
	for _, info := range w.components {
		if info.size <= smallValue {
			continue
		}
		if _, known := l.known[largePlace{e, info.id}]; known || w.has(e, info.id) {
			l.add(copied, info)
		}
	}
}

// rewind takes back what was counted since a mark.
func (l *largeValues) rewind(m Mark) {
	for n := len(l.log); n > 0 && l.log[n-1].before >= m.large; n-- {
		last := l.log[n-1]
		delete(l.known, last.largePlace)
		l.rows[last.entity] -= last.row
		l.log = l.log[:n-1]
	}
	l.bytes = m.large
}

// forget empties it, but for the room of a usual tick.
func (l *largeValues) forget() {
	if l.bytes == 0 {
		return
	}
	if len(l.log) > keptPlaces {
		l.known, l.log, l.rows = nil, nil, nil
	}
	clear(l.known)
	clear(l.rows)
	l.log, l.bytes, l.widest = l.log[:0], 0, 0
}

// keptPlaces is for how many places the room stays.
const keptPlaces = 1 << 16
