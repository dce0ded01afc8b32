package ecs

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"unsafe"
)

// MaxUnread is how many events of one type wait for their readers when Options
// say nothing else. Beyond it the oldest half is dropped: Raw.Losses says which
// reader has missed them, and Stats count. Of events of more than 500 bytes, only
// so many wait as fit into 64 MiB, whatever Options say.
const MaxUnread = 1 << 17

// unreadWords is what the events of one type take at most, in words of 8 bytes.
const unreadWords = 64 << 20 / 8

// EventID is the number of an event type in its world.
type EventID uint32

// Event is the handle of an event type. Events are values without Go pointers;
// each reader sees each event once, in the order in which they were sent.
//
// A system that sends another event of the same type for each that it reads goes on for
// ever, but never within a tick: what it sends is seen by its readers after it
// has returned.
type Event[T any] struct {
	world *World
	id    EventID
}

// events are the event types of a world, by number.
type events struct {
	limit   int // Options.MaxUnread
	losses  []Loss
	streams []*stream
	types   map[reflect.Type]EventID
	names   map[string]EventID
}

// stream keeps the events of one type until every reader has seen them.
//
// Invariant: first ≤ every reader's next ≤ first + the number of events kept.
type stream struct {
	schema  *Schema
	era     uint32 // migrations of the type so far
	typ     reflect.Type
	words   int // uint64s per event
	most    int // events that may wait
	limit   int // what Options allow
	data    []uint64
	first   uint64 // number of the oldest event kept
	readers []*Reader
	dropped uint64
	sent    uint64 // the first event of this tick
}

// RegisterEvent makes T an event type. It panics when T holds Go pointers, the name is
// taken by a different type or the world is closed.
func RegisterEvent[T any](w *World) Event[T] {
	t := reflect.TypeFor[T]()
	if err := w.refuseDeclaring("event " + t.String()); err != nil {
		panic(fmt.Errorf("ecs.RegisterEvent: %w", err))
	}
	if id, ok := w.events.types[t]; ok {
		return Event[T]{w, id}
	}
	if hasPointers(t) || t.Name() == "" {
		panic(fmt.Errorf("ecs.RegisterEvent: %w: %s holds Go pointers or has no name", ErrConflict, t))
	}
	id, err := w.events.define(schemaOf(t.Name(), t))
	if err == nil && w.events.streams[id].typ != nil {
		err = fmt.Errorf("%w: event name %q is taken by another type", ErrConflict, t.Name())
	}
	if err != nil {
		panic(fmt.Errorf("ecs.RegisterEvent: %w", err))
	}
	w.events.streams[id].typ = t
	w.events.types[t] = id
	return Event[T]{w, id}
}

// defineEvent is Raw.DefineEvent.
func (w *World) defineEvent(schema Schema) (EventID, error) {
	if err := w.refuseDeclaring(fmt.Sprintf("event %q", schema.Name)); err != nil {
		return 0, err
	}
	if schema.Name == "" {
		return 0, fmt.Errorf("%w: an event needs a name", ErrConflict)
	}
	if err := schema.Layout(); err != nil {
		return 0, err
	}
	return w.events.define(&schema)
}

// define returns the number of an event type, and adds it when it is new. The error wraps
// ErrConflict when the name exists with other fields.
func (s *events) define(schema *Schema) (EventID, error) {
	if s.names == nil {
		s.names, s.types = map[string]EventID{}, map[reflect.Type]EventID{}
	}
	if id, ok := s.names[schema.Name]; ok {
		if !s.streams[id].schema.Same(schema) {
			return 0, fmt.Errorf("%w: event %q exists with other fields", ErrConflict, schema.Name)
		}
		return id, nil
	}
	id := EventID(len(s.streams))
	t := &stream{limit: s.limit}
	t.shape(schema)
	s.streams = append(s.streams, t)
	s.names[schema.Name] = id
	return id, nil
}

// wordsOf is how many words one event takes.
func wordsOf(schema *Schema) int { return int(schema.Size+7)/8 + 1 }

// shape says what the events look like.
func (t *stream) shape(schema *Schema) {
	t.schema, t.words = schema, wordsOf(schema)
	t.most = min(t.limit, max(unreadWords/t.words, 1))
}

// eventNamed is Raw.EventNamed.
func (w *World) eventNamed(name string) (EventID, bool) {
	id, ok := w.events.names[name]
	return id, ok
}

// eventSchema is Raw.EventSchema.
func (w *World) eventSchema(id EventID) *Schema {
	if uint(id) >= uint(len(w.events.streams)) {
		return nil
	}
	return w.events.streams[id].schema
}

// ID returns the event's number in its world.
func (t Event[T]) ID() EventID { return t.id }

// Send records the event with the commands of a system: readers see it once the
// system has succeeded. For commands of another world Apply reports ErrConflict. Send
// panics for nil ones.
func (t Event[T]) Send(c *Commands, v T) {
	if c == nil {
		panic(fmt.Errorf("ecs: Event.Send: %w: there are no commands to record it with", ErrConflict))
	}
	if t.world == nil || t.world != c.world {
		c.refuse(strayEvent(reflect.TypeFor[T]()))
		return
	}
	c.emit(t.id, unsafe.Pointer(&v), unsafe.Sizeof(v))
}

// Emit sends the event at once: for a host, outside of systems. What a system sends is Send's,
// for it is dropped when the system fails. The error wraps ErrIterating in a loop over a
// query and while systems run at the same time, ErrClosed, or ErrConflict for the zero Event.
func (t Event[T]) Emit(v T) error {
	if err := t.settled(); err != nil {
		return err
	}
	t.world.events.push(t.id, unsafe.Pointer(&v))
	return nil
}

// Reader makes a reader of the events that are sent from now on, with a name for [Loss] and
// [Stats]. See [Event.Read]. It panics for the zero Event.
func (t Event[T]) Reader(name string) *Reader {
	if t.world == nil {
		panic(fmt.Errorf("ecs: Event.Reader: %w", t.settled()))
	}
	return t.world.newReader(t.id).Named(name)
}

// Each makes a system that is called for each event: the given one, to which a Run is added
// that reads what was sent since its last run; a Run that it has is replaced. It gets what is
// sent from the moment when the system is added to the schedule until it is removed; one that is
// added under its name in the same Change goes on where it was.
//
// A function that fails for an event is called for the others, too. The run has failed then:
// what was recorded for all of its events is dropped, and none of them is seen again. A panic
// ends the run, and the events after it are there in the next one. Each panics for the zero
// Event.
func (t Event[T]) Each(s System, do func(t *Tick, v T) error) System {
	r := &Reader{stream: t.world.events.streams[t.id], name: s.Name, closed: true}
	s.reader = r
	s.Run = func(tick *Tick) error {
		if do == nil {
			return errors.New("Event.Each got no function")
		}
		var errs []error
		for v := range t.Read(r) {
			if err := do(tick, v); err != nil {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	}
	return s
}

// Clear forgets all events of the type that wait, for all readers, and returns how many some
// reader had not read. They do not count as lost. The errors are those of Emit.
func (t Event[T]) Clear() (int, error) {
	if err := t.settled(); err != nil {
		return 0, err
	}
	s := t.world.events.streams[t.id]
	n := int(s.next() - s.read())
	s.discard(s.next())
	return n, nil
}

// settled returns the error for changes of what waits while somebody may be reading it.
func (t Event[T]) settled() error {
	switch {
	case t.world == nil:
		return fmt.Errorf("%w: the zero Event of %s, which was registered in no world", ErrConflict, reflect.TypeFor[T]())
	case t.world.closed():
		return fmt.Errorf("event %q: %w", t.world.events.streams[t.id].schema.Name, ErrClosed)
	case t.world.locks > 0:
		return fmt.Errorf("event %q: %w", t.world.events.streams[t.id].schema.Name, ErrIterating)
	}
	return nil
}

// strayEvent is the error for an event of another world.
func strayEvent(t reflect.Type) error {
	return fmt.Errorf("%w: event %s is sent to a world that it was not registered in", ErrConflict, t)
}

// Send records an event of type id whose data is at p; nil means zero bytes. For
// a number that nothing is registered under Apply reports ErrUnknown.
func (c *Commands) Send(id EventID, p unsafe.Pointer) {
	if c.world == nil {
		c.refuse(errNoWorld)
		return
	}
	schema := c.world.eventSchema(id)
	if schema == nil {
		c.refuse(fmt.Errorf("%w: event %d", ErrUnknown, id))
		return
	}
	if p == nil {
		p = unsafe.Pointer(unsafe.SliceData(make([]uint64, schema.Size/8+1)))
	}
	c.emit(id, p, schema.Size)
}

// push appends an event; it is seen by readers from now on.
func (s *events) push(id EventID, p unsafe.Pointer) {
	t := s.streams[id]
	at := len(t.data)
	for range t.words {
		t.data = append(t.data, 0)
	}
	if t.schema.Size > 0 {
		copyBytes(unsafe.Pointer(&t.data[at]), p, t.schema.Size)
	}
	if t.count() > t.most {
		t.overflow(s)
	}
}

// overflow makes room: what everybody has read goes first, and then, in one
// sweep, the older half of what is still waiting.
func (t *stream) overflow(s *events) {
	t.discard(t.read())
	if n := t.count(); n > t.most {
		n -= t.most/2 + 1
		s.lose(t, t.first+uint64(n))
		t.discard(t.first + uint64(n))
		if len(t.readers) > 0 { // else no reader misses them
			t.dropped += uint64(n)
		}
	}
}

// read returns the number of the first event that some reader has not read;
// without readers, that of the oldest.
func (t *stream) read() uint64 {
	if len(t.readers) == 0 {
		return t.first
	}
	seen := t.next()
	for _, r := range t.readers {
		seen = min(seen, r.next)
	}
	return seen
}

// count returns how many events are kept, next the number that the next event gets.
func (t *stream) count() int   { return len(t.data) / t.words }
func (t *stream) next() uint64 { return t.first + uint64(t.count()) }

// discard forgets the events before number to.
func (t *stream) discard(to uint64) {
	if to <= t.first {
		return
	}
	n := copy(t.data, t.data[int(to-t.first)*t.words:])
	t.data = t.data[:n]
	t.first = to
	for _, r := range t.readers {
		r.next = max(r.next, to)
	}
}

// close forgets all events, read or not.
func (s *events) close() {
	for _, t := range s.streams {
		t.discard(t.next())
		t.data, t.sent = nil, t.first
	}
}

// endTick forgets what every reader has seen; without readers, what was sent
// before this tick.
func (s *events) endTick() {
	for _, t := range s.streams {
		if len(t.readers) > 0 {
			t.discard(t.read())
		} else {
			t.discard(t.sent)
		}
		t.sent = t.next()
		t.caughtUp()
	}
}

// Reader reads the events of one type, each once. It starts with those sent
// after it was made. Close it when it is no longer read, or its events pile up
// to MaxUnread.
type Reader struct {
	stream *stream
	next   uint64
	closed bool

	name   string
	lost   uint64
	behind bool // it has lost some, and not caught up since
}

// newReader is Raw.Reader.
func (w *World) newReader(id EventID) *Reader {
	if uint(id) >= uint(len(w.events.streams)) {
		panic(fmt.Errorf("ecs: Raw.Reader: %w: event %d", ErrUnknown, id))
	}
	r := &Reader{stream: w.events.streams[id]}
	r.open()
	return r
}

// open makes the reader one of its stream: it gets what is sent from now on.
func (r *Reader) open() {
	r.closed, r.next, r.behind = false, r.stream.next(), false
	r.stream.readers = append(r.stream.readers, r)
}

// Close ends the reader: it yields nothing more. A second call does nothing.
func (r *Reader) Close() {
	r.closed = true
	r.stream.readers = slices.DeleteFunc(r.stream.readers, func(other *Reader) bool { return other == r })
}

// Len returns how many events wait to be read.
func (r *Reader) Len() int {
	if r.closed {
		return 0
	}
	return int(r.stream.next() - r.next)
}

// Position returns the number of the next event; Rewind goes back to it, for a
// system that failed half way. Events forgotten in between stay forgotten.
func (r *Reader) Position() uint64 { return r.next }

// Rewind makes the reader see events again from a Position on.
func (r *Reader) Rewind(position uint64) {
	r.next = min(max(position, r.stream.first), r.stream.next())
}

// RewindTick makes the reader see again what was sent in this tick so far, which begins
// when the step before has ended, and nothing older. Events forgotten in between stay
// forgotten; while a tick lasts, that takes more of them than may wait.
func (r *Reader) RewindTick() { r.Rewind(r.stream.sent) }

// Events yields the addresses of the events not yet read. An address is valid
// in the loop body only.
func (r *Reader) Events() iter.Seq[unsafe.Pointer] {
	return func(yield func(unsafe.Pointer) bool) {
		for end := r.stream.next(); !r.closed && r.next < end; {
			p := unsafe.Pointer(&r.stream.data[int(r.next-r.stream.first)*r.stream.words])
			r.next++
			if !yield(p) {
				return
			}
		}
	}
}

// demand panics for a reader of other events. Why not in Read? There it would keep
// the compiler from making the loop's body part of Read.
func (r *Reader) demand(w *World, id EventID) {
	if r == nil || w == nil || w.events.streams[id] != r.stream {
		panic(fmt.Errorf("ecs: Event.Read: %w: the reader is of another event type, or world", ErrConflict))
	}
}

// Read yields copies of the events that r has not yet read. The loop panics for a
// reader of another type, or of another world, and for nil.
func (t Event[T]) Read(r *Reader) iter.Seq[T] {
	return func(yield func(T) bool) {
		r.demand(t.world, t.id)
		for p := range r.Events() {
			if !yield(*(*T)(p)) {
				return
			}
		}
	}
}

// eventNames is Raw.EventNames.
func (w *World) eventNames() []string {
	names := make([]string, len(w.events.streams))
	for i, t := range w.events.streams {
		names[i] = t.schema.Name
	}
	return names
}

// eventType is Raw.EventType.
func (w *World) eventType(id EventID) reflect.Type {
	if uint(id) >= uint(len(w.events.streams)) {
		return nil
	}
	return w.events.streams[id].typ
}

// Loss says that a reader has missed events, because more were sent than wait for
// those who do not read.
type Loss struct {
	Event  string
	Reader string // the name that it has from Named, "" for none
	Lost   uint64 // events, those that it has lost since it last caught up
	Limit  int    // events of this type that wait
}

// Named gives the reader a name for Loss and Stats, and returns it.
func (r *Reader) Named(name string) *Reader {
	r.name = name
	return r
}

// Lost returns how many events the reader has missed.
func (r *Reader) Lost() uint64 { return r.lost }

// losses is Raw.Losses.
func (w *World) losses() []Loss {
	all := w.events.losses
	w.events.losses = nil
	return all
}

// maxLosses bounds what waits in a world whose host does not ask.
const maxLosses = 1024

// lose notes the readers that have not read what is about to be forgotten, the events before
// number to.
func (s *events) lose(t *stream, to uint64) {
	for _, r := range t.readers {
		if r.next >= to {
			continue
		}
		n := to - r.next
		r.lost += n
		if !r.behind && len(s.losses) < maxLosses {
			s.losses = append(s.losses, Loss{t.schema.Name, r.name, n, t.most})
		}
		r.behind = true
	}
}

// caughtUp ends the loss of each reader that has come within a quarter of the limit of
// the newest event.
func (t *stream) caughtUp() {
	for _, r := range t.readers {
		if r.behind && int(t.next()-r.next) <= t.most/4 {
			r.behind = false
		}
	}
}

// EventStats describes the events of one type.
type EventStats struct {
	Event   string
	Waiting int    // events that some reader has not read, or that were sent in this tick
	Limit   int    // that can wait
	Dropped uint64 // so far, because of it
	Slowest string // the name of the reader that has read least, "" when all have read all
}

// stats describes the stream, and its slowest reader.
func (t *stream) stats() EventStats {
	st := EventStats{Event: t.schema.Name, Waiting: t.count(), Limit: t.most, Dropped: t.dropped}
	least := t.next()
	for _, r := range t.readers {
		if r.next < least {
			st.Slowest, least = r.name, r.next
		}
	}
	return st
}

// dropped is Raw.Dropped.
func (w *World) dropped() (n uint64) {
	for _, t := range w.events.streams {
		n += t.dropped
	}
	return n
}
