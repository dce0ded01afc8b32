package ecs

import (
	"fmt"
	"slices"
	"unsafe"
)

// Trigger is a set of kinds of change that observers watch for.
type Trigger uint8

// The kinds. OnSet covers Add over an existing value, Component.Edit and
// patches; columns written in a loop are not told one by one: ask for
// Query.Changed.
const (
	OnAdd Trigger = 1 << iota
	OnSet
	OnRemove
	OnSpawn
	OnDespawn
)

// Notice is what an observer is told.
type Notice struct {
	Trigger   Trigger
	Component ComponentID
	Entity    Entity         // may be dead by now, for OnRemove and OnDespawn
	Old       unsafe.Pointer // the value that was removed, during the call
}

// Observer is a function that is told of changes after they were made: when the
// commands of the system that made them have been applied, or at the begin of
// the next tick for changes made outside of systems. Its own commands are
// applied after it returns, and dropped when it fails. An observer that keeps
// failing is parked as a system is.
//
// What came and went before anybody could be told of it is not told at all: of
// an entity that is spawned and despawned by the same commands observers hear
// neither. Who is not told that something came is not told that it went.
//
// Observers whose commands trigger observers without end are cut off with
// ErrStorm after 64 rounds, or when far more changes wait to be told than there
// were at first; the error names who triggered whom.
type Observer struct {
	Name      string
	On        Trigger
	Component ComponentID // for OnAdd, OnSet, OnRemove
	// Query narrows it down to entities that match; nil means all. For OnAdd,
	// OnSet and OnSpawn they match when the observer would be told, for OnRemove
	// and OnDespawn just before the change. Change filters do not count, as in
	// Query.Matches. With such a filter every removal that is watched costs a
	// match.
	Query *Query
	Run   func(*Tick, Notice) error
}

type watcher struct {
	Observer
	health health
	gone   bool // removed, perhaps while others were being told
}

// cares reports whether the observer watches for a notice.
func (o *watcher) cares(n *Notice) bool {
	return !o.gone && o.On&n.Trigger != 0 && (n.Trigger&(OnSpawn|OnDespawn) != 0 || o.Component == n.Component)
}

// Observe adds an observer. The error wraps ErrConflict, when the name is taken
// or the observer lacks a part, or ErrUnknown, when there is no such component.
func (w *World) Observe(o Observer) error {
	switch {
	case o.Name == "":
		return fmt.Errorf("%w: an observer needs a name", ErrConflict)
	case o.Run == nil:
		return fmt.Errorf("%w: observer %q has no function", ErrConflict, o.Name)
	case o.On == 0:
		return fmt.Errorf("%w: observer %q watches nothing: On is empty", ErrConflict, o.Name)
	case o.On >= OnDespawn<<1:
		return fmt.Errorf("%w: observer %q watches a change of kind %#x, which there is not", ErrConflict, o.Name, uint8(o.On))
	case o.On&(OnAdd|OnSet|OnRemove) != 0 && int(o.Component) >= len(w.components):
		return fmt.Errorf("%w: observer %q watches component %d", ErrUnknown, o.Name, o.Component)
	case o.Query != nil && o.Query.world != w:
		return fmt.Errorf("%w: observer %q has a query of another world", ErrConflict, o.Name)
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

// rewatch tells components and archetypes what is watched on them. Who watches
// for the end of something must know of its beginning: whether it was told.
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
			w.components[o.Component].observed |= on
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
