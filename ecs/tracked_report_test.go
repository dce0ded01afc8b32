package ecs_test

import (
	"errors"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestSinceInAReport asks for what has changed at the end of each step; inside of a loop of such a
// function it is refused as in any.
func TestSinceInAReport(t *testing.T) {
	type mark struct{ N int }
	w := ecs.NewWorld()
	defer w.Close()
	marks := ecs.Register[mark](w, ecs.Tracked)
	q := w.Query(ecs.Read(marks))
	var version uint64
	var changed []int
	if _, err := w.Schedule().OnTick(func(*ecs.TickReport) {
		d, err := marks.Since(version)
		if err != nil {
			t.Fatal(err)
		}
		version = d.Version
		n := 0
		for range d.Changed() {
			n++
		}
		changed = append(changed, n)
		for range q.Chunks() {
			if _, err := marks.Since(version); !errors.Is(err, ecs.ErrIterating) {
				t.Errorf("in a loop: %v", err)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	e := w.Spawn(marks.With(mark{1}))
	w.Spawn(marks.With(mark{2}))
	for n := range 3 {
		if err := w.Step(1); err != nil {
			t.Fatal(err)
		}
		if err := marks.Set(e, mark{10 + n/2}); err != nil {
			t.Fatal(err)
		}
	}
	if len(changed) != 3 || changed[0] != 2 || changed[1] != 1 || changed[2] != 0 {
		t.Errorf("changed rows by step: %v", changed)
	}
}
