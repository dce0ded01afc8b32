package ecs

import (
	"errors"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// Sentinels: an error of this package wraps one of them.
var (
	// ErrIterating refuses a structural change while a query is being iterated, a
	// script runs, or the lock was taken by Raw.Hold.
	ErrIterating = errors.New("a query is being iterated or a script is running: record the change in Commands")
	// ErrClosed is the error of a closed world that is asked for a change.
	ErrClosed = errors.New("the world is closed")
	// ErrDead is the error for an entity that is dead, foreign or was never issued.
	ErrDead = errors.New("entity is not alive")
	// ErrArenaFull says that the world's memory limit is reached.
	ErrArenaFull = arena.ErrFull
	// ErrEntityLimit says that the world's entity limit is reached.
	ErrEntityLimit = errors.New("entity limit reached")
	// ErrUnknown is the error for a name or number that nothing is registered under.
	ErrUnknown = errors.New("unknown")
	// ErrConflict is the error for a name that is taken, and for parts that contradict
	// each other or belong to different worlds.
	ErrConflict = schema.ErrConflict
	// ErrRange refuses a number that a field cannot hold, or an option cannot be.
	ErrRange = schema.ErrRange
	// ErrCycle refuses an order, or a parent, that would lead back to itself.
	ErrCycle = errors.New("cycle")
	// ErrNotOne is the error when exactly one entity should match, and none or several do.
	ErrNotOne = errors.New("not exactly one entity matches")
	// ErrStorm ends observers that keep triggering each other.
	ErrStorm = errors.New("observers trigger each other without end")
)
