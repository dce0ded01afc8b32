package arena

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFreedNeighboursServeLongSpans: whatever the order in which short spans are
// freed, the memory that they lay in serves long ones.
func TestFreedNeighboursServeLongSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := New(4 << 20)
		defer a.Close()
		spans := []uint32{}
		for {
			span, err := a.Alloc(1)
			if err != nil {
				break
			}
			spans = append(spans, span)
		}
		for _, span := range rapid.Permutation(spans).Draw(t, "order") {
			a.Free(span, 1)
			if err := a.heap.checkSpans(map[uint32]bool{}); err != nil {
				t.Fatal(err)
			}
		}
		if span, err := a.Alloc(len(spans)); err != nil || span != spans[0] {
			t.Fatalf("a span of all %d units is %d (%v), want %d", len(spans), span, err, spans[0])
		}
	})
}

// TestFragmentationIsBounded: spans of powers of two come and go; when a request
// fails, no free span is as long as what was asked for.
func TestFragmentationIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := New(4 << 20)
		defer a.Close()
		live := map[uint32]int{}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			if units := 1 << rapid.IntRange(0, 6).Draw(t, "size"); rapid.Bool().Draw(t, "more") {
				span, err := a.Alloc(units)
				if err == nil {
					live[span] = units
				} else if longest := a.longest(live); longest >= units {
					t.Fatalf("%d units were refused, %d in a row are free", units, longest)
				}
				continue
			}
			spans := slices.Sorted(maps.Keys(live))
			if len(spans) > 0 {
				span := rapid.SampledFrom(spans).Draw(t, "span")
				a.Free(span, live[span])
				delete(live, span)
			}
			if err := a.Check(live); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// longest returns the longest row of units that nobody uses, by looking at all.
func (a *Arena) longest(live map[uint32]int) int {
	taken := map[uint32]bool{}
	for span, units := range live {
		for u := range uint32(units) {
			taken[span+u] = true
		}
	}
	longest, n := 0, 0
	for u := a.heap.first; u < a.heap.end; u++ {
		if n++; taken[u] {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}

// TestTheNewestRunComesFirst, while its pages are still there.
func TestTheNewestRunComesFirst(t *testing.T) {
	a := open(t, 8<<20)
	for _, units := range []int{1, 2, 8} {
		var spans [5]uint32
		for i := range spans {
			spans[i], _ = a.Alloc(units)
		}
		a.Free(spans[1], units)
		a.Free(spans[3], units)
		used := a.Used()
		for _, want := range []uint32{spans[3], spans[1]} {
			if got, err := a.Alloc(units); got != want || err != nil {
				t.Errorf("a span of %d units is %d (%v), want %d, which was freed", units, got, err, want)
			}
		}
		if a.Used() != used+2*units*Unit {
			t.Errorf("%d bytes are in use, want %d", a.Used(), used+2*units*Unit)
		}
	}
}

// TestNoMoreThanTheLimitKeepsItsPages, however spans come and go: a freed span
// counts against the limit while it holds pages and no longer.
func TestNoMoreThanTheLimitKeepsItsPages(t *testing.T) {
	a := open(t, 1<<30)
	live := map[uint32]int{}
	for round := range 6 {
		for range 3 * keepUnits / 2 {
			span, err := a.Alloc(1 + round%2)
			if err != nil {
				t.Fatal(err)
			}
			live[span] = 1 + round%2
		}
		for span, units := range live {
			if round%3 != 2 || span%2 == 0 {
				a.Free(span, units)
				delete(live, span)
			}
		}
		if err := a.Check(live); err != nil {
			t.Fatal(err)
		}
		if a.Spare() > keepUnits*Unit {
			t.Errorf("%d free bytes hold pages", a.Spare())
		}
		if round == 4 {
			if a.Trim(); a.Spare() != 0 {
				t.Errorf("after Trim %d bytes hold pages", a.Spare())
			}
		}
	}
}

// damaged is an arena in use: spans, a table, two free spans of one list and one of
// another.
func damaged(t *testing.T) (*Arena, map[uint32]int) {
	a := open(t, MinBytes)
	used := map[uint32]int{}
	alloc := func(units int) uint32 {
		span, err := a.Alloc(units)
		if err != nil {
			t.Fatal(err)
		}
		used[span] = units
		return span
	}
	var free []uint32
	for _, units := range []int{1, 1, 4} {
		alloc(1)
		free = append(free, alloc(units))
	}
	alloc(1)
	if _, err := a.Small(8); err != nil {
		t.Fatal(err)
	}
	for _, span := range free {
		a.Free(span, used[span])
		delete(used, span)
	}
	if err := a.Check(used); err != nil {
		t.Fatal(err)
	}
	return a, used
}

func TestCheckFindsEachCorruption(t *testing.T) {
	// The heap of damaged: a used unit, a free one, a used one, a free one, a used
	// one, four free ones, a used one and one of tables.
	const firstFree, secondFree, longFree = 1, 3, 5
	for name, corrupt := range map[string]func(h *heap, a *Arena, used map[uint32]int){
		"freed and in use":         func(_ *heap, a *Arena, used map[uint32]int) { a.Free(a.heap.first, 1) },
		"freed, in no use":         func(_ *heap, a *Arena, used map[uint32]int) { delete(used, a.heap.first) },
		"used and free":            func(h *heap, _ *Arena, used map[uint32]int) { used[h.first+firstFree] = 1 },
		"used in fixed parts":      func(h *heap, _ *Arena, used map[uint32]int) { used[h.first-1] = 1 },
		"used, never handed out":   func(h *heap, _ *Arena, used map[uint32]int) { used[h.next] = 1 },
		"used twice":               func(h *heap, _ *Arena, used map[uint32]int) { used[h.first] = 3 },
		"all lost":                 func(_ *heap, _ *Arena, used map[uint32]int) { clear(used) },
		"a table given to none":    func(_ *heap, a *Arena, _ map[uint32]int) { a.tables-- },
		"free units, counted":      func(h *heap, _ *Arena, _ map[uint32]int) { h.freed++ },
		"pages, counted":           func(h *heap, _ *Arena, _ map[uint32]int) { h.resident++ },
		"pages of a used unit":     func(h *heap, _ *Arena, _ map[uint32]int) { h.hold(0, 1) },
		"a list noted as empty":    func(h *heap, _ *Arena, _ map[uint32]int) { h.filled = 0 },
		"a list noted as filled":   func(h *heap, _ *Arena, _ map[uint32]int) { h.filled |= 1 << 9 },
		"a span in another list":   func(h *heap, _ *Arena, _ map[uint32]int) { h.lists[0], h.lists[2] = h.lists[2], h.lists[0] },
		"a span in no list":        func(h *heap, _ *Arena, _ map[uint32]int) { h.units[secondFree].older = 0 },
		"a list that leads astray": func(h *heap, _ *Arena, _ map[uint32]int) { h.units[firstFree].newer = 0 },
		"ends that disagree":       func(h *heap, _ *Arena, _ map[uint32]int) { h.units[longFree+3].length = 3 },
		"a length inside a span":   func(h *heap, _ *Arena, _ map[uint32]int) { h.units[longFree+1].length = 1 },
		"neighbours not joined": func(h *heap, _ *Arena, _ map[uint32]int) {
			h.unlink(longFree, 4)
			h.link(longFree, 2)
			h.link(longFree+2, 2)
		},
	} {
		a, used := damaged(t)
		corrupt(&a.heap, a, used)
		if a.Check(used) == nil {
			t.Errorf("%s: went unnoticed", name)
		}
	}
}

// TestWhatReachesTheEndIsNotARun: the part never handed out begins again at the
// last unit in use, so nothing free ever touches it.
func TestWhatReachesTheEndIsNotARun(t *testing.T) {
	a := open(t, MinBytes)
	whole := int(a.heap.end - a.heap.first)
	spans := []uint32{}
	for range whole {
		span, err := a.Alloc(1)
		if err != nil {
			t.Fatal(err)
		}
		spans = append(spans, span)
	}
	for _, span := range slices.Backward(spans) {
		a.Free(span, 1)
	}
	if a.heap.next != a.heap.first || a.heap.freed != 0 {
		t.Errorf("%d units are handed out, %d in free spans", a.heap.issued(), a.heap.freed)
	}
	if _, err := a.Alloc(whole + 1); !errors.Is(err, ErrFull) {
		t.Errorf("more than there is: %v", err)
	}
	if _, err := a.Alloc(whole); err != nil {
		t.Errorf("all there is: %v", err)
	}
}
