package ecs

import (
	"errors"
	"slices"
)

// deferredDespawns holds the entities that die at the next flush, in the order in which they
// were named.
//
// Invariant: known holds exactly the entities of list.
type deferredDespawns struct {
	list  []Entity
	known map[Entity]bool
}

// DespawnLater lets e live on until the flush: the end of the tick, after every
// system and observer has run, or FlushDespawns. Until then it is alive like any
// other, queries find it, and it may still be despawned, which is fine. It may be
// called while a query is being iterated, but not beside other systems: see
// System.Parallel. Naming an entity twice is naming it once. The error wraps
// ErrDead or ErrIterating.
func (w *World) DespawnLater(e Entity) error {
	switch {
	case !w.Alive(e):
		return w.deadError(e)
	case w.frozen.on:
		return ErrIterating
	}
	w.deferred.add(e)
	return nil
}

// add puts an entity on the list, once.
func (d *deferredDespawns) add(e Entity) {
	if d.known == nil {
		d.known = map[Entity]bool{}
	}
	if !d.known[e] {
		d.known[e] = true
		d.list = append(d.list, e)
	}
}

// FlushDespawns ends what DespawnLater named, in that order, with children, and
// returns how many were alive still. What observers answer by naming more waits
// for the next flush. Entities that may not die stay alive and are named no
// more; the error says why. It wraps ErrIterating or ErrConflict.
func (w *World) FlushDespawns() (int, error) {
	if w.locks > 0 {
		return 0, ErrIterating
	}
	d := &w.deferred
	list, n, next := d.list, 0, 0
	d.list = nil
	clear(d.known)
	defer func() { d.resume(list, next) }()
	var errs []error
	for next < len(list) {
		e := list[next]
		next++
		if w.Alive(e) {
			n++
			if err := w.Despawn(e); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return n, errors.Join(errs...)
}

// resume ends a flush of a list of which those from next on have not had their
// turn, because a hook has panicked: they wait for the next flush, before those
// who were named meanwhile.
func (d *deferredDespawns) resume(list []Entity, next int) {
	if next == len(list) {
		if d.list == nil {
			d.list = list[:0]
		}
		return
	}
	meanwhile := d.list
	d.list = nil
	for _, e := range slices.Concat(list[next:], meanwhile) {
		d.add(e)
	}
}
