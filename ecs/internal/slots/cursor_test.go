package slots

import (
	"testing"

	"pgregory.net/rapid"
)

// TestACursorForetells: whatever the pool's state, a cursor says what Issue does
// next, to the last slot, and leaves the pool as it was until it issues.
func TestACursorForetells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		threshold := rapid.IntRange(0, 8).Draw(t, "threshold")
		s, twin := pool(32, threshold, 3), pool(32, threshold, 3)
		var live []uint64
		for range rapid.IntRange(0, 120).Draw(t, "history") {
			if len(live) > 0 && rapid.Bool().Draw(t, "release") {
				i := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				s.Release(live[i])
				twin.Release(live[i])
				live = append(live[:i], live[i+1:]...)
			} else if h, ok := s.Issue(); ok {
				twin.Issue()
				live = append(live, h)
			}
		}
		before := *s
		c := s.Cursor()
		for range rapid.IntRange(0, 40).Draw(t, "reserved") {
			want, more := twin.Issue()
			if got, ok := c.Next(); got != want || ok != more {
				t.Fatalf("reserved %#x, %v; Issue gave %#x, %v", got, ok, want, more)
			}
		}
		if s.live != before.live || s.free != before.free || s.used != before.used || s.head != before.head {
			t.Fatal("a cursor changed the pool")
		}
		c.Issue()
		if s.live != twin.live || s.free != twin.free || s.used != twin.used || s.head != twin.head {
			t.Fatal("the pool did not issue what was reserved")
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
