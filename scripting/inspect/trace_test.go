package inspect

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestATraceHasEachRun: a system with fixed steps has a bar for each of its runs, and no two bars of a track overlap.
func TestATraceHasEachRun(t *testing.T) {
	w, err := ecs.Open(ecs.Options{FixedStep: 1, MaxFixedSteps: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	type Count struct{ N int }
	value := ecs.Register[Count](w)
	for _, s := range []ecs.System{{Name: "first", Fixed: true}, {Name: "second", Fixed: true}, {Name: "beside", Parallel: true}, {Name: "also beside", Parallel: true}} {
		s.Run = func(tick *ecs.Tick) error {
			tick.Commands.Spawn(value.With(Count{1}))
			return nil
		}
		if err := w.Schedule().Add(s); err != nil {
			t.Fatal(err)
		}
	}
	r := recording{wanted: 3}
	if _, err := w.Schedule().OnTick(func(report *ecs.TickReport) { r.add(report) }); err != nil {
		t.Fatal(err)
	}
	for range r.wanted {
		if err := w.Step(6); err != nil {
			t.Fatal(err)
		}
	}
	bars, ends := map[string]int{}, map[int]float64{}
	for _, e := range r.events() {
		bars[e.Name]++
		if e.Name == "tick" {
			continue // the others of its track lie in it
		}
		if e.Began < ends[e.Track]-0.0005 { // half a nanosecond, for what adding has rounded
			t.Errorf("%s begins at %v, and its track is not free before %v", e.Name, e.Began, ends[e.Track])
		}
		ends[e.Track] = e.Began + e.Took
	}
	for name, want := range map[string]int{"tick": 3, "first": 18, "second": 18, "beside": 3, "also beside": 3} {
		if bars[name] != want {
			t.Errorf("%s has %d bars, want %d", name, bars[name], want)
		}
	}
	if bars["first: commands"] != 18 {
		t.Errorf("its commands have %d bars, want 18", bars["first: commands"])
	}
}
