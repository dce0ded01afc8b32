package ecs

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// MaxUnread is how many events of one type wait for their readers when Options
// say nothing else. Beyond it the oldest half is dropped: Raw.Losses says which
// reader has missed them, and Stats count. Of events of more than 500 bytes, only
// so many wait as fit into 64 MiB, and those of all types together have room for 256 MiB, whatever
// Options say: beyond that the older half is dropped of the type whose events take the most.
const MaxUnread = 1 << 17

// unreadWords is what the events of one type take at most, in words of 8 bytes.
const unreadWords = 64 << 20 / 8

const (
	// heldWords is what there is room for in the streams of a world together, in words.
	heldWords = 256 << 20 / 8
	// idleWords is the room of a stream that is no longer needed from which on it is given back,
	// when it is needed elsewhere.
	idleWords = 1 << 10
)

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
	depth   int // of subscribers that send events
	calls   int // of subscribers, since depth was 0
	waiting int // words of all events that are kept
	held    int // words that there is room for: the sum of the capacities
}

// stream keeps the events of one type until every reader has seen them.
//
// Invariant: first ≤ every open reader's next ≤ first + the number of events kept; the same goes for sent. At most
// half of readers are closed.
type stream struct {
	of      *events
	schema  *Schema
	era     uint32 // migrations of the type so far
	typ     reflect.Type
	most    int // events that may wait
	limit   int // what Options allow
	data    eventPages
	first   uint64 // number of the oldest event kept
	readers []*Reader
	closed  int    // how many of readers are
	opened  uint64 // readers so far
	dropped uint64
	sent    uint64 // the first event of this tick, of those that are kept

	keep        Retention
	ends        []uint64      // of the last ticks: the number after their last event; for keep.Ticks
	subscribers []*subscriber // replaced, not changed: dispatch may be walking it
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
	if err := eventType(t); err != nil {
		panic(fmt.Errorf("ecs.RegisterEvent: %w", err))
	}
	id, err := w.events.define(schemaOf(t.Name(), t))
	if err == nil && w.events.streams[id].typ != nil {
		err = fmt.Errorf("%w: event name %q is taken by the type %s, so that %s cannot have it", ErrConflict, t.Name(), w.events.streams[id].typ, t)
	}
	if err != nil {
		panic(fmt.Errorf("ecs.RegisterEvent: %w", err))
	}
	w.events.streams[id].typ = t
	w.events.types[t] = id
	return Event[T]{w, id}
}

// eventType says why a Go type cannot be an event, nil if it can.
func eventType(t reflect.Type) error {
	switch {
	case t.Name() == "":
		return fmt.Errorf("%w: the event type %s has no name", ErrConflict, t)
	case hasPointers(t):
		return fmt.Errorf("%w: the event type %s holds Go pointers: strings, slices, maps, pointers and functions are not possible in an event", ErrConflict, t)
	}
	if err := schema.CheckTags(t); err != nil {
		return fmt.Errorf("%w: %w", ErrConflict, err)
	}
	return nil
}

// defineEvent is Raw.DefineEvent.
func (w *World) defineEvent(schema Schema) (EventID, error) {
	if err := w.refuseDeclaring(fmt.Sprintf("event %q", schema.Name)); err != nil {
		return 0, err
	}
	if schema.Name == "" {
		return 0, fmt.Errorf("%w: an event needs a name", ErrConflict)
	}
	if err := checkName("event", schema.Name); err != nil {
		return 0, err
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
	t := &stream{of: s, limit: s.limit}
	t.shape(schema)
	s.streams = append(s.streams, t)
	s.names[schema.Name] = id
	return id, nil
}

// shape says what the events look like.
func (t *stream) shape(schema *Schema) {
	t.schema = schema
	if words := capture.EventLen(int(schema.Size)); words != t.data.words {
		t.data = newEventPages(words)
	}
	limit := t.limit
	if t.keep.Events > 0 {
		limit = t.keep.Events
	}
	t.most = min(limit, max(unreadWords/t.data.words, 1))
}

// Retention says how long the events of one type wait for readers that do not read them.
// The zero value is the default.
type Retention struct {
	// Events is how many wait, at most 16,777,216; zero means as many as Options.MaxUnread
	// says. When more are sent, the older half is dropped. Of large events fewer wait, see [MaxUnread].
	Events int
	// Ticks is how many ticks an event waits after the one in which it was sent, at most
	// 4,096; zero means that it waits until it is read. What the host sends between two
	// ticks belongs to the next one.
	Ticks int
}

// mostTicks bounds Retention.Ticks: so many numbers are kept.
const mostTicks = 4096

// Retain says how long events of this type wait, from now on. What is dropped for that counts
// as lost, by reader ([Reader.Lost], [Raw.Losses]) and by type ([EventStats]). The error
// wraps ErrRange, ErrIterating or ErrClosed.
func (t Event[T]) Retain(keep Retention) error {
	if t.world == nil {
		return t.homeless()
	}
	return t.world.retain(t.id, keep)
}

// retain is Raw.Retain.
func (w *World) retain(id EventID, keep Retention) error {
	t, err := w.settled(id)
	switch {
	case err != nil:
		return err
	case keep.Events < 0 || keep.Events > mostUnread:
		return fmt.Errorf("%w: event %q: %d events are to wait, it can be up to %d", ErrRange, t.schema.Name, keep.Events, mostUnread)
	case keep.Ticks < 0 || keep.Ticks > mostTicks:
		return fmt.Errorf("%w: event %q: events are to wait for %d ticks, it can be up to %d", ErrRange, t.schema.Name, keep.Ticks, mostTicks)
	}
	t.keep, t.ends = keep, nil
	if t.shape(t.schema); t.count() > t.most {
		t.overflow(&w.events)
	}
	return nil
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

// Emit sends the event at once: for a host, outside of systems, and for subscribers. What a
// system sends is Send's, for it is dropped when the system fails. The error wraps ErrIterating
// in a loop over a query and while systems run at the same time, ErrStorm, ErrClosed, or
// ErrConflict for the zero Event, and then nothing was sent; or it is what subscribers have
// returned, see [Event.Subscribe].
func (t Event[T]) Emit(v T) error {
	if _, err := t.settled(); err != nil {
		return err
	}
	return t.world.send(t.id, unsafe.Pointer(&v))
}

// Subscribe has a function called for each event of the type at the moment when it is sent:
// before Emit returns, and for Event.Send when the commands of the system are applied, at
// its place among them. Readers get the event all the same. Subscribers are called in the order
// in which they have subscribed; one that subscribes meanwhile gets the next event, and one
// that is removed gets nothing more.
//
// The function may do what one of Commands.Do may: it may change the world, and send events
// with Emit, whose subscribers are called before Emit returns. Subscribers that send events for
// ever are cut off with ErrStorm: Emit returns it when 64 of them are inside each other, or
// 65,536 were called for one event that was sent from outside. Step, Run, Close and changes of the
// schedule return ErrIterating.
//
// An error or a panic does not keep the others from being called. It comes back as a
// *[SystemError] with the name of the subscriber: from Emit, from Commands.Apply, or, for what a
// system has sent, from Step; it is not the failure of that system. A subscriber that
// keeps failing is parked as a system is.
//
// The error wraps ErrConflict when the name is taken among the subscribers of the type, or
// the name or the function is missing, or ErrClosed.
func (t Event[T]) Subscribe(name string, do func(w *World, v T) error) error {
	if t.world == nil {
		return t.homeless()
	}
	var call func(*World, unsafe.Pointer) error
	if do != nil {
		call = func(w *World, p unsafe.Pointer) error { return do(w, *(*T)(p)) }
	}
	return t.world.subscribe(t.id, name, call)
}

// Unsubscribe removes a subscriber by name; a name that is not there is ignored.
func (t Event[T]) Unsubscribe(name string) {
	if t.world != nil {
		t.world.unsubscribe(t.id, name)
	}
}

// subscriber is a function that gets events at once, with its breaker.
type subscriber struct {
	name   string
	call   func(*World, unsafe.Pointer) error
	health health
	gone   bool // removed, perhaps during a dispatch
}

const (
	// maxDepth is how many subscribers may be inside each other: each has sent the event
	// that the next one gets.
	maxDepth = 64
	// maxCalls bounds the calls for one event that was sent from outside: subscribers that send
	// two events for each that they get would go on for ever before they are 64 deep.
	maxCalls = 1 << 16
)

// subscribe is Raw.Subscribe.
func (w *World) subscribe(id EventID, name string, call func(*World, unsafe.Pointer) error) error {
	if err := w.refuseDeclaring(fmt.Sprintf("subscriber %q", name)); err != nil {
		return err
	}
	if uint(id) >= uint(len(w.events.streams)) {
		return fmt.Errorf("subscriber %q: %w: event %d", name, ErrUnknown, id)
	}
	t := w.events.streams[id]
	switch {
	case name == "":
		return fmt.Errorf("%w: a subscriber of event %q needs a name", ErrConflict, t.schema.Name)
	case !utf8.ValidString(name):
		return checkName("subscriber", name)
	case call == nil:
		return fmt.Errorf("%w: subscriber %q of event %q has no function", ErrConflict, name, t.schema.Name)
	case slices.ContainsFunc(t.subscribers, func(s *subscriber) bool { return s.name == name }):
		return fmt.Errorf("%w: event %q has a subscriber %q", ErrConflict, t.schema.Name, name)
	}
	t.subscribers = append(slices.Clone(t.subscribers), &subscriber{name: name, call: call})
	return nil
}

// unsubscribe is Raw.Unsubscribe.
func (w *World) unsubscribe(id EventID, name string) {
	if uint(id) >= uint(len(w.events.streams)) {
		return
	}
	t := w.events.streams[id]
	t.subscribers = slices.DeleteFunc(slices.Clone(t.subscribers), func(s *subscriber) bool {
		s.gone = s.gone || s.name == name
		return s.gone
	})
}

// send appends an event for the readers and calls the subscribers.
func (w *World) send(id EventID, p unsafe.Pointer) error {
	t := w.events.streams[id]
	if len(t.subscribers) == 0 {
		w.events.push(id, p)
		return nil
	}
	if w.events.depth == maxDepth || w.events.calls+len(t.subscribers) > maxCalls {
		return fmt.Errorf("%w: event %q is not sent: the event before it led to %d calls of subscribers, %d inside each other", ErrStorm, t.schema.Name, w.events.calls, w.events.depth)
	}
	w.events.push(id, p)
	return w.dispatch(t, p)
}

// dispatch calls the subscribers of an event. Meanwhile the world cannot be stepped or closed.
func (w *World) dispatch(t *stream, p unsafe.Pointer) error {
	if t.schema.Size == 0 {
		p = unsafe.Pointer(new(uint64)) // commands have no address for no bytes
	}
	running := w.clock.running.Load()
	w.clock.running.Store(true)
	w.events.depth++
	defer func() {
		w.clock.running.Store(running)
		if w.events.depth--; w.events.depth == 0 {
			w.events.calls = 0
		}
	}()
	var errs []error
	for _, s := range t.subscribers {
		if s.gone || !s.health.ready(w.clock.time) {
			continue
		}
		w.events.calls++
		if err := s.run(w, p); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// run calls a subscriber, and counts whether it has failed.
func (s *subscriber) run(w *World, p unsafe.Pointer) error {
	locks := w.locks
	stack, err := protect(func() error { return s.call(w, p) })
	w.locks = locks
	if err == nil {
		s.health.succeeded(w.clock.time)
		return nil
	}
	parked := s.health.failed(Failure{w.clock.tick, w.clock.time, err}, &w.options.Breaker)
	return &SystemError{System: s.name, Tick: w.clock.tick, Parked: parked, Err: err, Stack: stack}
}

// Reader makes a reader of the events that are sent from now on, with a name for [Loss] and
// [Stats]. See [Event.Read]. It panics for the zero Event.
func (t Event[T]) Reader(name string) *Reader {
	if t.world == nil {
		panic(fmt.Errorf("ecs: Event.Reader: %w", t.homeless()))
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
// ends the run, and the events after it are there in the next one. When the function returns the
// error of the step's context, all events of the run are there in the next one, see
// [Schedule.StepContext]. Each panics for the zero Event.
func (t Event[T]) Each(s System, do func(t *Tick, v T) error) System {
	if t.world == nil {
		panic(fmt.Errorf("ecs: Event.Each: %w", t.homeless()))
	}
	r := &Reader{stream: t.world.events.streams[t.id], name: s.Name, closed: true}
	s.reader, s.Event = r, r.stream.schema.Name
	s.Run = func(tick *Tick) error {
		if do == nil {
			return errors.New("Event.Each got no function")
		}
		var errs []error
		first := r.Position()
		for v := range t.Read(r) {
			if err := do(tick, v); err != nil {
				if tick.World.schedule.interrupted(err) {
					r.Rewind(first)
					return err // what others have failed with comes again
				}
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
	s, err := t.settled()
	if err != nil {
		return 0, err
	}
	n := int(s.next() - s.read())
	s.discard(s.next())
	return n, nil
}

// settled is World.settled for the events of this type.
func (t Event[T]) settled() (*stream, error) {
	if t.world == nil {
		return nil, t.homeless()
	}
	return t.world.settled(t.id)
}

// homeless is the error of an Event that belongs to no world.
func (t Event[T]) homeless() error {
	return fmt.Errorf("%w: the zero Event of %s, which was registered in no world", ErrConflict, reflect.TypeFor[T]())
}

// settled returns the events of a type, and the error for changes of what waits while somebody
// may be reading it.
func (w *World) settled(id EventID) (*stream, error) {
	if uint(id) >= uint(len(w.events.streams)) {
		return nil, fmt.Errorf("%w: event %d", ErrUnknown, id)
	}
	t := w.events.streams[id]
	switch {
	case w.closed():
		return t, fmt.Errorf("event %q: %w", t.schema.Name, ErrClosed)
	case w.locks > 0:
		return t, fmt.Errorf("event %q: %w", t.schema.Name, ErrIterating)
	}
	return t, nil
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
	room := t.data.room
	at := t.data.push()
	if t.schema.Size > 0 {
		copyBytes(unsafe.Pointer(at), p, t.schema.Size)
	}
	s.waiting += t.data.words
	if s.held += t.data.room - room; s.held > heldWords && t.data.room > room {
		s.reclaim()
	}
	if t.count() > t.most {
		t.overflow(s)
	}
}

// reclaim makes do with the room that the streams may have together. It gives back what is idle and, where
// that is not enough, drops the older half of the events that take the most, until there is room for
// a quarter more: so it is done for every so many bytes sent, and not for every event.
func (s *events) reclaim() {
	for _, t := range s.streams {
		t.discard(t.read())
		t.shrink()
	}
	for s.held > heldWords/4*3 {
		t := slices.MaxFunc(s.streams, func(a, b *stream) int { return a.data.room - b.data.room })
		if t.count() < 2 {
			return // the room of one event each
		}
		t.drop(s, t.first+uint64(t.count()-t.count()/2), LostToWorldBytes)
		t.shrink()
	}
}

// shrink gives back the room that no event takes.
func (t *stream) shrink() {
	room := t.data.room
	t.data.shrink()
	t.of.held += t.data.room - room
}

// recount counts what the streams hold, after data of one was replaced.
func (s *events) recount() {
	s.waiting, s.held = 0, 0
	for _, t := range s.streams {
		s.waiting, s.held = s.waiting+t.data.n*t.data.words, s.held+t.data.room
	}
}

// overflow makes room: what everybody has read goes first, and then, in one
// sweep, the older half of what is still waiting.
func (t *stream) overflow(s *events) {
	t.discard(t.read())
	if n := t.count(); n > t.most {
		t.drop(s, t.first+uint64(n-t.most/2-1), t.bound())
	}
}

// bound returns which bound most follows from.
func (t *stream) bound() LossCause {
	switch {
	case t.keep.Events > 0 && t.most == t.keep.Events:
		return LostToRetentionEvents
	case t.keep.Events == 0 && t.most == t.limit:
		return LostToMaxUnread
	}
	return LostToTypeBytes
}

// drop forgets the events before number to that are not read by all readers, and counts them.
func (t *stream) drop(s *events, to uint64, cause LossCause) {
	if to <= t.first {
		return
	}
	s.lose(t, to, cause)
	if t.isRead() { // else no reader misses them
		t.dropped += to - t.first
	}
	t.discard(to)
}

// expire forgets the events that have waited for as many ticks as they may.
func (t *stream) expire(s *events) {
	if t.keep.Ticks == 0 {
		return
	}
	if t.ends = append(t.ends, t.next()); len(t.ends) > t.keep.Ticks {
		t.drop(s, t.ends[0], LostToRetentionTicks)
		t.ends = slices.Delete(t.ends, 0, 1)
	}
}

// read returns the number of the first event that some reader has not read;
// without readers, that of the oldest.
func (t *stream) read() uint64 {
	if !t.isRead() {
		return t.first
	}
	seen := t.next()
	for r := range t.open {
		seen = min(seen, r.next)
	}
	return seen
}

// count returns how many events are kept, next the number that the next event gets.
func (t *stream) count() int   { return t.data.n }
func (t *stream) next() uint64 { return t.first + uint64(t.count()) }

// discard forgets the events before number to.
func (t *stream) discard(to uint64) {
	if to <= t.first {
		return
	}
	t.data.drop(int(to - t.first))
	t.of.waiting -= int(to-t.first) * t.data.words
	t.first, t.sent = to, max(t.sent, to)
	for r := range t.open {
		r.next = max(r.next, to)
	}
}

// close forgets all events, read or not.
func (s *events) close() {
	for _, t := range s.streams {
		t.discard(t.next())
		t.data, t.sent, t.ends, t.subscribers = newEventPages(t.data.words), t.first, nil, nil
	}
	s.recount()
}

// endTick forgets what every reader has seen; without readers, what was sent
// before this tick.
func (s *events) endTick() {
	for _, t := range s.streams {
		if t.isRead() {
			t.discard(t.read())
		} else {
			t.discard(t.sent)
		}
		t.expire(s)
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

	number uint64 // among the readers of the stream, in the order in which they were opened
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
	if r.closed {
		r.stream.forgetClosed() // it may be one of them
	}
	r.stream.opened++
	r.closed, r.next, r.behind, r.number = false, r.stream.next(), false, r.stream.opened
	r.stream.readers = append(r.stream.readers, r)
}

// Close ends the reader: it yields nothing more. A second call does nothing. O(1) on average: a reload may close
// thousands.
func (r *Reader) Close() {
	if r.closed {
		return
	}
	r.closed = true
	if r.stream.closed++; 2*r.stream.closed > len(r.stream.readers) {
		r.stream.forgetClosed()
	}
}

// forgetClosed takes the closed readers out of the list.
func (t *stream) forgetClosed() {
	t.readers = slices.DeleteFunc(t.readers, func(r *Reader) bool { return r.closed })
	t.closed = 0
}

// open yields the readers that are open, in the order in which they were opened.
func (t *stream) open(yield func(*Reader) bool) {
	for _, r := range t.readers {
		if !r.closed && !yield(r) {
			return
		}
	}
}

// isRead reports whether some reader is open.
func (t *stream) isRead() bool { return len(t.readers) > t.closed }

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
			p := unsafe.Pointer(r.stream.data.at(int(r.next - r.stream.first)))
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

// streamImage is what waits of one event type, and who has read how much.
type streamImage struct {
	schema      *Schema
	keep        Retention
	first, sent uint64
	data        []uint64
	ends        []uint64
	readers     []readerImage
	subscribers []breakerImage
}

// readerImage is how far a reader has come.
type readerImage struct {
	number uint64
	name   string
	next   uint64
	lost   uint64
	behind bool
}

// capture copies the stream.
func (k *streamImage) capture(t *stream) {
	k.schema, k.keep, k.first, k.sent = t.schema, t.keep, t.first, t.sent
	k.data, k.ends = t.data.appendTo(k.data[:0]), append(k.ends[:0], t.ends...)
	k.readers, k.subscribers = k.readers[:0], k.subscribers[:0]
	for r := range t.open {
		*next(&k.readers) = readerImage{r.number, r.name, r.next, r.lost, r.behind}
	}
	for _, s := range t.subscribers {
		next(&k.subscribers).capture(s.name, &s.health)
	}
}

// find returns what the image says of a reader, or of another one of its name, whose place it has
// taken; nil for nothing.
func (k *streamImage) find(r *Reader) *readerImage {
	named := (*readerImage)(nil)
	for i := range k.readers {
		o := &k.readers[i]
		switch {
		case o.name != r.name:
		case o.number == r.number:
			return o
		case r.name != "":
			named = o
		}
	}
	return named
}

// fitEvents compares the event types of the image with those of the world, by number.
func (im *image) fitEvents(w *World) error {
	for i := range im.streams {
		was := im.streams[i].schema
		switch {
		case i >= len(w.events.streams):
			return fmt.Errorf("%w: event %q is in the snapshot, and not registered in this world", ErrUnknown, was.Name)
		case w.events.streams[i].schema.Name != was.Name:
			return fmt.Errorf("%w: event %d is %q in the snapshot, and %q in this world: register events in the same order", ErrConflict, i, was.Name, w.events.streams[i].schema.Name)
		case w.events.streams[i].schema != was && !w.events.streams[i].schema.Same(was):
			return fmt.Errorf("%w: event %q has other fields in the snapshot", ErrConflict, was.Name)
		}
	}
	return nil
}

// restoreEvents brings back what waited. Of types that were registered since, nothing waits.
func (im *image) restoreEvents(w *World) {
	for i, t := range w.events.streams {
		if i < len(im.streams) {
			im.streams[i].restore(t, w.clock.time)
		} else {
			t.discard(t.next())
			t.sent, t.ends = t.first, nil
		}
	}
	w.events.recount()
}

// restore makes the stream what it was. Readers that the image does not know, since they were opened
// later, get what is sent from now on.
func (k *streamImage) restore(t *stream, now float64) {
	t.keep = k.keep
	t.shape(t.schema)
	t.first, t.sent = k.first, k.sent
	t.data.fill(k.data)
	t.ends = append(t.ends[:0], k.ends...)
	for r := range t.open {
		was := k.find(r)
		if was == nil {
			r.next, r.behind = t.next(), false
			continue
		}
		r.next, r.lost, r.behind = was.next, was.lost, was.behind
	}
	for _, s := range t.subscribers {
		restoreBreaker(k.subscribers, s.name, &s.health, now)
	}
}

// Loss says that a reader has missed events, because they do not wait longer for
// those who do not read: its Cause is the bound that was reached.
type Loss struct {
	Event  string
	Reader string // the name that it has from Named, "" for none
	Lost   uint64 // events, those that it has lost since it last caught up
	Cause  LossCause
	Limit  int // of the cause: events of this type, bytes, or ticks
}

// LossCause is the bound for which events were dropped before a reader has read them.
type LossCause uint8

const (
	LostToMaxUnread       LossCause = iota // Options.MaxUnread events of the type
	LostToRetentionEvents                  // Retention.Events of the type
	LostToTypeBytes                        // 64 MiB of one type; a Limit in bytes
	LostToWorldBytes                       // 256 MiB of all types; a Limit in bytes
	LostToRetentionTicks                   // Retention.Ticks
)

// limitOf returns the bound of a cause.
func (t *stream) limitOf(cause LossCause) int {
	switch cause {
	case LostToTypeBytes:
		return unreadWords * 8
	case LostToWorldBytes:
		return heldWords * 8
	case LostToRetentionTicks:
		return t.keep.Ticks
	}
	return t.most
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
func (s *events) lose(t *stream, to uint64, cause LossCause) {
	for r := range t.open {
		if r.next >= to {
			continue
		}
		n := to - r.next
		r.lost += n
		if !r.behind && len(s.losses) < maxLosses {
			s.losses = append(s.losses, Loss{t.schema.Name, r.name, n, cause, t.limitOf(cause)})
		}
		r.behind = true
	}
}

// caughtUp ends the loss of each reader that has come within a quarter of the limit of
// the newest event.
func (t *stream) caughtUp() {
	for r := range t.open {
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

	Ticks       int // of Retention: how many ticks an event waits, 0 for no limit
	Subscribers int
}

// stats describes the stream, and its slowest reader.
func (t *stream) stats() EventStats {
	st := EventStats{Event: t.schema.Name, Waiting: t.count(), Limit: t.most, Dropped: t.dropped, Ticks: t.keep.Ticks, Subscribers: len(t.subscribers)}
	least := t.next()
	for r := range t.open {
		if r.next < least {
			st.Slowest, least = r.name, r.next
		}
	}
	return st
}

// eventBytes is Raw.EventBytes, and eventStats Raw.EventStats.
func (w *World) eventBytes() int64 { return int64(w.events.waiting) * 8 }

func (w *World) eventStats(id EventID) EventStats {
	if uint(id) >= uint(len(w.events.streams)) {
		return EventStats{}
	}
	return w.events.streams[id].stats()
}

// dropped is Raw.Dropped.
func (w *World) dropped() (n uint64) {
	for _, t := range w.events.streams {
		n += t.dropped
	}
	return n
}
