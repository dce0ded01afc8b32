package slots

import (
	"slices"
	"sync"
)

// Tags gives out the tags of the worlds of a process. The zero Tags has given out none. Any
// number of goroutines may use it at the same time.
//
// A tag that is free again is given out after all others: so it is as long as can be until a
// handle of a world that is gone could be taken for one of another.
//
// Invariant: a tag is in waiting if and only if it was given out before and has no uses.
type Tags struct {
	mu      sync.Mutex      // guards what follows
	fresh   uint16          // the highest tag that was given out without being asked for
	above   map[uint16]bool // those above it that were asked for
	uses    map[uint16]int
	waiting []uint16 // the one that is free for the longest time first
}

// Take gives out a tag: the one that is asked for, whoever has it besides, or for 0 one that
// nobody has. ok is false if there is none.
func (t *Tags) Take(asked uint16) (tag uint16, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tag, ok = asked, true; asked == 0 {
		tag, ok = t.next()
	} else if i := slices.Index(t.waiting, asked); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	if !ok {
		return 0, false
	}
	if t.uses == nil {
		t.uses, t.above = map[uint16]int{}, map[uint16]bool{}
	}
	if tag > t.fresh {
		t.above[tag] = true
	}
	t.uses[tag]++
	return tag, true
}

// next returns a tag without uses.
func (t *Tags) next() (tag uint16, ok bool) {
	for t.fresh < LastTag {
		if t.fresh++; !t.above[t.fresh] {
			return t.fresh, true
		}
		delete(t.above, t.fresh)
	}
	if len(t.waiting) == 0 {
		return 0, false
	}
	tag, t.waiting = t.waiting[0], t.waiting[1:]
	return tag, true
}

// Release takes back what Take has given out.
func (t *Tags) Release(tag uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.uses[tag]--; t.uses[tag] > 0 {
		return
	}
	delete(t.uses, tag)
	t.waiting = append(t.waiting, tag)
}

// Uses returns how often a tag is given out.
func (t *Tags) Uses(tag uint16) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.uses[tag]
}
