package scripting

import (
	"fmt"
	"iter"

	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// Ring keeps what a host was after the last ticks, its world and what its scripts keep, for rollback.
// What has not changed between two ticks is kept once: columns of the world as in a [snapshot.Ring],
// tables of ecs.state if no script has written one. It belongs to the goroutine of its host.
//
// Package [github.com/perigee-ecs/perigee/scripting/record] has a rollback that knows the inputs of
// the host, too: it goes to a tick that the ring has thinned out, and forward again with other inputs.
//
// Invariant: frames are those of the ticks that world has, in their order.
type Ring struct {
	host   *Host
	world  *snapshot.Ring
	frames []ringFrame
	spare  []*Scripts // dropped, to be filled again
}

// ringFrame is what scripts keep after a tick.
type ringFrame struct {
	tick    uint64
	scripts *Scripts
}

// NewRing makes a ring of a host, which is empty. Options.Bytes bound the memory of both, world and
// scripts. The error wraps [ErrClosed], or is that of [snapshot.NewRing].
func NewRing(h *Host, options snapshot.RingOptions) (*Ring, error) {
	if h.gone() {
		return nil, fmt.Errorf("scripting: NewRing: %w", ErrClosed)
	}
	world, err := snapshot.NewRing(h.world, options)
	if err != nil {
		return nil, fmt.Errorf("scripting: NewRing: %w", err)
	}
	return &Ring{host: h, world: world}, nil
}

// made reports whether NewRing has made the ring.
func (r *Ring) made() bool { return r != nil && r.host != nil }

// Capture adds what the host is now, between two steps. It replaces what is kept of the same tick, and
// drops later ones. When that exceeds the ring's bytes, older ones go, with wider gaps the older they
// are. The errors are those of [Host.Capture], and [ecs.ErrRange] when one tick alone takes more than
// the ring may: then the ring is empty. On the other errors it stays what it was.
//
// O(bytes of the world that have changed; state tables, if one was written; timers and their data).
// Once the ring is as long as it gets it allocates nothing, if on_save functions do not and no fault
// has come.
func (r *Ring) Capture() error {
	if !r.made() {
		return fmt.Errorf("scripting: Ring.Capture: %w", ErrClosed)
	}
	h := r.host
	if err := h.enter(capturing); err != nil {
		return err
	}
	defer h.leave()
	x := r.take()
	if err := h.look(x); err != nil {
		r.spare = append(r.spare, x)
		return err
	}
	if err := r.world.Capture(); err != nil {
		r.spare = append(r.spare, x)
		r.follow()
		return fmt.Errorf("scripting: Capture: %w", err)
	}
	h.takeScripts(x)
	r.dropFrom(x.tick)
	r.frames = append(r.frames, ringFrame{x.tick, x})
	err := r.world.Charge(x.tick, x.bytes())
	r.follow()
	if err != nil {
		return fmt.Errorf("scripting: Capture: %w", err)
	}
	return nil
}

// take returns what the scripts of the next tick are captured into. It shares what the newest frame
// has.
func (r *Ring) take() *Scripts {
	var x *Scripts
	if n := len(r.spare); n > 0 {
		x, r.spare = r.spare[n-1], r.spare[:n-1]
	} else {
		x = &Scripts{}
	}
	if n := len(r.frames); n > 0 {
		last := r.frames[n-1].scripts
		x.kept.Share(&last.kept)
		x.of, x.faults = last.of, last.faults // which a restore clones
	}
	return x
}

// follow drops the frames that the world's ring no longer has.
func (r *Ring) follow() {
	kept, i := r.frames[:0], 0
	for tick := range r.world.Ticks() {
		for i < len(r.frames) && r.frames[i].tick < tick {
			r.spare = append(r.spare, r.frames[i].scripts)
			i++
		}
		if i < len(r.frames) && r.frames[i].tick == tick {
			kept = append(kept, r.frames[i])
			i++
		}
	}
	for ; i < len(r.frames); i++ {
		r.spare = append(r.spare, r.frames[i].scripts)
	}
	clear(r.frames[len(kept):])
	r.frames = kept
}

// dropFrom drops the frames of a tick and of later ones.
func (r *Ring) dropFrom(tick uint64) {
	for n := len(r.frames); n > 0 && r.frames[n-1].tick >= tick; n = len(r.frames) {
		r.spare = append(r.spare, r.frames[n-1].scripts)
		r.frames = r.frames[:n-1]
	}
}

// Restore makes the host what it was after a tick, as [Host.Restore] does, and drops what is kept of
// later ticks: they are of a future that has not happened. The error wraps [snapshot.ErrNotKept], or
// those of Host.Restore; then nothing has changed.
func (r *Ring) Restore(tick uint64) (Restored, error) {
	if !r.made() {
		return Restored{}, fmt.Errorf("scripting: Ring.Restore: %w", ErrClosed)
	}
	x := &Scripts{} // of a tick that the world's ring is going to refuse
	for _, f := range r.frames {
		if f.tick == tick {
			x = f.scripts
		}
	}
	restored, err := r.host.RestoreScripts(x, func() error { return r.world.Restore(tick) })
	r.follow()
	return restored, err
}

// Look makes the world of the host what it was after a tick, and keeps the later ticks. Of the scripts
// nothing changes, and no function of theirs runs: it is for people and tools that look at what was.
// Before the host makes a step, the world has to be what it was, by a look at the newest tick; to
// go on from another one, use [Ring.Restore]. Until then nothing can be captured. The error wraps [snapshot.ErrNotKept], [ErrClosed],
// or is that of [snapshot.Ring.Look]; the world is then what it was. O(bytes changed since).
func (r *Ring) Look(tick uint64) error {
	if !r.made() {
		return fmt.Errorf("scripting: Ring.Look: %w", ErrClosed)
	}
	if err := r.host.enter(restoring); err != nil {
		return err
	}
	defer r.host.leave()
	if err := r.world.Look(tick); err != nil {
		return fmt.Errorf("scripting: Look: %w", err)
	}
	r.host.looking = r.frames[len(r.frames)-1].tick != tick
	return nil
}

// Scripts returns what scripts kept after a tick, nil for one that is not kept. It belongs to the ring, which
// fills it anew once the tick is dropped: what it is needed for later, encode before the next Capture.
func (r *Ring) Scripts(tick uint64) *Scripts {
	if r == nil {
		return nil
	}
	for _, f := range r.frames {
		if f.tick == tick {
			return f.scripts
		}
	}
	return nil
}

// Before returns the newest tick that is kept and not later than the given one: to reach that, restore
// this one and run the ticks in between again. ok is false when there is none.
func (r *Ring) Before(tick uint64) (kept uint64, ok bool) {
	if !r.made() {
		return 0, false
	}
	return r.world.Before(tick)
}

// Ticks iterates the ticks that are kept, the oldest first.
func (r *Ring) Ticks() iter.Seq[uint64] {
	if !r.made() {
		return func(func(uint64) bool) {}
	}
	return r.world.Ticks()
}

// Len returns how many ticks are kept.
func (r *Ring) Len() int {
	if !r.made() {
		return 0
	}
	return r.world.Len()
}

// Bytes returns about how much memory the ring takes, what waits to be used again included.
func (r *Ring) Bytes() int64 {
	if !r.made() {
		return 0
	}
	return r.world.Bytes()
}

// Clear drops all that is kept, and gives its memory back.
func (r *Ring) Clear() {
	if r.made() {
		r.world.Clear()
		r.frames, r.spare = nil, nil
	}
}

// bytes returns about how much memory the scripts of a tick take, without what they share.
func (x *Scripts) bytes() int64 {
	return x.kept.Bytes() + int64(x.faults.bytes) + int64(len(x.list)+len(x.starting))*scriptBytes
}

// scriptBytes is about how much memory the note of a script takes.
const scriptBytes = 96
