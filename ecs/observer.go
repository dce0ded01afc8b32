package ecs

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// Change is a set of kinds of change that observers watch for.
type Change uint8

// The kinds. OnSet covers Add over an existing value, Component.Edit and
// patches; columns written in a loop are not told one by one: ask for
// Query.Changed.
const (
	OnAdd Change = 1 << iota
	OnSet
	OnRemove
	OnSpawn
	OnDespawn
)

// maxRounds is how often the commands of observers may trigger observers again
// before that counts as a storm.
const maxRounds = 64

// Notice is what an observer is told.
type Notice struct {
	Change    Change
	Component ComponentID
	Entity    Entity         // may be dead by now, for OnRemove and OnDespawn
	Old       unsafe.Pointer // the value that was removed, during the call
}

// Observer is a function that is told of changes after they were made: when the
// commands of the system that made them have been applied, or at the begin of
// the next tick for changes made outside of systems. Its own commands are
// applied after it returns, and dropped when it fails. An observer that keeps
// failing is parked as a system is.
type Observer struct {
	Name      string
	On        Change
	Component ComponentID // for OnAdd, OnSet, OnRemove
	Run       func(*Tick, Notice) error
}

type watcher struct {
	Observer
	health health
	gone   bool // removed, perhaps while others were being told
}

// cares reports whether the observer watches for a notice.
func (o *watcher) cares(n *Notice) bool {
	return !o.gone && o.On&n.Change != 0 && (n.Change&(OnSpawn|OnDespawn) != 0 || o.Component == n.Component)
}

// notices waits between a change and its observers.
type notices struct {
	any      Change     // all that anybody watches for
	watch    Change     // OnSpawn and OnDespawn of it
	watchers []*watcher // replaced, not changed: tellAll may be walking it
	queue    []queued
	data     []uint64
}

type queued struct {
	Notice
	at   uint32 // 1 + index of the removed value in data
	kept any    // the removed value, if it holds Go pointers
}

// Observe adds an observer. The error wraps ErrConflict, when the name is taken
// or the observer lacks a part, or ErrUnknown, when there is no such component.
func (w *World) Observe(o Observer) error {
	if o.Name == "" || o.Run == nil || o.On == 0 {
		return fmt.Errorf("%w: an observer needs a name, a change to watch and a function", ErrConflict)
	}
	if o.On&(OnAdd|OnSet|OnRemove) != 0 && int(o.Component) >= len(w.components) {
		return fmt.Errorf("%w: observer %q watches component %d", ErrUnknown, o.Name, o.Component)
	}
	for _, other := range w.notices.watchers {
		if other.Name == o.Name {
			return fmt.Errorf("%w: observer %q exists", ErrConflict, o.Name)
		}
	}
	w.notices.watchers = append(slices.Clone(w.notices.watchers), &watcher{Observer: o})
	w.rewatch()
	return nil
}

// Unobserve removes an observer by name; a name that is not there is ignored.
// The observer is told nothing more, not even what has happened already.
func (w *World) Unobserve(name string) {
	w.notices.watchers = slices.DeleteFunc(slices.Clone(w.notices.watchers), func(o *watcher) bool {
		o.gone = o.gone || o.Name == name
		return o.gone
	})
	w.rewatch()
}

// rewatch tells components and archetypes what is watched on them.
func (w *World) rewatch() {
	w.notices.watch, w.notices.any = 0, 0
	for _, c := range w.components {
		c.told, c.watch = 0, 0
		if c.traits &^= watchedTrait; len(c.added) > 0 {
			c.watch, w.notices.any = OnAdd, w.notices.any|OnAdd
			c.traits |= watchedTrait
		}
	}
	for _, o := range w.notices.watchers {
		w.notices.any |= o.On
		w.notices.watch |= o.On & (OnSpawn | OnDespawn)
		if on := o.On & (OnAdd | OnSet | OnRemove); on != 0 {
			w.components[o.Component].told |= on
			w.components[o.Component].watch |= on
			w.components[o.Component].traits |= watchedTrait
		}
	}
	for _, a := range w.archetypes {
		a.watched = 0
		for _, id := range a.ids {
			a.watched |= w.components[id].watch
		}
	}
}

// notice queues a change if anybody watches for it. old is the value that is
// about to be removed.
func (w *World) notice(on Change, id ComponentID, e Entity, old unsafe.Pointer) {
	watch := w.notices.watch
	if on&(OnSpawn|OnDespawn) == 0 {
		c := w.components[id]
		if watch = c.told; on == OnAdd && len(c.added) > 0 {
			c.noteAdded(w, e)
		}
	}
	if watch&on == 0 {
		return
	}
	q := queued{Notice: Notice{Change: on, Component: id, Entity: e}}
	if old != nil {
		w.keepOld(&q, old)
	}
	w.notices.queue = append(w.notices.queue, q)
}

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

// deliver tells observers what has happened, and what their answers caused,
// until nothing is left to tell.
func (w *World) deliver(t *Tick) error {
	if len(w.notices.queue) == 0 {
		return nil
	}
	var errs []error
	for round := 0; len(w.notices.queue) > 0; round++ {
		if round == maxRounds {
			errs = append(errs, w.storm())
			break
		}
		n := len(w.notices.queue)
		for i := range n {
			if err := w.tellAll(t, i); err != nil {
				errs = append(errs, err)
			}
		}
		w.notices.queue = slices.Delete(w.notices.queue, 0, n)
	}
	clear(w.notices.queue) // after a storm it holds old values
	w.notices.queue, w.notices.data = w.notices.queue[:0], w.notices.data[:0]
	return errors.Join(errs...)
}

// tellAll gives the i-th notice to those who watch for it.
func (w *World) tellAll(t *Tick, i int) error {
	var errs []error
	for _, o := range w.notices.watchers {
		q := &w.notices.queue[i]
		if !o.cares(&q.Notice) || w.stale(&q.Notice) {
			continue
		}
		if err := w.tellOne(t, o, q); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// stale reports whether what came has gone again before anybody could look.
func (w *World) stale(n *Notice) bool {
	switch n.Change {
	case OnAdd, OnSet:
		return !w.Has(n.Entity, n.Component)
	case OnSpawn:
		return !w.Alive(n.Entity)
	}
	return false
}

func (w *World) tellOne(t *Tick, o *watcher, q *queued) error {
	note := q.Notice
	if q.kept != nil {
		note.Old = w.components[q.Component].pool.(heapStored).address(q.kept)
	} else if q.at > 0 {
		note.Old = unsafe.Pointer(&w.notices.data[q.at-1])
	}
	return w.schedule.guard(t, o.Name, &o.health, func() error { return o.Run(t, note) })
}

// storm names the observers that have notices left after too many rounds.
func (w *World) storm() error {
	var names []string
	for _, q := range w.notices.queue {
		for _, o := range w.notices.watchers {
			if o.cares(&q.Notice) && !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	return fmt.Errorf("%w: %q after %d rounds; the changes still waiting were not told", ErrStorm, names, maxRounds)
}
