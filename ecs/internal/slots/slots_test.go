package slots

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func pool(n, threshold int, tag uint8) *Slots {
	records := make([]Record, n)
	return New(unsafe.Pointer(unsafe.SliceData(records)), n, 0, threshold, tag)
}

// TestAgainstASet issues and releases at random and compares with a set of
// live handles; no handle is ever issued twice.
func TestAgainstASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := pool(64, rapid.IntRange(0, 8).Draw(t, "threshold"), 7)
		ever, live := map[uint64]bool{}, map[uint64]bool{}
		var order []uint64
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			if len(order) > 0 && rapid.Bool().Draw(t, "release") {
				i := rapid.IntRange(0, len(order)-1).Draw(t, "which")
				s.Release(order[i])
				delete(live, order[i])
				order = append(order[:i], order[i+1:]...)
			} else if h, ok := s.Issue(); ok {
				if ever[h] {
					t.Fatalf("handle %#x issued twice", h)
				}
				ever[h], live[h] = true, true
				order = append(order, h)
			} else if len(live) != s.Limit() {
				t.Fatalf("full with %d of %d", len(live), s.Limit())
			}
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			for h := range ever {
				if s.Alive(h) != live[h] || (s.Record(h) != nil) != live[h] {
					t.Fatalf("Alive(%#x) = %v, model says %v", h, s.Alive(h), live[h])
				}
			}
			n := 0
			for h := s.Next(0); h != 0; h = s.Next(h) {
				if !live[h] {
					t.Fatalf("Next gave %#x, which is dead", h)
				}
				n++
			}
			if n != len(live) || n != s.Live() {
				t.Fatalf("Next walked %d of %d, Live() = %d", n, len(live), s.Live())
			}
		}
	})
}

func TestReuseIsFirstInFirstOutAndWaits(t *testing.T) {
	s := pool(64, 2, 1)
	var hs []uint64
	for range 4 {
		h, _ := s.Issue()
		hs = append(hs, h)
	}
	for _, h := range hs[:3] {
		s.Release(h)
	}
	h, _ := s.Issue() // three wait, the threshold is two
	if h&indexMask != hs[0]&indexMask || h>>(IndexBits+TagBits) != 2 {
		t.Errorf("reused %#x, want slot %d in generation 2", h, hs[0]&indexMask)
	}
	if h, _ = s.Issue(); h&indexMask != 5 {
		t.Errorf("with two waiting a fresh slot is due, got slot %d", h&indexMask)
	}
}

func TestASlotRetiresAtItsLastGeneration(t *testing.T) {
	s := pool(2, 0, 1)
	var last uint64
	for range LastGeneration {
		h, ok := s.Issue()
		if !ok {
			t.Fatal("the slot was not reused")
		}
		last = h
		s.Release(h)
	}
	if last >= 1<<52 {
		t.Errorf("the last handle %#x does not fit in 52 bits", last)
	}
	if _, ok := s.Issue(); ok || s.Retired() != 1 {
		t.Errorf("a slot past its last generation was issued again (retired: %d)", s.Retired())
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestForeignAndInventedHandlesAreDead(t *testing.T) {
	a, b := pool(8, 0, 1), pool(8, 0, 2)
	h, _ := a.Issue()
	if _, _ = b.Issue(); b.Alive(h) {
		t.Error("a handle of another world is alive here")
	}
	for _, bad := range []uint64{0, 1, h + 1, h | 1<<52, h | 1<<63, ^uint64(0), h - 1<<32} {
		if a.Alive(bad) || a.Record(bad) != nil {
			t.Errorf("invented handle %#x is alive", bad)
		}
	}
	a.Release(h)
	for _, bad := range []uint64{h, h & indexMask, h + 1<<32} {
		if a.Alive(bad) {
			t.Errorf("handle %#x of a dead slot is alive", bad)
		}
	}
}

func TestCheckFindsEachCorruption(t *testing.T) {
	build := func() *Slots {
		s := pool(16, 0, 1)
		var hs []uint64
		for range 6 {
			h, _ := s.Issue()
			hs = append(hs, h)
		}
		s.Release(hs[1])
		s.Release(hs[3])
		return s
	}
	for name, corrupt := range map[string]func(*Slots){
		"foreign tag":          func(s *Slots) { s.records[1].Stamp++ },
		"live count":           func(s *Slots) { s.live++ },
		"free list into live":  func(s *Slots) { s.records[2].Chunk = 1 },
		"free list past used":  func(s *Slots) { s.head = 15 },
		"tail not the last":    func(s *Slots) { s.tail = 2 },
		"slot dead but listed": func(s *Slots) { s.records[5].Stamp = 0 },
	} {
		s := build()
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		corrupt(s)
		if s.Check() == nil {
			t.Errorf("%s: went unnoticed", name)
		}
	}
}
