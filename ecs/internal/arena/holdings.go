package arena

import (
	"fmt"
	"math/bits"
)

// Holdings says which units of an arena are handed out and where its next table goes: all but the
// bytes. It belongs to arenas of the size of the one that it was taken from. The zero Holdings is
// of none.
type Holdings struct {
	size            int
	next            uint32
	units           []unit
	lists           [lists]uint32
	filled          uint32
	freed           int
	small, smallEnd uint32
	tables          int
}

// Save copies the state to another, whose memory is used again.
func (a *Arena) Save(to *Holdings) {
	h := &a.heap
	*to = Holdings{
		size: a.size, next: h.next, units: append(to.units[:0], h.units[:h.issued()]...), lists: h.lists,
		filled: h.filled, freed: h.freed, small: a.small, smallEnd: a.smallEnd, tables: a.tables,
	}
}

// Prepare makes sure that Restore cannot fail, and changes nothing. The range must be reserved.
// The error wraps ErrFull when the system has no memory, or says that the state is of an arena of
// another size.
func (a *Arena) Prepare(from *Holdings) error {
	if from.size != a.size {
		return fmt.Errorf("it is of an arena of %d KiB, and this one has %d KiB", from.size>>10, a.size>>10)
	}
	if err := a.reserve.commit(int(a.heap.first)*Unit, int(from.next-a.heap.first)*Unit); err != nil {
		return fmt.Errorf("%w: the system has no memory for %d KiB: %w", ErrFull, from.next*Unit>>10, err)
	}
	return nil
}

// Restore makes the arena hand out from here on what it would have handed out after Save. What
// was allocated since is free, and what was freed since is allocated; the bytes are left to the
// caller.
//
// Which free units hold pages is no part of a state: all that were in use until now, or held
// pages, hold them from now on, as long as there are not too many.
func (a *Arena) Restore(from *Holdings) {
	h := &a.heap
	pages := h.inUse()
	for i, w := range h.held {
		if i == len(pages) {
			pages = append(pages, 0)
		}
		pages[i] |= w
	}
	h.next, h.lists, h.filled, h.freed = from.next, from.lists, from.filled, from.freed
	h.units = append(h.units[:0], from.units...)
	a.small, a.smallEnd, a.tables = from.small, from.smallEnd, from.tables
	for len(h.held) < len(pages) || len(h.held)*64 < h.issued() {
		h.held = append(h.held, 0)
	}
	used := h.inUse()
	h.resident = 0
	for i := range h.held {
		h.held[i] = 0
		if i < len(pages) {
			h.held[i] = pages[i]
		}
		if i < len(used) {
			h.held[i] &^= used[i]
		}
		h.resident += bits.OnesCount64(h.held[i])
	}
	if h.resident > keepUnits {
		a.Trim()
	}
}

// inUse returns a bit for each unit that was handed out and is not free.
func (h *heap) inUse() []uint64 {
	set := make([]uint64, (h.issued()+63)/64)
	for u := 0; u < h.issued(); {
		if free := int(h.units[u].length); free > 0 {
			u += free
			continue
		}
		set[u/64] |= 1 << (u % 64)
		u++
	}
	return set
}

// Plan returns an arena of the same size that has no memory and never takes any. What is assigned in
// it says where things could lie in this one: Save and Restore bring that about.
func (a *Arena) Plan() *Arena { return New(int64(a.size)) }

// Assign hands out a span of units, without memory for it.
func (a *Arena) Assign(units int) (uint32, error) {
	span, ok := a.heap.take(units)
	if !ok {
		return 0, a.full()
	}
	return span, nil
}

// AssignSmall hands out room for a table, without memory for it.
func (a *Arena) AssignSmall(n int) (uint32, error) {
	size := uint32(n+63) &^ 63
	if a.small+size > a.smallEnd || a.small == 0 {
		span, err := a.Assign(1)
		if err != nil {
			return 0, err
		}
		a.small, a.smallEnd = span*Unit, (span+1)*Unit
		a.tables++
	}
	at := a.small
	a.small += size
	return at, nil
}
