package record

import (
	"fmt"
	"iter"

	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

// looking is a look at an earlier tick.
//
// Invariant: while on is set, the ring has now, which is what the world was when the look began, and
// nothing of the scripts has changed since.
type looking struct {
	on  bool
	now uint64 // the tick to come back to
	at  uint64 // the tick that the world shows
}

// Ticks iterates the ticks that are kept, the oldest first: those that [Rollback.Look] shows.
func (b *Rollback) Ticks() iter.Seq[uint64] {
	if b == nil {
		return func(func(uint64) bool) {}
	}
	return b.ring.Ticks()
}

// keeps reports whether the ring has a tick.
func (b *Rollback) keeps(tick uint64) bool {
	if b == nil {
		return false
	}
	at, ok := b.ring.Before(tick)
	return ok && at == tick
}

// Err returns why the last tick was not kept, nil if it was. Each step tries again.
func (b *Rollback) Err() error {
	if b == nil {
		return nil
	}
	return b.err
}

// Look shows a kept tick: the world, and the world alone, is what it was after it, until the look ends.
// No script runs, and nothing that scripts keep changes, so looking leaves no trace: the session goes on as
// one that never looked. While a look lasts, the world is to be read only; what is written to it is lost.
//
// A look ends with [Rollback.Return], with Rewind or Forward, and before the next step, which never goes on
// from a tick that is only looked at. The first look keeps the tick at hand once more, with what the host has
// changed since its step.
//
// The error wraps [snapshot.ErrNotKept] for a tick that [Rollback.Ticks] does not have, is that of
// [scripting.Ring.Capture], or says that components have other fields since a reload. The world is then
// what it was. O(bytes changed since).
func (b *Rollback) Look(tick uint64) error {
	if b == nil || !b.begun || !b.keeps(tick) {
		return fmt.Errorf("record: Look: %w: %d", snapshot.ErrNotKept, tick)
	}
	if !b.looking.on {
		if b.s.replaced() {
			return fmt.Errorf("record: Look: %w: %d; another game was loaded", snapshot.ErrNotKept, tick)
		}
		if err := b.ring.Capture(); err != nil {
			if b.ring.Len() == 0 {
				b.forget()
			}
			return fmt.Errorf("record: Look: %w", err)
		}
		_, now := b.s.host.World().Time()
		b.looking = looking{now: now, at: now}
	}
	if err := b.s.own(func() error { return b.ring.Look(tick) }); err != nil {
		return fmt.Errorf("record: Look: %w", err)
	}
	b.looking.on, b.looking.at = true, tick
	return nil
}

// Scripts returns what scripts kept after a kept tick, nil for another one: see [scripting.Ring.Scripts].
func (b *Rollback) Scripts(tick uint64) *scripting.Scripts {
	if b == nil {
		return nil
	}
	return b.ring.Scripts(tick)
}

// Looking returns the tick that is looked at; ok is false when the world is at the present.
func (b *Rollback) Looking() (tick uint64, ok bool) {
	if b == nil {
		return 0, false
	}
	return b.looking.at, b.looking.on
}

// Present ends a look at an earlier tick, as [Rollback.Return] does: the world of the host is the present
// one. A program calls it before it saves the game or takes its checksum between two steps. Without a look it
// does nothing.
func (s *Session) Present() error {
	if s == nil {
		return nil
	}
	return s.rollback.Return()
}

// Return ends a look: the world is what it was when that began. Without a look it does nothing. The
// error is that of [scripting.Ring.Look]; the look then goes on.
func (b *Rollback) Return() error {
	if b == nil || !b.looking.on {
		return nil
	}
	if err := b.s.own(func() error { return b.ring.Look(b.looking.now) }); err != nil {
		return fmt.Errorf("record: Return: %w", err)
	}
	b.looking.on = false
	return nil
}
