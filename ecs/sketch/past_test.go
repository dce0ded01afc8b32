package sketch_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs/sketch"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// TestEarlierTicks: a look at an earlier tick shows what was drawn then; when the world goes on from there, what
// was drawn later is gone, and none of it is in a snapshot.
func TestEarlierTicks(t *testing.T) {
	b := open(t)
	b.s.Show()
	b.step(text("a", 0.35))
	b.step(text("b", 0))
	early, err := snapshot.Capture(b.w)
	must(t, err)
	b.step(text("c", 0))
	b.step(text("d", 0))
	b.step(text("e", 5))
	late, err := snapshot.Capture(b.w)
	must(t, err)
	b.sees("e")
	must(t, snapshot.Restore(b.w, early))
	b.sees("b a")
	must(t, snapshot.Restore(b.w, late))
	b.sees("e")
	b.step(text("f", 0))
	b.sees("e f")

	must(t, snapshot.Restore(b.w, early))
	b.step(text("c2", 0))
	b.sees("a c2")
	b.step()
	b.sees("a")
	for range 5 {
		b.step()
		b.sees("")
	}
}

// TestManyStrokesOfThePast: the oldest go first, in their order, also when the world goes back.
func TestManyStrokesOfThePast(t *testing.T) {
	b := open(t)
	b.s.Show()
	must2 := func(s *snapshot.Snapshot, err error) *snapshot.Snapshot { must(t, err); return s }
	var at []*snapshot.Snapshot
	for range 30 {
		b.step(make([]sketch.Stroke, 1000)...)
		at = append(at, must2(snapshot.Capture(b.w)))
	}
	seen := func(i int) int {
		must(t, snapshot.Restore(b.w, at[i]))
		return len(b.s.At(nil))
	}
	if seen(29) != 1000 || seen(28) != 1000 || seen(22) != 1000 || seen(10) != 0 {
		t.Errorf("%d %d %d %d", seen(29), seen(28), seen(22), seen(10))
	}
	must(t, snapshot.Restore(b.w, at[24]))
	b.step()
	if seen(24) != 1000 || seen(22) != 1000 || seen(25) != 0 {
		t.Errorf("%d %d %d", seen(24), seen(22), seen(25))
	}
}
