package arena

import (
	"fmt"
	"math/bits"
)

// Check reports a span that lies outside the heap or shares a unit with another,
// units that are lost, neither free nor in use, and free spans that are not as
// they should be. used holds the lengths of the spans in use by their first
// units, tables left out.
func (a *Arena) Check(used map[uint32]int) error {
	if a.base == nil {
		return nil // nothing is handed out
	}
	h := &a.heap
	seen := map[uint32]bool{}
	for span, units := range used {
		if err := h.claim(seen, span, units); err != nil {
			return err
		}
		if h.holds(span-h.first, units) {
			return fmt.Errorf("arena: span %d is in use and counted among those that could be released", span)
		}
	}
	inUse := len(seen)
	if err := h.checkSpans(seen); err != nil {
		return err
	}
	if free := len(seen) - inUse; free != h.freed || inUse+free+a.tables != h.issued() {
		return fmt.Errorf("arena: %d units in use, %d free (%d counted) and %d of tables, %d were handed out",
			inUse, free, h.freed, a.tables, h.issued())
	}
	return h.checkHeld()
}

// claim marks the units of a span as seen.
func (h *heap) claim(seen map[uint32]bool, span uint32, units int) error {
	for u := span; u < span+uint32(units); u++ {
		if u < h.first || u >= h.next || seen[u] {
			return fmt.Errorf("arena: unit %d of span %d is outside the heap or taken twice", u, span)
		}
		seen[u] = true
	}
	return nil
}

// holds reports whether a unit of the span is marked as free with pages.
func (h *heap) holds(at uint32, units int) bool {
	for u := at; u < at+uint32(units); u++ {
		if h.held[u/64]>>(u%64)&1 != 0 {
			return true
		}
	}
	return false
}

// checkSpans walks the lists: every span lies in the list of its length, has its
// length at both ends, and touches neither another free span nor the end.
func (h *heap) checkSpans(seen map[uint32]bool) error {
	ends := 0
	for k, newest := range h.lists {
		if (newest != 0) != (h.filled>>k&1 == 1) {
			return fmt.Errorf("arena: free list %d is filled, or empty, and noted otherwise", k)
		}
		newer := uint32(0)
		for at := newest; at != 0; at = h.units[at-1].older {
			if err := h.checkSpan(at-1, newer, k); err != nil {
				return err
			}
			n := h.units[at-1].length
			if err := h.claim(seen, h.first+at-1, int(n)); err != nil {
				return err
			}
			newer = at
			ends += 1 + min(int(n)-1, 1)
		}
	}
	for u := range h.issued() {
		if h.units[u].length > 0 {
			ends--
		}
	}
	if ends != 0 {
		return fmt.Errorf("arena: %d ends of free spans are in no list", -ends)
	}
	return nil
}

// checkSpan looks at one free span of list k; newer is the span that the list has before it.
func (h *heap) checkSpan(at, newer uint32, k int) error {
	n := h.units[at]
	last := at + n.length - 1
	switch {
	case n.length == 0 || list(n.length) != k || last >= uint32(h.issued()) || h.units[last].length != n.length:
		return fmt.Errorf("arena: free span %d of %d units is in list %d, or its ends disagree", h.first+at, n.length, k)
	case n.newer != newer:
		return fmt.Errorf("arena: free list %d does not lead back from span %d", k, h.first+at)
	case at > 0 && h.units[at-1].length > 0 || int(last)+1 >= h.issued() || h.units[last+1].length > 0:
		return fmt.Errorf("arena: free span %d was not joined with its neighbour", h.first+at)
	}
	return nil
}

// checkHeld counts the free units that hold pages.
func (h *heap) checkHeld() error {
	n := 0
	for _, w := range h.held {
		n += bits.OnesCount64(w)
	}
	if n != h.resident || n > keepUnits {
		return fmt.Errorf("arena: %d free units hold pages, %d counted, %d allowed", n, h.resident, keepUnits)
	}
	return nil
}
