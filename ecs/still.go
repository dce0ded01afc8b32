package ecs

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs/internal/slots"
	"github.com/perigee-ecs/perigee/ecs/internal/work"
)

// A world stands still while systems of a stage run, or chunks are worked on in
// parallel: nothing changes then but columns, so that any number of goroutines
// may look. Handles for new entities are foretold: they come true, in the same
// order, once the world moves on.

// frozenState is what a world knows while it stands still. It is written before the
// first goroutine begins and after the last one ends, but for handles, which are
// issued by one after the other: see work.Slot.
type frozenState struct {
	on      bool
	handles slots.Cursor
}

// freeze makes the world stand still: structural changes are refused as in a loop.
func (w *World) freeze() {
	for _, p := range w.pools {
		p.page(0) // brings the view of a pool up to date
	}
	if w.arena.Size() > 0 {
		// Who spawns must find slots, for only one goroutine could take the arena.
		// Where the system refuses it, Spawn finds none, as at the entity limit.
		_ = w.reserveArena()
	}
	w.locks++
	w.frozen = frozenState{on: true, handles: w.slots.Cursor()}
}

// thaw ends the stand-still. What had been spawned is alive from now on, as far
// as it has not been dropped again.
func (w *World) thaw() {
	w.locks--
	w.frozen.handles.Issue()
	w.frozen = frozenState{}
}

// issue returns a new handle for a buffer.
func (c *Commands) issue() (Entity, error) {
	w := c.world
	switch {
	case !w.frozen.on:
		return w.issue()
	case c.slot.Zero():
		return 0, fmt.Errorf("%w: only a system's own commands issue handles beside other systems", ErrIterating)
	}
	c.slot.Wait()
	h, ok := w.frozen.handles.Next()
	if !ok {
		return 0, ErrEntityLimit
	}
	return Entity(h), nil
}

// settle ends a buffer's part in a stand-still: what it had issued and dropped
// dies.
func (c *Commands) settle() {
	c.slot = work.Slot{}
	for _, e := range c.lost {
		c.world.slots.Release(uint64(e))
	}
	c.lost = c.lost[:0]
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

// lockFrozen is lock while the world stands still: its locks are not touched then.
// It panics for a loop that could meet the writes of another goroutine.
func (q *Query) lockFrozen() int {
	if !q.declared {
		panic(fmt.Errorf("%w: beside others a system iterates the queries in System.Queries only, "+
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

// lookVersion begins a look for Changed and returns the version of it: what is written
// later counts as later. While the world stands still all writes carry one
// version, so those of the same run count as later, whenever they were made.
func (w *World) lookVersion() uint64 {
	if w.frozen.on {
		return w.version - 1
	}
	w.version++
	return w.version - 1
}
