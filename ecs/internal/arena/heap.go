package arena

import "math/bits"

// heap says which units are free. It is bookkeeping only: the units' bytes are
// never looked at.
//
// Free spans are kept in lists by size: list k holds those of 2ᵏ to 2ᵏ⁺¹−1 units.
// A request takes the last span given to the smallest list in which every span is
// long enough, and what is left of the span goes back to a list. A span that is
// given back joins its free neighbours at once; what reaches the end of the heap
// rejoins the part never handed out.
//
// Why not a list for each length? Memory freed as short spans would never serve
// long ones: an archetype that has shrunk leaves 16 KiB chunks, one that grows
// wants 512 KiB. With spans joined, a request fails only when no span of free
// units is as long as the power of two above it.
//
// Invariants: a free span's length stands at both its ends, and nowhere else; no
// two free spans touch, none touches next; freed is the sum of the spans, and
// resident counts the bits of held, which are set for units outside of spans in
// use only.
type heap struct {
	first uint32 // first unit of the heap
	next  uint32 // first unit of the part never handed out
	end   uint32 // one past the last unit

	units    []unit        // by unit, counted from first
	lists    [lists]uint32 // the newest span of each list, as unit − first + 1; 0 is none
	filled   uint32        // bit k: list k is not empty
	held     []uint64      // bit for a unit: it is not in use and still holds pages
	freed    int           // units in free spans
	resident int           // units in held
}

// lists is enough for spans of the whole range.
const lists = 19

// unit is what the heap knows of a unit. length is that of the free span that
// begins or ends here, 0 in all other units; older and newer link the span into
// its list, by the unit where it begins.
type unit struct{ length, older, newer uint32 }

// list returns the list of a free span's length.
func list(length uint32) int { return bits.Len32(length) - 1 }

// issued returns how many units are handed out or in free spans.
func (h *heap) issued() int { return int(h.next - h.first) }

// take finds a span of units; ok is false when there is none.
func (h *heap) take(units int) (span uint32, ok bool) {
	if units <= 0 || uint64(units) > uint64(h.end-h.first) {
		return 0, false
	}
	n := uint32(units)
	fits := bits.Len32(n - 1) // the smallest list in which every span is long enough
	if which := h.filled >> fits << fits; which != 0 {
		at := h.lists[bits.TrailingZeros32(which)] - 1
		length := h.units[at].length
		h.unlink(at, length)
		if length > n {
			h.link(at+n, length-n)
		}
		span = h.first + at
	} else {
		if h.end-h.next < n {
			return 0, false
		}
		span = h.next
		h.next += n
		h.grow()
	}
	h.use(span-h.first, n)
	return span, true
}

// grow makes room in the tables for every unit handed out.
func (h *heap) grow() {
	for len(h.units) < h.issued() {
		h.units = append(h.units, unit{})
	}
	for len(h.held)*64 < h.issued() {
		h.held = append(h.held, 0)
	}
}

// give takes a span back. It reports whether the span may keep its pages.
func (h *heap) give(span uint32, units int) (keep bool) {
	at, n := span-h.first, uint32(units)
	if keep = h.resident+units <= keepUnits; keep {
		h.hold(at, n)
	}
	if after := at + n; after < uint32(h.issued()) && h.units[after].length > 0 {
		length := h.units[after].length
		h.unlink(after, length)
		n += length
	}
	if at > 0 && h.units[at-1].length > 0 {
		length := h.units[at-1].length
		at -= length
		h.unlink(at, length)
		n += length
	}
	if at+n == uint32(h.issued()) {
		h.next = h.first + at
	} else {
		h.link(at, n)
	}
	return keep
}

// link makes a free span.
func (h *heap) link(at, length uint32) {
	k := list(length)
	older := h.lists[k]
	h.units[at+length-1].length = length
	h.units[at] = unit{length: length, older: older}
	if older != 0 {
		h.units[older-1].newer = at + 1
	}
	h.lists[k] = at + 1
	h.filled |= 1 << k
	h.freed += int(length)
}

// unlink ends a free span.
func (h *heap) unlink(at, length uint32) {
	k, n := list(length), h.units[at]
	if n.older != 0 {
		h.units[n.older-1].newer = n.newer
	}
	if n.newer != 0 {
		h.units[n.newer-1].older = n.older
	} else if h.lists[k] = n.older; n.older == 0 {
		h.filled &^= 1 << k
	}
	h.units[at+length-1].length = 0
	h.units[at] = unit{}
	h.freed -= int(length)
}

// hold notes that free units still have their pages.
func (h *heap) hold(at, n uint32) {
	for u := at; u < at+n; u++ {
		h.held[u/64] |= 1 << (u % 64)
	}
	h.resident += int(n)
}

// use notes that units are in use, whether or not they had pages.
func (h *heap) use(at, n uint32) {
	for u := at; u < at+n; u++ {
		if bit := uint64(1) << (u % 64); h.held[u/64]&bit != 0 {
			h.held[u/64] &^= bit
			h.resident--
		}
	}
}

// trim calls release for every span of units that are free and hold pages, and
// notes that they do not any more.
func (h *heap) trim(release func(span uint32, units int)) {
	for u := 0; u < len(h.held)*64; u++ {
		if h.held[u/64] == 0 {
			u |= 63
			continue
		}
		n := 0
		for u+n < len(h.held)*64 && h.held[(u+n)/64]>>((u+n)%64)&1 != 0 {
			n++
		}
		if n > 0 {
			release(h.first+uint32(u), n)
			h.use(uint32(u), uint32(n))
			u += n
		}
	}
}
