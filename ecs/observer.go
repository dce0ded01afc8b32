package ecs

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// Trigger is a set of kinds of change that an observer waits for.
type Trigger uint8

// The kinds. OnSet covers Add over an existing value, Component.Edit and
// patches. Values that a loop writes into columns are not reported: for those
// there is Query.Changed.
const (
	OnAdd Trigger = 1 << iota
	OnSet
	OnRemove
	OnSpawn
	OnDespawn
)

// Notice is one change, as an observer gets it.
type Notice struct {
	Trigger   Trigger
	Component ComponentID
	Entity    Entity         // may be dead by now, for OnRemove and OnDespawn
	Old       unsafe.Pointer // the value that was removed, during the call
}

// Observer is a function that gets changes after they were made: when the
// commands of the system that made them have been applied, or at the begin of
// the next tick for changes made outside of systems. Its own commands are
// applied after it returns, and dropped when it fails. An observer that keeps
// failing is parked as a system is.
//
// A change that was undone by another change before its report is not reported:
// for an entity that is spawned and despawned by the same commands, observers get
// neither. An observer gets the end of something only if it got the beginning.
//
// Observers whose commands trigger observers without end are cut off with
// ErrStorm after 64 rounds, or when far more changes wait than there were at first.
// The error names which observer triggered which. It is a failure of the one of them that
// was added last, without which they would come to an end: a *[SystemError] with its name.
type Observer struct {
	Name      string
	On        Trigger
	Component ComponentRef // for OnAdd, OnSet, OnRemove
	// Query narrows it down to entities that match; nil means all. For OnAdd,
	// OnSet and OnSpawn an entity has to match when the change is reported, for
	// OnRemove and OnDespawn just before the change. Change filters do not count, as
	// in Query.Matches. With such a filter every removal that is watched costs a
	// match.
	Query *Query
	Run   func(*Tick, Notice) error
}

// watcher is an observer of a world, with its breaker.
type watcher struct {
	Observer
	component ComponentID // of Observer.Component
	number    uint64      // in the order in which observers were added
	health    health
	before    health // before the delivery at hand, in which it has run
	delivery  uint64 // the last one in which it has run
	gone      bool   // removed, perhaps during a delivery
	rests     uint64 // the turn in which it gets nothing more, see Tick.Pass; 0: none
	waits     bool   // it was interrupted in this step, so that all that it would get waits
}

// audience is a list of observers, in the order in which they were added: all of a world, or those
// that wait for one kind of change.
//
// Why not one list, of which each change asks all? Six thousand observers of one component would cost
// each change of another one 40 µs; and those that have passed would cost each change that comes after.
//
// Invariant: each watcher is once in list, and no more than half of them have gone. In its turn,
// awake has all of list that do not rest, in the same order.
type audience struct {
	list  []*watcher // appended to or replaced, not changed: notifyAll may be walking it
	gone  int        // how many of list have gone
	awake []*watcher // those of list that did not rest when it was made
	turn  uint64     // in which awake was made; 0: it says nothing
}

// join adds a watcher.
func (a *audience) join(o *watcher) { a.list, a.turn = append(a.list, o), 0 }

// leave takes note that one of the watchers has gone. O(1) on average.
func (a *audience) leave() {
	if a.gone++; 2*a.gone > len(a.list) {
		a.list = slices.DeleteFunc(slices.Clone(a.list), func(o *watcher) bool { return o.gone })
		a.gone, a.turn, a.awake = 0, 0, nil
	}
}

// some reports whether there is anyone.
func (a *audience) some() bool { return len(a.list) > a.gone }

// now returns the watchers that may want a notice in a turn. Some of them may rest.
func (a *audience) now(turn uint64) []*watcher {
	if a.turn == turn {
		return a.awake
	}
	return a.list
}

// thin leaves out of now those that rest in the turn. Nobody may be walking now.
func (a *audience) thin(turn uint64) {
	rests := func(o *watcher) bool { return o.gone || o.rests == turn }
	if a.turn != turn {
		a.awake, a.turn = append(a.awake[:0], a.list...), turn
	}
	a.awake = slices.DeleteFunc(a.awake, rests)
}

// kindsOfComponent is how many kinds of change a component has: OnAdd, OnSet, OnRemove.
const kindsOfComponent = 3

// kinds yields the number of each kind of change in a set.
func (t Trigger) kinds(yield func(kind int) bool) {
	for ; t != 0; t &= t - 1 {
		if !yield(bits.TrailingZeros8(uint8(t))) {
			return
		}
	}
}

// audience returns who waits for one kind of change: of the entity, or of the component.
func (w *World) audience(kind int, id ComponentID) *audience {
	if kind >= kindsOfComponent {
		return &w.notices.whole[kind-kindsOfComponent]
	}
	c := w.components[id]
	if c.audiences == nil {
		c.audiences = new([kindsOfComponent]audience)
	}
	return &c.audiences[kind]
}

// audienceOf returns who waits for changes such as a notice.
func (w *World) audienceOf(n *Notice) *audience {
	return w.audience(bits.TrailingZeros8(uint8(n.Trigger)), n.Component)
}

// Observe adds an observer. The error wraps ErrConflict, when the name is taken
// or the observer lacks a part, ErrUnknown, when there is no such component, or ErrClosed.
// O(1) on average, and what it costs a change is for the changes that the observer waits for.
func (w *World) Observe(o Observer) error {
	switch {
	case w.closed():
		return fmt.Errorf("observer %q: %w", o.Name, w.closedError())
	case o.Name == "":
		return fmt.Errorf("%w: an observer needs a name", ErrConflict)
	case !utf8.ValidString(o.Name):
		return checkName("observer", o.Name)
	case o.Run == nil:
		return fmt.Errorf("%w: observer %q has no function", ErrConflict, o.Name)
	case o.On == 0:
		return fmt.Errorf("%w: observer %q watches nothing: On is empty", ErrConflict, o.Name)
	case o.On >= OnDespawn<<1:
		return fmt.Errorf("%w: observer %q watches a change of kind %#x, which there is not", ErrConflict, o.Name, uint8(o.On))
	case o.Query != nil && o.Query.world != w:
		return fmt.Errorf("%w: observer %q has a query of another world", ErrConflict, o.Name)
	}
	n := &w.notices
	if n.named[o.Name] != nil {
		return fmt.Errorf("%w: observer %q exists", ErrConflict, o.Name)
	}
	id, err := w.observed(&o)
	if err != nil {
		return err
	}
	n.made++
	added := &watcher{Observer: o, component: id, number: n.made}
	if n.named == nil {
		n.named = map[string]*watcher{}
	}
	n.named[o.Name] = added
	n.everyone.join(added)
	for kind := range o.On.kinds {
		w.audience(kind, id).join(added)
	}
	if o.Query != nil {
		n.filtered++
	}
	w.rewatchFor(added)
	return nil
}

// observerCount is Raw.ObserverCount.
func (w *World) observerCount(id ComponentID, on Trigger) (n int) {
	if int(id) >= len(w.components) || w.components[id].audiences == nil {
		return 0
	}
	for kind := range (on & (OnAdd | OnSet | OnRemove)).kinds {
		a := &w.components[id].audiences[kind]
		n += len(a.list) - a.gone
	}
	return n
}

// observed returns the number of the component that an observer watches, 0 if it watches none.
func (w *World) observed(o *Observer) (ComponentID, error) {
	if o.On&(OnAdd|OnSet|OnRemove) == 0 {
		return 0, nil
	}
	c, err := w.resolve(o.Component)
	if err != nil {
		return 0, fmt.Errorf("observer %q: %w", o.Name, err)
	}
	return c.id, nil
}

// Observe adds an observer of the component that gets its value: for OnAdd and OnSet the
// one that the entity has by then, in place, and for OnRemove the one that was taken away. The
// value is good until the call ends or the structure of the world changes, whichever comes
// first: what the function changes is better recorded in the commands of its Tick. What is
// written into a value that is in place is stamped by nobody. For filters by a query, and for OnSpawn and OnDespawn, there is [World.Observe],
// whose errors these are.
func (c Component[T]) Observe(name string, on Trigger, run func(t *Tick, e Entity, v *T) error) error {
	if c.info == nil {
		return c.zeroError()
	}
	w := c.info.world
	if on&(OnSpawn|OnDespawn) != 0 {
		return fmt.Errorf("%w: observer %q of component %q watches entities come or go: that is for World.Observe", ErrConflict, name, c.info.schema.Name)
	}
	o := Observer{Name: name, On: on, Component: c}
	if run != nil {
		o.Run = func(t *Tick, n Notice) error {
			if n.Trigger == OnRemove {
				return run(t, n.Entity, (*T)(n.Old))
			}
			return run(t, n.Entity, (*T)(w.pointer(n.Entity, c.info.id)))
		}
	}
	return w.Observe(o)
}

// Unobserve removes an observer by name; a name that is not there is ignored.
// The observer gets nothing more, not even changes that wait for their report.
// O(1) on average.
func (w *World) Unobserve(name string) {
	n := &w.notices
	o := n.named[name]
	if o == nil {
		return
	}
	delete(n.named, name)
	o.gone = true
	n.everyone.leave()
	for kind := range o.On.kinds {
		w.audience(kind, o.component).leave()
	}
	if o.Query != nil {
		n.filtered--
	}
	w.rewatchFor(o)
}

// rewatchFor is called when an observer has come or gone.
func (w *World) rewatchFor(o *watcher) {
	n := &w.notices
	if o.On&(OnSpawn|OnDespawn) != 0 {
		watch := Trigger(0)
		if n.whole[0].some() {
			watch = OnSpawn
		}
		if n.whole[1].some() {
			watch = OnSpawn | OnDespawn
		}
		n.count(n.watch, watch)
		n.watch = watch
	}
	if o.On&(OnAdd|OnSet|OnRemove) != 0 {
		w.rewatch(w.components[o.component])
	}
}

// rewatch gives a component the triggers that are watched on it. An
// observer for the end of something needs the beginning, too: the end is reported
// only where the beginning was.
func (w *World) rewatch(c *component) {
	before := c.watch
	c.observed = 0
	for kind := range kindsOfComponent {
		if c.audiences != nil && c.audiences[kind].some() {
			c.observed |= 1 << kind
		}
	}
	if c.observed&OnRemove != 0 {
		c.observed |= OnAdd
	}
	if c.watch = c.observed; len(c.added) > 0 {
		c.watch |= OnAdd
	}
	if c.traits &^= watchedTrait; c.watch != 0 {
		c.traits |= watchedTrait
	}
	w.notices.count(before, c.watch)
	if (before^c.watch)&OnRemove == 0 {
		return
	}
	w.removalEra++
	if c.removalObserved() {
		w.removals.Set(uint32(c.id))
	} else {
		w.removals.Clear(uint32(c.id))
	}
}

// count keeps any when a component, or the world, is watched for something else than before.
func (n *notices) count(before, after Trigger) {
	for kind := range before.kinds {
		if n.watched[kind]--; n.watched[kind] == 0 {
			n.any &^= 1 << kind
		}
	}
	for kind := range after.kinds {
		n.watched[kind]++
		n.any |= 1 << kind
	}
}

// notices waits between a change and its observers.
//
// Invariant: between deliveries, causes, unseen and cause are empty; with the
// queue, data and passed are empty too. Held is in the order of the changes.
type notices struct {
	any      Trigger                   // all that somebody watches for
	watched  [kindsOfComponent + 2]int // how many components, and the world, are watched for each kind
	watch    Trigger                   // OnSpawn and OnDespawn of any
	filtered int                       // how many observers have a Query
	named    map[string]*watcher
	everyone audience
	whole    [2]audience // of OnSpawn and of OnDespawn; those of components are with these
	queue    []queued
	data     []uint64
	passed   []*watcher // whose query matched just before a removal
	held     []heldNotice
	lost     int // that could not be held, in this step

	made       uint64 // observers, also those that have gone
	deliveries uint64

	// turn numbers the steps and Runs since the world was made, from 1. It is no tick: after a
	// restore a tick comes again, and who has passed in it before is asked again.
	turn  uint64
	since uint64 // the version of the world when the turn began

	causes []noticeCause
	cause  int32                 // of what changes now: 1 + index in causes
	unseen map[unseenChange]bool // what came, and was not reported because it had gone
}

// queued is a notice that waits for its report.
type queued struct {
	Notice
	at       uint32 // 1 + index of the removed value in data
	from, to uint32 // of passed
	cause    int32  // 1 + index in causes; 0 is not an observer's doing
	kept     any    // the removed value, if it holds Go pointers
	only     string // the observer that gets it, "" for all
}

// heldNotice is a change that one observer has yet to get: the context of the step has
// interrupted it.
type heldNotice struct {
	queued
	old []uint64 // the removed value, if it holds no Go pointers
	era uint32   // of the component
}

// noticeCause is an observer that got a change and made another one.
type noticeCause struct {
	by *watcher
	up int32 // the cause of the change that it got
}

// unseenChange is something that came and went: a component of an entity, or the
// entity. For one observer only if another one made it go.
type unseenChange struct {
	to        *watcher // nil for all
	entity    Entity
	component ComponentID
	whole     bool
}

// absence returns what is unseen if the notice is not reported.
func (n *Notice) absence(to *watcher) unseenChange {
	if n.Trigger&(OnSpawn|OnDespawn) != 0 {
		return unseenChange{to, n.Entity, 0, true}
	}
	return unseenChange{to, n.Entity, n.Component, false}
}

// notice queues a change if an observer watches for it. It is called before the change
// is made; old is the value that is about to be removed.
func (w *World) notice(on Trigger, id ComponentID, e Entity, old unsafe.Pointer) {
	watch := w.notices.watch
	if on&(OnSpawn|OnDespawn) == 0 {
		c := w.components[id]
		if watch = c.observed; on == OnAdd && len(c.added) > 0 {
			c.noteAdded(w, e)
		}
	}
	if watch&on == 0 {
		return
	}
	q := queued{Notice: Notice{Trigger: on, Component: id, Entity: e}, cause: w.notices.cause}
	if old != nil {
		w.keepOld(&q, old)
	}
	if w.notices.filtered > 0 && on&(OnRemove|OnDespawn) != 0 {
		w.pass(&q)
	}
	w.notices.queue = append(w.notices.queue, q)
}

// pass asks the observers' queries while the entity is still what it was.
func (w *World) pass(q *queued) {
	n := &w.notices
	q.from = uint32(len(n.passed))
	for _, o := range w.audienceOf(&q.Notice).list {
		if o.Query != nil && !o.gone && o.Query.Matches(q.Entity) {
			n.passed = append(n.passed, o)
		}
	}
	q.to = uint32(len(n.passed))
}

// keepOld copies the value that is about to be removed, for Notice.Old.
func (w *World) keepOld(q *queued, old unsafe.Pointer) {
	c := w.components[q.Component]
	if heap, ok := c.pool.(heapStored); ok {
		q.kept = heap.clone(old)
		return
	}
	n := &w.notices
	at := len(n.data)
	for range c.size/8 + 1 {
		n.data = append(n.data, 0)
	}
	copyBytes(unsafe.Pointer(&n.data[at]), old, c.size)
	q.at = uint32(at + 1)
}

// queueMark is how much of the queue waits for its report.
type queueMark struct{ queue, data, passed int }

// waiting returns the end of the queue, for cut.
func (n *notices) waiting() queueMark { return queueMark{len(n.queue), len(n.data), len(n.passed)} }

// cut takes back what has come since so much was waiting.
func (n *notices) cut(to queueMark) {
	clear(n.queue[to.queue:])
	clear(n.passed[to.passed:])
	n.queue, n.data, n.passed = n.queue[:to.queue], n.data[:to.data], n.passed[:to.passed]
}

// forget empties everything that waits, old values included.
func (n *notices) forget() {
	clear(n.queue)
	clear(n.passed)
	clear(n.causes)
	clear(n.unseen)
	n.queue, n.data, n.passed, n.causes = n.queue[:0], n.data[:0], n.passed[:0], n.causes[:0]
}

const (
	// maxRounds is how often the commands of observers may trigger observers
	// again before that counts as a storm.
	maxRounds = 64
	// maxGrowth and maxWaiting bound the queue: observers that make two changes for
	// each that they get would fill the memory long before the last round.
	maxGrowth  = 16
	maxWaiting = 1 << 16
	// maxBlamed is how many observers a storm is reported for, maxChains how many chains the error of
	// each names, and maxLooked how many reports of changes are looked at for them.
	maxBlamed = 16
	maxChains = 3
	maxLooked = 1 << 10
)

// deliver reports the queued changes to the observers, and the changes that these
// make, until the queue is empty.
func (w *World) deliver(t *Tick) error {
	n := &w.notices
	if len(n.held) > 0 && !w.schedule.ended() {
		w.resume()
	}
	if len(n.queue) == 0 {
		return nil
	}
	n.deliveries++
	var errs []error
	limit := maxGrowth*len(n.queue) + maxWaiting
	for round := 1; len(n.queue) > 0; round++ {
		told, count := 0, len(n.queue)
		for ; told < count && len(n.queue)-count <= limit; told++ {
			if err := w.notifyAll(t, told); err != nil {
				errs = append(errs, err)
			}
		}
		n.queue = slices.Delete(n.queue, 0, told)
		if told < count || round == maxRounds && len(n.queue) > 0 {
			errs = append(errs, w.storm(t, round)...)
			break
		}
	}
	n.forget()
	return errors.Join(errs...)
}

// notifyAll gives the i-th notice to the observers that watch for it.
func (w *World) notifyAll(t *Tick, i int) error {
	n := &w.notices
	audience := w.audienceOf(&n.queue[i].Notice)
	list, resting := audience.now(n.turn), 0
	if n.queue[i].only == "" && !w.current(&n.queue[i].Notice, nil) {
		return nil
	}
	var errs []error
	for _, o := range list {
		if o.rests == n.turn {
			resting++
			continue
		}
		q := &n.queue[i] // telling may move the queue
		if o.gone || q.only != "" && q.only != o.Name || !n.matches(o, q) {
			continue
		}
		if o.waits && w.schedule.ended() {
			w.postpone(o, *q)
			continue
		}
		if !w.current(&q.Notice, o) {
			continue
		}
		if err := w.notify(t, o, q); err != nil {
			errs = append(errs, err)
		}
	}
	if 2*resting > len(list) {
		audience.thin(n.turn)
	}
	return errors.Join(errs...)
}

// matches asks the observer's query.
func (n *notices) matches(o *watcher, q *queued) bool {
	switch {
	case o.Query == nil || q.only != "" && q.Trigger&(OnRemove|OnDespawn) != 0:
		return true
	case q.Trigger&(OnRemove|OnDespawn) != 0:
		return slices.Contains(n.passed[q.from:q.to], o)
	}
	return o.Query.Matches(q.Entity)
}

// current reports whether a notice is still worth its report, to one observer or, with
// nil, to any. What came must still be there; if it is not, its end is not reported
// either.
func (w *World) current(n *Notice, to *watcher) bool {
	unseen := w.notices.unseen
	switch n.Trigger {
	case OnSet:
		return w.has(n.Entity, n.Component)
	case OnAdd, OnSpawn:
		if n.Trigger == OnAdd && w.has(n.Entity, n.Component) || n.Trigger == OnSpawn && w.Alive(n.Entity) {
			return true
		}
		if unseen == nil {
			unseen = map[unseenChange]bool{}
			w.notices.unseen = unseen
		}
		unseen[n.absence(to)] = true
		return false
	}
	if gone := n.absence(to); unseen[gone] {
		delete(unseen, gone)
		return false
	}
	return true
}

// notify calls one observer with a notice. What the observer changes has this call as its
// cause.
func (w *World) notify(t *Tick, o *watcher, q *queued) error {
	n, note, whole := &w.notices, q.Notice, *q
	if q.kept != nil {
		note.Old = w.components[q.Component].pool.(heapStored).address(q.kept)
	} else if q.at > 0 {
		note.Old = unsafe.Pointer(&n.data[q.at-1])
	}
	if o.delivery != n.deliveries && o.health.ready(t.Time) {
		o.delivery, o.before = n.deliveries, o.health
	}
	before, up := len(n.queue), q.cause
	n.cause = int32(len(n.causes) + 1)
	passed := t.passed
	t.passed = false
	err := w.schedule.guard(t, o.Name, &o.health, func() error { return o.Run(t, note) })
	if t.passed {
		o.rests = n.turn
	}
	t.passed = passed
	if w.schedule.broken {
		o.waits = true
		w.postpone(o, whole)
	}
	if n.cause = 0; len(n.queue) > before {
		n.causes = append(n.causes, noticeCause{o, up})
	}
	return err
}

// postpone keeps a change for an observer that was interrupted, until the next step or Run.
func (w *World) postpone(o *watcher, q queued) {
	n := &w.notices
	if len(n.held) >= maxWaiting {
		n.lost++
		return
	}
	h := heldNotice{queued: q}
	if q.Trigger&(OnSpawn|OnDespawn) == 0 {
		c := w.components[q.Component]
		if h.era = c.era; q.at > 0 {
			h.old = slices.Clone(n.data[q.at-1:][:c.size/8+1])
		}
	}
	h.only, h.from, h.to, h.cause = o.Name, 0, 0, 0
	n.held = append(n.held, h)
}

// resume has the changes that are held reported before all others. Values that were removed
// before their component got other fields cannot be shown any more.
func (w *World) resume() {
	n := &w.notices
	first := make([]queued, 0, len(n.held)+len(n.queue))
	for _, h := range n.held {
		removed := h.at > 0 || h.kept != nil
		if removed && w.components[h.Component].era != h.era {
			n.lost++
			continue
		}
		if h.at > 0 {
			h.at = uint32(len(n.data) + 1)
			n.data = append(n.data, h.old...)
		}
		first = append(first, h.queued)
	}
	for _, o := range n.everyone.list {
		o.waits = false
	}
	n.queue, n.held = append(first, n.queue...), nil
}

// dropped says that changes which were held are lost, nil when none are.
func (n *notices) dropped() error {
	if n.lost == 0 {
		return nil
	}
	err := fmt.Errorf("%w: %d changes are not reported to observers that were cut short before", ErrRange, n.lost)
	n.lost = 0
	return err
}

// storm says which observer triggered which, for the changes that were not reported, and counts
// that as a failure of those who are to blame. It looks at the newest changes: those that came
// first may be the host's.
func (w *World) storm(t *Tick, rounds int) (errs []error) {
	n := &w.notices
	var blamed []*watcher
	chains := map[*watcher][]string{}
	left := maxLooked
	for i := max(len(n.queue)-maxLooked, 0); i < len(n.queue); i++ {
		ring, by := n.ring(n.queue[i].cause)
		if known := slices.Contains(blamed, by); by == nil || !known && len(blamed) == maxBlamed {
			continue
		} else if !known {
			blamed = append(blamed, by)
		}
		list := w.audienceOf(&n.queue[i].Notice).list
		for _, o := range list[:min(len(list), left)] {
			left--
			if len(chains[by]) == maxChains || o.gone || ring != nil && !slices.Contains(ring, o) {
				continue // one that is not of the ring only looks on
			}
			if c := n.chain(o, n.queue[i].cause); !slices.Contains(chains[by], c) {
				chains[by] = append(chains[by], c)
			}
		}
	}
	untold := fmt.Sprintf("after %d rounds %d changes were not told: let one of them make its change only where it is needed", rounds, len(n.queue))
	for _, o := range blamed {
		if len(chains[o]) == 0 { // those whom it has triggered have gone, or only look on
			chains[o] = []string{fmt.Sprintf("%q", o.Name)}
		}
		errs = append(errs, w.blame(t, o, fmt.Errorf("%w: %s; %s", ErrStorm, strings.Join(chains[o], ", "), untold)))
	}
	if len(errs) == 0 { // all of them have gone
		errs = append(errs, fmt.Errorf("%w: %s", ErrStorm, untold))
	}
	return errs
}

// blame counts a storm as a failure of an observer. Its runs in this delivery were part of that, and
// no successes.
func (w *World) blame(t *Tick, o *watcher, storm error) error {
	if h := &o.health; h.state == Healthy && o.delivery == w.notices.deliveries {
		h.state, h.failures, h.wait, h.since = o.before.state, o.before.failures, o.before.wait, o.before.since
	}
	parked := o.health.failed(Failure{t.N, t.Time, storm}, &w.options.Breaker)
	return &SystemError{System: o.Name, Tick: t.N, Parked: parked, Err: storm}
}

// ring returns, of the observers that have led to a change, those that trigger each other, nil when
// none comes up twice; and the last of them, or of all, in the order in which they were added:
// before it came, there was no ring. Last is nil for a change of the host, and when they have gone.
func (n *notices) ring(cause int32) (ring []*watcher, last *watcher) {
	var path []*watcher
	for up := cause; up > 0; up = n.causes[up-1].up {
		by := n.causes[up-1].by
		if at := slices.Index(path, by); at >= 0 {
			path = path[at:]
			ring = path
			break
		}
		path = append(path, by)
	}
	for _, o := range path {
		if !o.gone && (last == nil || o.number > last.number) {
			last = o
		}
	}
	return ring, last
}

// chain names the observers that led to a report to one of them: from the first that
// comes up twice, or from the beginning if none comes up twice.
func (n *notices) chain(o *watcher, up int32) string {
	path := []string{fmt.Sprintf("%q", o.Name)}
	for again := false; up > 0 && !again; up = n.causes[up-1].up {
		name := fmt.Sprintf("%q", n.causes[up-1].by.Name)
		again = slices.Contains(path, name)
		path = append(path, name)
	}
	slices.Reverse(path)
	return strings.Join(path, " → ")
}

// noticesImage are changes that wait for their report, as they do when a host has made them
// between two ticks.
type noticesImage struct {
	queue  []queued
	plans  []capture.Cloning // of kept values, by index in queue; only as long as there are some
	staged []any
	data   []uint64
	passed []string // the names of observers
}

// captureKept copies the values that were removed and are kept for the report, if they have Go
// pointers.
func (k *noticesImage) captureKept(w *World, plans capture.Clonings) error {
	k.queue, k.plans = append(k.queue[:0], w.notices.queue...), k.plans[:0]
	for i := range k.queue {
		q := &k.queue[i]
		if q.kept == nil {
			continue
		}
		c := w.components[q.Component]
		plan, err := plans(c.typ)
		if err == nil {
			for len(k.plans) <= i {
				k.plans = append(k.plans, capture.Cloning{})
			}
			k.plans[i] = plan
			q.kept, err = cloneKept(q.kept, plan)
		}
		if err != nil {
			return fmt.Errorf("component %q: %w", c.schema.Name, err)
		}
	}
	return nil
}

// cloneKept copies what a pointer points to.
func cloneKept(kept any, plan capture.Cloning) (any, error) {
	from := reflect.ValueOf(kept)
	to := reflect.New(from.Type().Elem())
	err := copyPlanned(to, from, plan)
	return to.Interface(), err
}

// capture copies the rest.
func (k *noticesImage) capture(n *notices) {
	k.data, k.passed = append(k.data[:0], n.data...), k.passed[:0]
	for _, o := range n.passed {
		k.passed = append(k.passed, o.Name)
	}
}

// stage copies the kept values for the world.
func (k *noticesImage) stage() error {
	k.staged = k.staged[:0]
	for i := range k.queue {
		kept := k.queue[i].kept
		if kept != nil {
			var err error
			if kept, err = cloneKept(kept, k.plans[i]); err != nil {
				return err
			}
		}
		k.staged = append(k.staged, kept)
	}
	return nil
}

// restore makes what waits what it was. What waited until now is forgotten.
func (k *noticesImage) restore(w *World) {
	n := &w.notices
	n.forget()
	n.queue, n.data = append(n.queue, k.queue...), append(n.data[:0], k.data...)
	for i := range k.staged {
		n.queue[i].kept = k.staged[i]
	}
	clear(k.staged)
	for _, name := range k.passed {
		matched := n.named[name]
		if matched == nil {
			matched = &watcher{gone: true} // keeps the places of the others
		}
		n.passed = append(n.passed, matched)
	}
}

// drop lets the collector have what was kept.
func (k *noticesImage) drop() {
	clear(k.queue)
	clear(k.staged)
	k.queue, k.plans, k.staged, k.data, k.passed = k.queue[:0], k.plans[:0], k.staged[:0], k.data[:0], k.passed[:0]
}

// restoreWatchers gives observers their health back, by name.
func (im *image) restoreWatchers(w *World) {
	for _, o := range w.notices.everyone.list {
		restoreBreaker(im.watchers, o.Name, &o.health, w.clock.time)
	}
}
