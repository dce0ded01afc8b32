package ecs

import (
	"testing"
	"time"
)

// TestTimesOfSystems: what systems took is disjoint and within the step, and what
// belongs to none of them (a run condition, the host between two steps, a system
// that does not run) is in none of their times.
func TestTimesOfSystems(t *testing.T) {
	const nap = 3 * time.Millisecond
	w := NewWorld()
	defer w.Close()
	sleep := func(*Tick) error { time.Sleep(nap); return nil }
	nothing := func(*Tick) error { return nil }
	dozing := func(want bool) func(*World) bool {
		return func(*World) bool { time.Sleep(nap); return want }
	}
	err := w.Schedule().Add(
		System{Name: "a", Run: sleep}, System{Name: "b", Run: nothing},
		System{Name: "c", Run: nothing, When: dozing(true)}, System{Name: "d", Run: nothing, When: dozing(false)},
		System{Name: "e", Run: nothing}, System{Name: "f", Run: sleep, Parallel: true}, System{Name: "g", Run: nothing},
	)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		began := time.Now()
		if err := w.Step(1); err != nil {
			t.Fatal(err)
		}
		step, sum, last := time.Since(began), time.Duration(0), map[string]time.Duration{}
		for _, s := range w.Schedule().Stats(nil) {
			if s.Last < 0 {
				t.Errorf("system %s took %v", s.Name, s.Last)
			}
			last[s.Name], sum = s.Last, sum+s.Last
		}
		if last["a"] < nap || last["f"] < nap {
			t.Errorf("systems that sleep for %v took %v and %v", nap, last["a"], last["f"])
		}
		if sum > step-2*nap {
			t.Errorf("all systems took %v in a step of %v, of which %v were those of conditions", sum, step, 2*nap)
		}
		time.Sleep(nap)
	}
}
