package snapshot

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// RingOptions say how much a ring keeps. The zero value is the default.
type RingOptions struct {
	// Ticks is how far back the ring goes: snapshots of older ticks are dropped. Zero means 300, the
	// most is a million.
	Ticks int
	// Bytes is how much memory the ring may take, zero for no limit. When a snapshot would exceed it,
	// old ones go: of those that are left, the older ones have wider gaps. A tick in a gap is
	// reached by a restore of the one before, and by running the ticks in between again with their
	// inputs.
	Bytes int64
}

const (
	defaultTicks = 300
	mostTicks    = 1_000_000
)

// Ring keeps snapshots of the last ticks of a world. What has not changed between two of them is
// kept once. It belongs to the goroutine of its world.
//
// Once it is as long as it gets, a capture allocates nothing, unless values are copied by a Clone,
// or the world grows.
//
// Invariants: frames are in the order of their ticks; heap is the sum of theirs.
type Ring struct {
	world   *ecs.World
	options RingOptions
	plans   capture.Clonings
	blocks  capture.Blocks
	frames  []frame
	spare   []capture.Image // dropped, to be filled again
	heap    int64
	cost    int64 // bytes of blocks that the last capture has taken
}

// frame is a snapshot in a ring.
type frame struct {
	image capture.Image
	tick  uint64
	heap  int64
}

// NewRing makes a ring of a world, which is empty. The error wraps [ecs.ErrRange], [ecs.ErrClosed], or
// [ecs.ErrConflict] for a nil world.
func NewRing(w *ecs.World, options RingOptions) (*Ring, error) {
	switch {
	case w == nil:
		return nil, fmt.Errorf("snapshot: ring: %w: the world is nil", ecs.ErrConflict)
	case errors.Is(w.Raw().Ready(), ecs.ErrClosed):
		return nil, fmt.Errorf("snapshot: ring: %w", ecs.ErrClosed)
	case options.Ticks < 0 || options.Ticks > mostTicks:
		return nil, fmt.Errorf("snapshot: ring: %w: Ticks is %d, it can be up to %d", ecs.ErrRange, options.Ticks, mostTicks)
	case options.Bytes < 0:
		return nil, fmt.Errorf("snapshot: ring: %w: Bytes is %d", ecs.ErrRange, options.Bytes)
	}
	if options.Ticks == 0 {
		options.Ticks = defaultTicks
	}
	return &Ring{world: w, options: options, plans: find(w)}, nil
}

// Capture adds a snapshot of the world as it is now. It replaces one of the same tick; those of later
// ticks, which there are when the world was restored from elsewhere, are dropped. The errors are those of
// [Capture], or wrap [ecs.ErrRange] when one snapshot alone takes more than the ring may: then the ring
// is empty.
func (r *Ring) Capture() error {
	_, tick := r.world.Time()
	reuse := r.take()
	before := r.last()
	image, err := r.world.Raw().Capture(&r.blocks, r.plans, before, reuse)
	if err != nil {
		if reuse != nil {
			r.spare = append(r.spare, reuse)
		}
		return fmt.Errorf("snapshot: ring: %w", err)
	}
	r.dropFrom(tick)
	f := frame{image, tick, image.Heap()}
	r.frames, r.heap = append(r.frames, f), r.heap+f.heap
	r.cost = max(r.blocks.Used()-r.cost, 0)
	return r.shrink(tick)
}

// last returns the newest image, nil if there is none.
func (r *Ring) last() capture.Image {
	if len(r.frames) == 0 {
		return nil
	}
	return r.frames[len(r.frames)-1].image
}

// take returns an image to fill: it makes room first, so that what is dropped for the new snapshot is
// used for it.
func (r *Ring) take() capture.Image {
	_, now := r.world.Time()
	for len(r.frames) > 1 && r.frames[0].tick+uint64(r.options.Ticks) <= now {
		r.drop(0)
	}
	for r.options.Bytes > 0 && len(r.frames) > 1 && r.blocks.Used()+r.heap+r.cost > r.options.Bytes {
		r.drop(r.dispensable(now))
	}
	r.cost = r.blocks.Used()
	if n := len(r.spare); n > 0 {
		image := r.spare[n-1]
		r.spare = r.spare[:n-1]
		return image
	}
	return nil
}

// shrink keeps the ring within its bounds.
func (r *Ring) shrink(now uint64) error {
	for len(r.frames) > r.options.Ticks {
		r.drop(0)
	}
	if r.options.Bytes == 0 {
		return nil
	}
	for len(r.frames) > 1 && r.blocks.Used()+r.heap > r.options.Bytes {
		r.drop(r.dispensable(now))
	}
	took := r.blocks.Used() + r.heap
	if took > r.options.Bytes {
		r.Clear()
		return fmt.Errorf("snapshot: ring: %w: a snapshot of this world takes %d bytes, and the ring may have %d", ecs.ErrRange, took, r.options.Bytes)
	}
	r.blocks.Release(r.options.Bytes - took)
	return nil
}

// dispensable returns the snapshot that is missed least: the one whose absence leaves the smallest
// gap, measured by how long ago it is. It is never the newest one.
func (r *Ring) dispensable(now uint64) int {
	best, least := 0, 0.0
	for i := 1; i+1 < len(r.frames); i++ {
		gap := float64(r.frames[i+1].tick-r.frames[i-1].tick) / float64(now-min(r.frames[i].tick, now)+1)
		if best == 0 || gap < least {
			best, least = i, gap
		}
	}
	return best
}

// drop takes a snapshot out.
func (r *Ring) drop(i int) {
	f := r.frames[i]
	f.image.Drop()
	r.heap -= f.heap
	r.spare = append(r.spare, f.image)
	r.frames = slices.Delete(r.frames, i, i+1)
}

// dropFrom takes out the snapshots of a tick and of later ones.
func (r *Ring) dropFrom(tick uint64) {
	for n := len(r.frames); n > 0 && r.frames[n-1].tick >= tick; n = len(r.frames) {
		r.drop(n - 1)
	}
}

// Restore makes the world what it was after a tick, as [Restore] does, and drops the snapshots of
// later ticks: they are of a future that has not happened. The error wraps [ErrNotKept], or those of
// Restore.
func (r *Ring) Restore(tick uint64) error {
	if err := r.Look(tick); err != nil {
		return err
	}
	r.dropFrom(tick + 1)
	return nil
}

// Look is Restore that keeps the later snapshots: a look at a tick, and then at another one. Before the
// world makes a step, it is to be what it was, by a look at the newest tick. The next Capture of
// an earlier tick drops the later ones. The errors are those of [Ring.Restore]; the world is then
// what it was.
func (r *Ring) Look(tick uint64) error {
	i, ok := r.find(tick)
	if !ok {
		if before, any := r.Before(tick); any {
			return fmt.Errorf("snapshot: ring: %w: %d; the nearest before it is %d", ErrNotKept, tick, before)
		}
		return fmt.Errorf("snapshot: ring: %w: %d, and none before it", ErrNotKept, tick)
	}
	if err := r.world.Raw().Restore(r.frames[i].image); err != nil {
		return fmt.Errorf("snapshot: ring: tick %d: %w", tick, err)
	}
	return nil
}

// Charge adds bytes that the program keeps beside the snapshot of a tick, such as what its scripts keep,
// to what the ring counts. They go with the snapshot; the program drops its own when [Ring.Ticks] no
// longer has the tick. Older snapshots go where that exceeds RingOptions.Bytes. The error wraps
// [ErrNotKept]; or [ecs.ErrRange] for less than zero, and where one tick alone takes more than the
// ring may: then the ring is empty.
func (r *Ring) Charge(tick uint64, bytes int64) error {
	i, ok := r.find(tick)
	switch {
	case bytes < 0:
		return fmt.Errorf("snapshot: ring: %w: %d bytes beside tick %d", ecs.ErrRange, bytes, tick)
	case !ok:
		return fmt.Errorf("snapshot: ring: %w: %d", ErrNotKept, tick)
	}
	r.frames[i].heap += bytes
	r.heap += bytes
	return r.shrink(r.frames[len(r.frames)-1].tick)
}

// find returns where the snapshot of a tick is, or would be.
func (r *Ring) find(tick uint64) (int, bool) {
	return slices.BinarySearchFunc(r.frames, tick, func(f frame, tick uint64) int {
		switch {
		case f.tick < tick:
			return -1
		case f.tick > tick:
			return 1
		}
		return 0
	})
}

// Before returns the newest tick that is kept and not later than the given one: to reach that, restore
// this one and run the ticks in between again. ok is false when there is none.
func (r *Ring) Before(tick uint64) (kept uint64, ok bool) {
	i, exact := r.find(tick)
	if exact {
		return tick, true
	}
	if i == 0 {
		return 0, false
	}
	return r.frames[i-1].tick, true
}

// Ticks iterates the ticks that are kept, the oldest first.
func (r *Ring) Ticks() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, f := range r.frames {
			if !yield(f.tick) {
				return
			}
		}
	}
}

// Len returns how many snapshots there are.
func (r *Ring) Len() int { return len(r.frames) }

// Bytes returns how much memory the ring takes, what waits to be used again included.
func (r *Ring) Bytes() int64 { return r.blocks.Used() + r.blocks.Spare() + r.heap }

// Clear drops all snapshots, and gives their memory back.
func (r *Ring) Clear() {
	for len(r.frames) > 0 {
		r.drop(len(r.frames) - 1)
	}
	r.spare, r.cost = nil, 0
	r.blocks.Release(0)
}
