package snapshot

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// ErrNotKept says that a tick is not in a ring: it is older than all that are, was thinned out, or
// has not come yet.
var ErrNotKept = errors.New("tick not kept")

// Snapshot is what a world was between two ticks. It belongs to one goroutine, and outlives its
// world. The zero Snapshot is empty: Update fills it, and Restore refuses it. A nil one is empty, too.
type Snapshot struct {
	image  capture.Image // nil when it is empty
	spare  capture.Image // one that was dropped, whose memory is used again
	blocks *capture.Blocks
}

// Capture copies a world. The error wraps [ecs.ErrIterating] inside of a tick, a run or a loop over
// a query; [ecs.ErrClosed]; [ecs.ErrConflict] for a value with Go pointers that nobody has said
// how to copy, and after a step that was cut short, until the next one has ended it; or is what a panic of a Clone has become.
func Capture(w *ecs.World) (*Snapshot, error) {
	s := &Snapshot{}
	if err := s.Update(w); err != nil {
		return nil, err
	}
	return s, nil
}

// Update captures a world into the memory of the snapshot. If that is of the same world, only what
// has changed since is copied. On an error the snapshot stays what it was. The errors are those of
// Capture.
func (s *Snapshot) Update(w *ecs.World) error {
	if w == nil || s == nil {
		return fmt.Errorf("snapshot: capture: %w: the world, or the snapshot, is nil", ecs.ErrConflict)
	}
	if s.blocks == nil {
		s.blocks = &capture.Blocks{}
	}
	return s.update(w, s.image)
}

// Follow captures a world as Update does, and shares with another snapshot of the world, before,
// what has not changed since that. Both are good then, and belong to one goroutine together. On an
// error, and for a nil before, which wraps [ecs.ErrConflict], the snapshots stay what they were.
func (s *Snapshot) Follow(w *ecs.World, before *Snapshot) error {
	if w == nil || s == nil || before == nil || before == s {
		return fmt.Errorf("snapshot: capture: %w: the world is nil, or there is no other snapshot to follow", ecs.ErrConflict)
	}
	if before.blocks == nil {
		before.blocks = &capture.Blocks{}
	}
	if s.blocks == before.blocks {
		return s.update(w, before.image)
	}
	next := Snapshot{blocks: before.blocks}
	if err := next.update(w, before.image); err != nil {
		return err
	}
	*s = next
	return nil
}

// update captures a world into the memory of the snapshot.
func (s *Snapshot) update(w *ecs.World, before capture.Image) error {
	image, err := w.Raw().Capture(s.blocks, find(w), before, s.spare)
	if err != nil {
		return fmt.Errorf("snapshot: capture: %w", err)
	}
	if s.spare = s.image; s.spare != nil {
		s.spare.Drop()
	}
	s.image = image
	return nil
}

// Restore makes a world what it was at the capture, its handles included: see the package's
// documentation for what that means to those who hold something of the world. The next delta of a
// tracked component has all rows. The snapshot can be restored again. The error wraps those of
// Capture, or [ecs.ErrConflict], [ecs.ErrUnknown] or [ecs.ErrEntityLimit] when the snapshot is of
// another world that this one cannot become, and says why. Then nothing has changed.
func Restore(w *ecs.World, s *Snapshot) error {
	switch {
	case w == nil:
		return fmt.Errorf("snapshot: restore: %w: the world is nil", ecs.ErrConflict)
	case s == nil || s.image == nil:
		return fmt.Errorf("snapshot: restore: %w: the snapshot is empty", ecs.ErrConflict)
	}
	if err := w.Raw().Restore(s.image); err != nil {
		return fmt.Errorf("snapshot: restore: %w", err)
	}
	return nil
}

// Tick returns the number of the tick after which the snapshot was taken, and the simulation time in
// seconds; zeros when it is empty.
func (s *Snapshot) Tick() (number uint64, seconds float64) {
	if s == nil || s.image == nil {
		return 0, 0
	}
	return s.image.Tick()
}

// Content returns what the snapshot says, for package save; nil when it is empty. It is good until the
// next Update, and other goroutines may read it until then.
func (s *Snapshot) Content() *capture.Content {
	if s == nil || s.image == nil {
		return nil
	}
	return s.image.Content()
}

// Entities returns how many are alive in it.
func (s *Snapshot) Entities() int {
	if s == nil || s.image == nil {
		return 0
	}
	return s.image.Entities()
}

// Tag returns the tag of its handles. A world that the snapshot is to be restored into needs it: see
// [ecs.Options].
func (s *Snapshot) Tag() uint16 {
	if s == nil || s.image == nil {
		return 0
	}
	return s.image.Tag()
}

// Bytes returns how much memory the snapshot takes, what waits to be used again included.
func (s *Snapshot) Bytes() int64 {
	if s == nil || s.image == nil {
		return 0
	}
	return s.blocks.Used() + s.blocks.Spare() + s.image.Heap()
}
