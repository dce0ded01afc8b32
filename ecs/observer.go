package ecs

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
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
// The error names which observer triggered which.
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
	health    health
	gone      bool   // removed, perhaps during a delivery
	rests     uint64 // 1 + the tick in which it is told of nothing more, see Tick.Pass; 0: none
	waits     bool   // it was interrupted in this step, so that all that it would get waits
}

// cares reports whether the observer watches for a notice.
func (o *watcher) cares(n *Notice) bool {
	return !o.gone && o.On&n.Trigger != 0 && (n.Trigger&(OnSpawn|OnDespawn) != 0 || o.component == n.Component)
}

// Observe adds an observer. The error wraps ErrConflict, when the name is taken
// or the observer lacks a part, ErrUnknown, when there is no such component, or ErrClosed.
func (w *World) Observe(o Observer) error {
	switch {
	case w.closed():
		return fmt.Errorf("observer %q: %w", o.Name, ErrClosed)
	case o.Name == "":
		return fmt.Errorf("%w: an observer needs a name", ErrConflict)
	case o.Run == nil:
		return fmt.Errorf("%w: observer %q has no function", ErrConflict, o.Name)
	case o.On == 0:
		return fmt.Errorf("%w: observer %q watches nothing: On is empty", ErrConflict, o.Name)
	case o.On >= OnDespawn<<1:
		return fmt.Errorf("%w: observer %q watches a change of kind %#x, which there is not", ErrConflict, o.Name, uint8(o.On))
	case o.Query != nil && o.Query.world != w:
		return fmt.Errorf("%w: observer %q has a query of another world", ErrConflict, o.Name)
	}
	for _, other := range w.notices.watchers {
		if other.Name == o.Name {
			return fmt.Errorf("%w: observer %q exists", ErrConflict, o.Name)
		}
	}
	id, err := w.observed(&o)
	if err != nil {
		return err
	}
	w.notices.rested = 0
	w.notices.watchers = append(slices.Clone(w.notices.watchers), &watcher{Observer: o, component: id})
	w.rewatch()
	return nil
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
func (w *World) Unobserve(name string) {
	w.notices.rested = 0
	w.notices.watchers = slices.DeleteFunc(slices.Clone(w.notices.watchers), func(o *watcher) bool {
		o.gone = o.gone || o.Name == name
		return o.gone
	})
	w.rewatch()
}

// rewatch gives components and archetypes the triggers that are watched on them. An
// observer for the end of something needs the beginning, too: the end is reported
// only where the beginning was.
func (w *World) rewatch() {
	w.notices.watch, w.notices.any = 0, 0
	for _, c := range w.components {
		c.observed, c.watch = 0, 0
		if c.traits &^= watchedTrait; len(c.added) > 0 {
			c.watch, w.notices.any = OnAdd, w.notices.any|OnAdd
			c.traits |= watchedTrait
		}
	}
	w.notices.filtered = false
	for _, o := range w.notices.watchers {
		all := o.On
		if all&OnRemove != 0 {
			all |= OnAdd
		}
		if all&OnDespawn != 0 {
			all |= OnSpawn
		}
		w.notices.filtered = w.notices.filtered || o.Query != nil
		w.notices.any |= all
		w.notices.watch |= all & (OnSpawn | OnDespawn)
		if on := all & (OnAdd | OnSet | OnRemove); on != 0 {
			w.components[o.component].observed |= on
			w.components[o.component].watch |= on
			w.components[o.component].traits |= watchedTrait
		}
	}
	for _, a := range w.archetypes {
		a.removalObserved = false
		for _, id := range a.ids {
			a.removalObserved = a.removalObserved || w.components[id].removalObserved()
		}
	}
}

// notices waits between a change and its observers.
//
// Invariant: between deliveries, causes, unseen and cause are empty; with the
// queue, data and passed are empty too. Held is in the order of the changes.
type notices struct {
	any      Trigger    // all that observers watch for
	watch    Trigger    // OnSpawn and OnDespawn of it
	filtered bool       // some observer has a Query
	watchers []*watcher // replaced, not changed: notifyAll may be walking it
	queue    []queued
	data     []uint64
	passed   []*watcher // whose query matched just before a removal
	held     []heldNotice
	lost     int // that could not be held, in this step

	rested uint64 // 1 + the last tick in which observers passed; 0: ask each
	rest   int    // how many did

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
	if w.notices.filtered && on&(OnRemove|OnDespawn) != 0 {
		w.notices.pass(&q)
	}
	w.notices.queue = append(w.notices.queue, q)
}

// pass asks the observers' queries while the entity is still what it was.
func (n *notices) pass(q *queued) {
	q.from = uint32(len(n.passed))
	for _, o := range n.watchers {
		if o.Query != nil && o.cares(&q.Notice) && o.Query.Matches(q.Entity) {
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
	// maxChains is how many chains the error names.
	maxChains = 3
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
			errs = append(errs, n.storm(round))
			break
		}
	}
	n.forget()
	return errors.Join(errs...)
}

// notifyAll gives the i-th notice to the observers that watch for it.
func (w *World) notifyAll(t *Tick, i int) error {
	n := &w.notices
	if n.resting(t.N) || n.queue[i].only == "" && !w.current(&n.queue[i].Notice, nil) {
		return nil
	}
	var errs []error
	for _, o := range n.watchers {
		if o.rests == t.N+1 {
			continue
		}
		q := &n.queue[i] // telling may move the queue
		if !o.cares(&q.Notice) || q.only != "" && q.only != o.Name || !n.matches(o, q) {
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
	return errors.Join(errs...)
}

// resting reports whether all observers have passed in a tick.
func (n *notices) resting(tick uint64) bool { return n.rested == tick+1 && n.rest >= len(n.watchers) }

// passes notes that an observer has passed.
func (n *notices) passes(o *watcher, tick uint64) {
	if n.rested != tick+1 {
		n.rested, n.rest = tick+1, 0
	}
	n.rest++
	o.rests = tick + 1
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
	before, up := len(n.queue), q.cause
	n.cause = int32(len(n.causes) + 1)
	passed := t.passed
	t.passed = false
	err := w.schedule.guard(t, o.Name, &o.health, func() error { return o.Run(t, note) })
	if t.passed && o.rests != t.N+1 {
		n.passes(o, t.N)
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
	for _, o := range n.watchers {
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

// storm says which observer triggered which, for the changes that were not reported.
func (n *notices) storm(rounds int) error {
	var chains []string
	for i := range n.queue[:min(len(n.queue), maxWaiting)] {
		for _, o := range n.watchers {
			if len(chains) == maxChains || !o.cares(&n.queue[i].Notice) {
				continue
			}
			if c := n.chain(o, n.queue[i].cause); !slices.Contains(chains, c) {
				chains = append(chains, c)
			}
		}
	}
	return fmt.Errorf("%w: %s; after %d rounds %d changes were not told", ErrStorm, strings.Join(chains, ", "), rounds, len(n.queue))
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
		i := slices.IndexFunc(n.watchers, func(o *watcher) bool { return o.Name == name })
		if i < 0 {
			n.passed = append(n.passed, &watcher{gone: true}) // keeps the places of the others
			continue
		}
		n.passed = append(n.passed, n.watchers[i])
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
	for _, o := range w.notices.watchers {
		restoreBreaker(im.watchers, o.Name, &o.health, w.clock.time)
	}
}
