package record

import (
	"errors"
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

// Rollback keeps the last ticks of a session, and their inputs. It goes back, and forward again: with
// the same inputs to the same world, or with others.
//
// Invariant: ticks are those after first, up to the newest tick that was made and not given up; the
// ring has first, and no tick after the world's, unless a [Rollback.Look] has moved the world. The
// ring may have ticks before first: they can be looked at, and gone back to, but not run again.
type Rollback struct {
	s       *Session
	ring    *scripting.Ring
	first   uint64 // the oldest tick from which ticks can be run again
	ticks   []tick // those after it, oldest first
	begun   bool   // first is good
	at      uint64 // the tick of the world when it was kept last, or rewound
	looking looking
	err     error              // why the last tick was not kept
	found   scripting.Restored // by the last Rewind
}

// Rollback begins to keep the ticks of the session, within options: the tick at hand, and what each
// Step makes of it. Memory for the inputs comes on top. The errors are those of [scripting.NewRing]
// and [scripting.Ring.Capture], and [ecs.ErrConflict] if the session has one.
//
// A step costs a capture more: O(bytes of the world that have changed).
func (s *Session) Rollback(options snapshot.RingOptions) (*Rollback, error) {
	if !s.open() {
		return nil, fmt.Errorf("record: Rollback: %w", scripting.ErrClosed)
	}
	if s.rollback != nil {
		return nil, fmt.Errorf("record: Rollback: %w: the session has one", ecs.ErrConflict)
	}
	ring, err := scripting.NewRing(s.host, options)
	if err != nil {
		return nil, fmt.Errorf("record: Rollback: %w", err)
	}
	s.follow()
	b := &Rollback{s: s, ring: ring}
	if err := b.begin(); err != nil {
		return nil, fmt.Errorf("record: Rollback: %w", err)
	}
	s.rollback = b
	return b, nil
}

// begin keeps the tick at hand. What is before it cannot be run again, and stays in the ring.
func (b *Rollback) begin() error {
	if b.err = b.ring.Capture(); b.err != nil {
		b.forget()
		return b.err
	}
	_, b.at = b.s.host.World().Time()
	b.first, b.ticks, b.begun = b.at, b.ticks[:0], true
	return nil
}

// forget gives up what is kept.
func (b *Rollback) forget() {
	if b != nil {
		b.ring.Clear()
		b.ticks, b.begun, b.looking = b.ticks[:0], false, looking{}
	}
}

// Close ends the rollback, and gives its memory back. A look ends before, see [Rollback.Look].
func (b *Rollback) Close() {
	if b == nil || b.s == nil {
		return
	}
	_ = b.Return() // a host that is closed has nothing to come back to
	b.forget()
	if b.s.rollback == b {
		b.s.rollback = nil
	}
}

// replaced reports whether the game is not the one that was kept last.
func (b *Rollback) replaced(tick uint64) bool { return tick != b.at || b.s.replaced() }

// follow notes the tick that the next step begins with. What is kept is of another game if that is not the one that was
// kept last: a save was loaded.
func (b *Rollback) follow(tick uint64) {
	if b != nil && b.begun && b.replaced(tick) {
		b.forget()
	}
}

// tick keeps a step that was made. Inputs of a future that was rewound are given up. A reload begins
// anew: what ran before it, other scripts would make otherwise. So does a step of another game.
func (b *Rollback) tick(now uint64, t *tick, reloads []scripting.Reload) error {
	if b == nil {
		return nil
	}
	if !b.begun || len(reloads) > 0 {
		return b.begin()
	}
	b.ticks = append(b.ticks[:now-1-b.first], *t)
	return b.capture()
}

// back goes on from the game of an earlier tick, which somebody else has restored: later ticks are given up. It may
// be another game than the one that was kept of that tick, and takes its place.
func (b *Rollback) back(tick uint64) error {
	if b == nil {
		return nil
	}
	oldest, newest := b.Range()
	if !b.begun || tick < oldest || tick > newest {
		return b.begin()
	}
	b.ticks = b.ticks[:tick-b.first]
	return b.capture()
}

// lose begins anew after a tick that was made and cannot be made again.
func (b *Rollback) lose(why error) error {
	if b == nil {
		return nil
	}
	return errors.Join(fmt.Errorf("record: rollback: the tick cannot be made again: %w", why), b.begin())
}

// capture keeps what the host is, and gives up inputs before the oldest tick that is kept.
func (b *Rollback) capture() error {
	if b.err = b.ring.Capture(); b.err != nil {
		b.forget()
		return fmt.Errorf("record: rollback: %w", b.err)
	}
	_, b.at = b.s.host.World().Time()
	for oldest := range b.ring.Ticks() {
		if oldest > b.first {
			b.ticks = slices.Delete(b.ticks, 0, int(min(oldest-b.first, uint64(len(b.ticks)))))
			b.first = oldest
		}
		break
	}
	return nil
}

// Range returns the oldest tick from which ticks can be run again, and the newest. [Rollback.Ticks] may
// have older ones.
func (b *Rollback) Range() (oldest, newest uint64) {
	if b == nil || !b.begun {
		return 0, 0
	}
	return b.first, b.first + uint64(len(b.ticks))
}

// Bytes returns about how much memory the kept ticks take, without their inputs.
func (b *Rollback) Bytes() int64 {
	if b == nil {
		return 0
	}
	return b.ring.Bytes()
}

// Rewind makes the world and the scripts what they were after a tick. If that was thinned out, the one
// before it is restored, and the ticks in between run again. The inputs of later ticks stay for
// Forward, until Step makes another tick. A recording goes on from here: what it has of later ticks
// does not count. A look ends before, see [Rollback.Look].
//
// A tick out of [Rollback.Range] that [Rollback.Ticks] has is from before scripts were reloaded: it is
// restored, and goes on with the scripts that there are now; [Rollback.Restored] says what they
// have found. Of later ticks there are then no inputs. A session that is recorded has no such ticks.
//
// The error wraps [snapshot.ErrNotKept] for other ticks, or is that of a step that
// was run again. O(bytes changed since, ticks that run again).
func (b *Rollback) Rewind(tick uint64) error {
	oldest, newest := b.Range()
	early := tick < oldest && b.keeps(tick) && !b.s.recorder.active()
	if b == nil || !b.begun || !early && tick < oldest || tick > newest {
		return fmt.Errorf("record: Rewind: %w: %d; those from %d to %d are", snapshot.ErrNotKept, tick, oldest, newest)
	}
	if err := b.Return(); err != nil {
		return err
	}
	_, now := b.s.host.World().Time()
	if tick > now && !b.replaced(now) {
		return b.Forward(tick)
	}
	at, ok := b.ring.Before(tick)
	if !ok {
		return fmt.Errorf("record: Rewind: %w: %d", snapshot.ErrNotKept, tick)
	}
	found, err := b.ring.Restore(at)
	if err != nil {
		return fmt.Errorf("record: Rewind: %w", err)
	}
	b.s.restores = b.s.host.World().Raw().Restores()
	b.at, b.found = at, found
	if early {
		b.first, b.ticks = at, b.ticks[:0]
	}
	b.s.recorder.rewound(at)
	return b.Forward(tick)
}

// Restored returns what the last [Rollback.Rewind] has found of the scripts: those that are others than
// in the tick that was restored.
func (b *Rollback) Restored() scripting.Restored {
	if b == nil {
		return scripting.Restored{}
	}
	return b.found
}

// Forward runs the ticks up to one again, which were rewound, with the inputs that they had and those of
// [CommandInput.PostAt]. The error wraps [snapshot.ErrNotKept] for a tick before the world's or after the newest; or it
// is what the steps have returned, which are made all the same.
func (b *Rollback) Forward(tick uint64) error {
	_, newest := b.Range()
	if b == nil || !b.begun {
		return fmt.Errorf("record: Forward: %w: %d; none is", snapshot.ErrNotKept, tick)
	}
	if err := b.Return(); err != nil {
		return err
	}
	_, now := b.s.host.World().Time()
	if b.replaced(now) {
		return fmt.Errorf("record: Forward: %w: %d; another game was loaded", snapshot.ErrNotKept, tick)
	}
	if tick < now || tick > newest {
		return fmt.Errorf("record: Forward: %w: %d; those from %d to %d are", snapshot.ErrNotKept, tick, now, newest)
	}
	var errs []error
	for now < tick {
		t := b.ticks[now-b.first]
		err := b.s.again(&t)
		errs = append(errs, err)
		if _, is := b.s.host.World().Time(); is == now {
			return fmt.Errorf("record: Forward: tick %d was not made: %w", now+1, err)
		}
		now++
		reloads := b.s.reloads
		b.s.reloads = nil
		b.s.recorder.tick(now, &t, reloads)
		if err := b.made(now, reloads); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// made keeps a tick that was made again. If scripts were reloaded in it, it is the oldest from here on.
func (b *Rollback) made(now uint64, reloads []scripting.Reload) error {
	if len(reloads) == 0 {
		return b.capture()
	}
	later := slices.Clone(b.ticks[now-b.first:])
	err := b.begin()
	if err == nil {
		b.ticks = later
	}
	return err
}

// amend adds an input to a tick that has been.
func (b *Rollback) amend(tick uint64, r recorded) error {
	oldest, newest := b.Range()
	switch {
	case b == nil:
		return fmt.Errorf("record: PostAt: %w: the session has no rollback", ecs.ErrConflict)
	case !b.begun || tick <= oldest || tick > newest:
		return fmt.Errorf("record: PostAt: %w: %d; those from %d to %d are", snapshot.ErrNotKept, tick, oldest+1, newest)
	}
	t := &b.ticks[tick-1-b.first]
	at := len(t.inputs)
	for at > 0 && t.inputs[at-1].from > r.from {
		at--
	}
	t.inputs = slices.Insert(slices.Clone(t.inputs), at, r)
	return nil
}
