package ecs

import (
	"errors"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// Sentinels: an error of this package wraps one of them.
var (
	// ErrIterating refuses a structural change while a query is being iterated, a
	// script runs, or somebody else has taken the lock (Raw.Hold).
	ErrIterating = errors.New("a query is being iterated or a script is running: record the change in Commands")
	// ErrClosed answers who wants something of a world that was closed.
	ErrClosed = errors.New("the world is closed")
	// ErrDead answers for an entity that is dead, foreign or was never issued.
	ErrDead = errors.New("entity is not alive")
	// ErrArenaFull says that the world's memory limit is reached.
	ErrArenaFull = arena.ErrFull
	// ErrEntityLimit says that the world's entity limit is reached.
	ErrEntityLimit = errors.New("entity limit reached")
	// ErrUnknown answers for a name or number that nothing is registered under.
	ErrUnknown = errors.New("unknown")
	// ErrConflict answers for a name that is taken by something different.
	ErrConflict = schema.ErrConflict
	// ErrRange refuses a number that a field cannot hold, or an option cannot be.
	ErrRange = schema.ErrRange
	// ErrCycle refuses an order, or a parent, that would come round to itself.
	ErrCycle = errors.New("cycle")
	// ErrNotOne answers when exactly one entity should match, and others do.
	ErrNotOne = errors.New("not exactly one entity matches")
	// ErrStorm ends observers that keep triggering each other.
	ErrStorm = errors.New("observers trigger each other without end")
)
