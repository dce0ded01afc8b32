package ecs

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// The iteration lock keeps the structure of a world as it is while somebody goes through
// it: loops over queries, calls into scripts (Hold), and systems that run at the same
// time, for which the world is frozen. It is a count, World.locks; direct structural
// changes return ErrIterating while it is above zero.

// A world is frozen while systems of a stage run, or chunks are worked on in
// parallel: nothing changes then but columns, so that any number of goroutines
// may look. Handles for new entities are reserved: they become alive, in the same
// order, when the world thaws.

// frozenState is what a world knows while it is frozen. It is written before the
// first goroutine begins and after the last one ends, except for handles: jobs issue
// these one after the other, see work.Ticket.
type frozenState struct {
	on      bool
	handles slots.Cursor
}

// freeze refuses structural changes, as a loop does, until thaw.
func (w *World) freeze() {
	for _, p := range w.pools {
		p.page(0) // brings the view of a pool up to date
	}
	if w.arena.Size() > 0 {
		// Spawn must find slots, because only one goroutine could take the arena.
		// If the operating system refuses it, Spawn finds no slot, as at the entity limit.
		_ = w.reserveArena()
	}
	w.locks++
	w.frozen = frozenState{on: true, handles: w.slots.Cursor()}
}

// thaw ends freeze. Entities that were spawned meanwhile are alive from now on, unless
// their commands were dropped.
func (w *World) thaw() {
	w.locks--
	w.frozen.handles.Issue()
	w.frozen = frozenState{}
}

// lock begins a loop over the query and returns what unlock needs.
func (q *Query) lock() (before int) {
	w := q.world
	if w.frozen.on {
		return q.lockFrozen()
	}
	w.locks++
	return w.locks - 1
}

// lockFrozen is lock while the world is frozen: its locks are not touched then.
// It panics for a loop that could meet the writes of another goroutine.
func (q *Query) lockFrozen() int {
	if !q.declared {
		panic(fmt.Errorf("ecs: %w: beside others a system iterates the queries in System.Queries only, "+
			"and a function of Tick.Parallel none", ErrConflict))
	}
	return q.world.locks
}

// unlock ends a loop, and with it those inside of it that a panic has left.
func (q *Query) unlock(before int) {
	if w := q.world; !w.frozen.on {
		w.locks = before
	}
}

// guard is Raw.Guard.
func (w *World) guard() (end func()) {
	locks := w.locks
	return func() {
		if !w.frozen.on { // then a loop takes no lock
			w.locks = locks
		}
	}
}

// Hold is the iteration lock in the hands of code that is no loop: see Raw.Hold.
type Hold struct {
	world *World // nil: there is nothing to give back
	locks int    // before
}

// hold is Raw.Hold.
func (w *World) hold() Hold {
	if w.frozen.on {
		return Hold{} // nothing can change, and the locks are not one goroutine's
	}
	w.locks++
	return Hold{w, w.locks - 1}
}

// Release gives the lock back. Holds end in the opposite order of their beginnings,
// each once.
func (h Hold) Release() {
	if h.world != nil {
		h.world.locks = h.locks
	}
}

// lookVersion begins a look for Changed and returns the version of it: what is written
// later counts as later. While the world is frozen all writes carry one
// version, so those of the same run count as later, whenever they were made.
func (w *World) lookVersion() uint64 {
	if w.frozen.on {
		return w.version - 1
	}
	w.version++
	return w.version - 1
}
