package scripting

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestLedgerIsBounded: whatever the texts of errors are, what is kept of them stays small,
// and each fault is told at once or counted in a sum.
func TestLedgerIsBounded(t *testing.T) {
	letters := func(n int) (s string) {
		for range 5 {
			s, n = s+string(rune('a'+n%26)), n/26
		}
		return s
	}
	for name, long := range map[string]int{"short": 0, "long": 16 << 10} {
		var l faultLog
		told, all := 0, 0
		tell := func(list []*Error) {
			for _, e := range list {
				if e.Times == 0 {
					n := 0
					fmt.Sscan(strings.ReplaceAll(e.Message, ",", ""), &n)
					told += n
				}
			}
		}
		for i := range 6000 {
			kind := letters(i / 3) // each comes three times
			for range 1 + i%2 {
				e := &Error{Script: "a.lua", Line: 1, Entity: ecs.Entity(i + 1), Message: kind + strings.Repeat("x", long), GoStack: strings.Repeat("y", long)}
				all++
				if l.note(e, float64(i)) {
					told++
				}
			}
			if i%100 == 0 {
				tell(l.rest(float64(i), true))
			}
			bytes, counted := 0, 0
			for _, x := range l.order {
				bytes += x.bytes
				counted += len(x.entities)
			}
			if bytes != l.bytes || counted != l.counted || len(l.entries) != len(l.order) || len(l.waiting) > len(l.order) {
				t.Fatalf("%s: %d bytes, counted %d; %d entities, counted %d; %d entries of %d, %d wait", name, bytes, l.bytes, counted, l.counted, len(l.entries), len(l.order), len(l.waiting))
			}
			if bytes > maxBytes+3*(16<<10) || len(l.order) > maxEntries || counted > maxAllCounted {
				t.Fatalf("%s: %d entries, %d bytes, %d entities", name, len(l.order), bytes, counted)
			}
		}
		waits := 0
		for _, x := range l.waiting {
			waits += x.unreported
		}
		tell(l.due(1e9, "", true))
		if told+waits != all {
			t.Errorf("%s: %d faults were told or counted, of %d", name, told+waits, all)
		}
	}
}

// TestSumsGetRarer: an error that goes on is told in sums, each after twice the time.
func TestSumsGetRarer(t *testing.T) {
	var l faultLog
	var told []float64
	for now := 0.0; now < 200; now++ {
		l.note(&Error{Message: "x"}, now)
		for range l.due(now, "", false) {
			told = append(told, now)
		}
	}
	if want := []float64{10, 30, 70, 150}; !slices.Equal(told, want) {
		t.Errorf("told at %v, want %v", told, want)
	}
}
