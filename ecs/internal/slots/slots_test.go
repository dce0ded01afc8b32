package slots

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func pool(n, threshold int, tag uint16) *Slots {
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
		"foreign tag":          func(s *Slots) { s.records[1].Life++ },
		"live count":           func(s *Slots) { s.live++ },
		"free list into live":  func(s *Slots) { s.records[2].Chunk = 1 },
		"free list past used":  func(s *Slots) { s.head = 15 },
		"tail not the last":    func(s *Slots) { s.tail = 2 },
		"slot dead but listed": func(s *Slots) { s.records[5].Life = 0 },
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

// TestTheLimitCountsTheLiving: retired and freed slots aside, as many handles
// can be live as the limit says, however they come and go.
func TestTheLimitCountsTheLiving(t *testing.T) {
	for _, c := range []struct{ records, limit, want int }{{64, 0, 63}, {64, 10, 10}, {64, 1000, 63}, {1, 0, 0}, {2, 1, 1}} {
		records := make([]Record, c.records)
		s := New(unsafe.Pointer(unsafe.SliceData(records)), c.records, c.limit, 5, 1)
		if s.Limit() != c.want {
			t.Errorf("%d records, limit %d: %d fit, want %d", c.records, c.limit, s.Limit(), c.want)
		}
		for range 3 {
			var hs []uint64
			for {
				h, ok := s.Issue()
				if !ok {
					break
				}
				hs = append(hs, h)
			}
			if len(hs) != c.want {
				t.Errorf("%d records, limit %d: %d were issued, want %d", c.records, c.limit, len(hs), c.want)
			}
			for _, h := range hs {
				s.Release(h)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestAStaleHandleWaitsLong: with a threshold, a slot comes round only after so
// many others were freed, so a handle kept for a moment too long stays dead.
func TestAStaleHandleWaitsLong(t *testing.T) {
	s := pool(4096, 1024, 1)
	stale, _ := s.Issue()
	s.Release(stale)
	for n := 1; ; n++ {
		h, _ := s.Issue()
		if h&indexMask == stale&indexMask {
			if n <= 1024 {
				t.Errorf("the slot was issued again after %d others", n-1)
			}
			return
		}
		s.Release(h)
	}
}

// TestGenerationsRise by one with each use of a slot, from 1.
func TestGenerationsRise(t *testing.T) {
	s := pool(2, 0, 3)
	for want := uint64(1); want < 1000; want++ {
		h, _ := s.Issue()
		if got := h >> (IndexBits + TagBits); got != want || h>>IndexBits&tagMask != 3 {
			t.Fatalf("use %d of the slot is generation %d", want, got)
		}
		s.Release(h)
	}
}

// TestDied: the date of a release is that of the last handle of its slot, and of no other.
func TestDied(t *testing.T) {
	s := New(unsafe.Pointer(&make([]Record, 5000)[0]), 5000, 0, 0, 7)
	s.Now = 3
	a, _ := s.Issue()
	if _, ok := s.Died(a); ok {
		t.Error("a live handle has died")
	}
	s.Release(a)
	s.Now = 4
	if date, ok := s.Died(a); !ok || date != 3 {
		t.Errorf("died at %d, %v", date, ok)
	}
	b, _ := s.Issue() // the same slot
	if date, ok := s.Died(a); !ok || date != 3 || b == a {
		t.Errorf("with another in its slot: died at %d, %v", date, ok)
	}
	s.Release(b)
	if _, ok := s.Died(a); ok {
		t.Error("another one of its slot has died since")
	}
	if date, ok := s.Died(b); !ok || date != 4 {
		t.Errorf("the other one died at %d, %v", date, ok)
	}
	c, _ := s.Issue()
	first, _ := s.Issue() // in a slot that has lost none
	for name, h := range map[string]uint64{
		"of no generation": first - 1<<(IndexBits+TagBits), "never issued": c + 1<<(IndexBits+TagBits), "of another slot": c + 1,
		"of another world": b + 1<<IndexBits, "past all slots": 1<<52 - 1, "zero": 0,
	} {
		if _, ok := s.Died(h); ok {
			t.Errorf("a handle %s has died", name)
		}
	}
	many := make([]uint64, 4000)
	s.Fill(many, 1, 1, 0)
	for i := len(many) - 1; i >= 0; i-- {
		s.Now++
		s.Release(many[i])
	}
	for i, h := range many {
		if date, ok := s.Died(h); !ok || date != 4+uint32(len(many)-i) {
			t.Fatalf("handle %d died at %d, %v", i, date, ok)
		}
	}
	if len(s.deaths) > 5000 {
		t.Errorf("%d dates for 5000 slots", len(s.deaths))
	}
	if _, ok := (&Slots{}).Died(a); ok {
		t.Error("a pool without slots has lost one")
	}
}
