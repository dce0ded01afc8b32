package twin

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// reuse knows which slots wait to be used again: the oldest come first, no slot is used
// before many wait. The slots that one operation frees come in any order.
type reuse struct {
	after   int // so many wait; negative: nothing is demanded
	waiting []map[uint32]bool
	total   int
	// passed are slots that should have been issued before others were. Those that
	// come with the next generation have waited all the time, and that is wrong;
	// the others had a life of which the model does not know, in a batch that was
	// refused.
	passed map[uint32]bool
}

// reissue is a slot that is issued again, with its generation of before.
type reissue struct {
	slot      uint32
	last, now uint64
}

// generation is the part of a handle that says how often its slot was used.
func generation(e ecs.Entity) uint64 { return uint64(e) >> 32 }

// reuseDefault is the documented number of slots that wait.
const reuseDefault = 1024

// newReuse returns the rule that a world's options promise. A world that runs out of slots
// uses them at once.
func newReuse(options ecs.Options, tight bool) reuse {
	switch {
	case tight || options.ReuseAfter < 0:
		return reuse{after: -1}
	case options.ReuseAfter == 0:
		options.ReuseAfter = reuseDefault
	}
	return reuse{after: options.ReuseAfter, passed: map[uint32]bool{}}
}

// operation takes note of the slots that an operation has issued again and those
// that it has freed, and reports what should not be. A
// quarter may be missing from those that wait, for what a refused batch has freed.
func (r *reuse) operation(issued []reissue, freed []ecs.Entity) error {
	if r.after < 0 {
		return nil
	}
	now, youngest := map[uint32]bool{}, -1
	for _, e := range freed {
		now[e.Index()] = true
	}
	if n := r.total + len(now) - len(issued) + 1; len(issued) > 0 && n <= r.after*3/4 {
		return fmt.Errorf("slot %d was issued again when only %d waited", issued[0].slot, n)
	}
	for _, i := range issued {
		at := slices.IndexFunc(r.waiting, func(b map[uint32]bool) bool { return b[i.slot] })
		switch {
		case at >= 0:
			youngest = max(youngest, at)
			delete(r.waiting[at], i.slot)
			r.total--
		case r.passed[i.slot]:
			if i.now == i.last+1 {
				return fmt.Errorf("slot %d was issued after slots that were freed later", i.slot)
			}
			delete(r.passed, i.slot)
			r.total--
		}
	}
	for i := range max(youngest, 0) {
		for slot := range r.waiting[i] {
			r.passed[slot] = true
		}
		clear(r.waiting[i])
	}
	r.waiting = slices.DeleteFunc(append(r.waiting, now), func(b map[uint32]bool) bool { return len(b) == 0 })
	r.total += len(now)
	return nil
}
