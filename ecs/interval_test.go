package ecs

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestQuarterSecondsAtSixtyHertz: an interval that the frames do not divide
// evenly in binary still comes round exactly four times a second, for long.
func TestQuarterSecondsAtSixtyHertz(t *testing.T) {
	w := open(t, Options{MaxBytes: 1})
	runs, sum := 0, 0.0
	must(t, w.Schedule().Add(System{Name: "a", Every: 0.25, Run: func(tick *Tick) error {
		runs++
		sum += tick.DT
		return nil
	}}))
	for frame := 1; frame <= 60*1000; frame++ {
		must(t, w.Step(1.0/60))
		if frame%60 == 0 && runs != frame/15 {
			t.Fatalf("after %d seconds the system ran %d times, want %d", frame/60, runs, frame/15)
		}
	}
	if elapsed, _ := w.Time(); math.Abs(sum-elapsed) > 1e-6 {
		t.Errorf("its time adds up to %v, %v have passed", sum, elapsed)
	}
}

// TestTimeAddsUp: whatever the interval and the frames, what systems are told
// of time is what has passed, and no run comes early.
func TestTimeAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, err := Open(Options{MaxBytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		every := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-6, 2)).Draw(t, "every") // less is below what rounding forgives
		sum, runs := 0.0, 0
		if err := w.Schedule().Add(System{Name: "a", Every: every, Run: func(tick *Tick) error {
			sum += tick.DT
			runs++
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
		longest := 0.0
		for range rapid.IntRange(1, 300).Draw(t, "frames") {
			dt := rapid.Float64Range(0, 0.5).Draw(t, "dt")
			longest = max(longest, dt)
			if err := w.Step(dt); err != nil {
				t.Fatal(err)
			}
		}
		elapsed, frames := w.Time()
		if every == 0 && runs != int(frames) {
			t.Fatalf("ran %d times in %d frames", runs, frames)
		}
		if sum > elapsed+1e-6 || elapsed-sum > every+longest+1e-6 {
			t.Fatalf("was told of %v seconds of %v, every %v", sum, elapsed, every)
		}
		if every > 0 && float64(runs) > elapsed/every+1+1e-6 {
			t.Fatalf("ran %d times in %v seconds, every %v", runs, elapsed, every)
		}
	})
}

// TestALongFrameIsOneRun: an interval is no catching up; that is what fixed
// steps are for.
func TestALongFrameIsOneRun(t *testing.T) {
	w := open(t, Options{MaxBytes: 1})
	var dts []float64
	must(t, w.Schedule().Add(System{Name: "a", Every: 1, Run: func(tick *Tick) error { dts = append(dts, tick.DT); return nil }}))
	for _, dt := range []float64{3.5, 0.25, 0.25} {
		must(t, w.Step(dt))
	}
	if len(dts) != 2 || dts[0] != 3.5 || dts[1] != 0.5 {
		t.Errorf("the runs were told of %v seconds, want 3.5 and then, in step again, 0.5", dts)
	}
}

// TestFixedSteps: as many as the time allows, never more than the limit; Alpha
// says how far the frame is into the next one.
func TestFixedSteps(t *testing.T) {
	w := open(t, Options{MaxBytes: 1, FixedStep: 0.25, MaxFixedSteps: 4})
	steps, alpha := 0, 0.0
	must(t, w.Schedule().Add(
		System{Name: "fixed", Phase: Debug, Fixed: true, Run: func(tick *Tick) error {
			if steps++; tick.DT != 0.25 {
				t.Errorf("a fixed step of %v seconds", tick.DT)
			}
			return nil
		}},
		System{Name: "frame", Run: func(tick *Tick) error { alpha = tick.Alpha; return nil }},
	))
	for i, c := range []struct {
		dt    float64
		steps int
		alpha float64
	}{
		{0.125, 0, 0.5}, {0.125, 1, 0}, {0.5, 2, 0}, {0, 0, 0}, {0.625, 2, 0.5}, {0.125, 1, 0},
		{1, 4, 0}, {100.0625, 4, 0.25}, {0.1875, 1, 0}, {1e15, 4, 0},
	} {
		before := steps
		must(t, w.Step(c.dt))
		if steps-before != c.steps || math.Abs(alpha-c.alpha) > 1e-9 {
			t.Errorf("frame %d, %v seconds: %d steps and alpha %v, want %d and %v", i, c.dt, steps-before, alpha, c.steps, c.alpha)
		}
	}
}

// TestFixedStepsAtSixtyHertz: one for each frame, for long, with Alpha in range.
func TestFixedStepsAtSixtyHertz(t *testing.T) {
	w := open(t, Options{MaxBytes: 1})
	steps := 0
	must(t, w.Schedule().Add(
		System{Name: "fixed", Fixed: true, Run: func(*Tick) error { steps++; return nil }},
		System{Name: "every fifth", Fixed: true, Every: 5.0 / 60, Run: func(tick *Tick) error {
			if math.Abs(tick.DT-5.0/60) > 1e-9 {
				t.Errorf("a fixed interval of %v seconds", tick.DT)
			}
			return nil
		}},
		System{Name: "frame", Run: func(tick *Tick) error {
			if !(tick.Alpha >= 0 && tick.Alpha <= 1) {
				t.Errorf("alpha is %v", tick.Alpha)
			}
			return nil
		}},
	))
	for frame := 1; frame <= 20000; frame++ {
		if must(t, w.Step(1.0/60)); steps != frame {
			t.Fatalf("%d fixed steps in %d frames", steps, frame)
		}
	}
	if runs := w.Stats().Systems[0]; runs.Name != "every fifth" || runs.Runs != 4000 {
		t.Errorf("%s ran %d times, want 4000", runs.Name, runs.Runs)
	}
}

// TestFixedStepsAreOfOneLength: also the first after a system was off, parked or not
// wanted.
func TestFixedStepsAreOfOneLength(t *testing.T) {
	for _, every := range []float64{0, 0.25} {
		want := max(every, 1.0/8)
		var now float64
		var steps int
		w := open(t, Options{FixedStep: 1.0 / 8})
		add := func(name string, s System) {
			s.Name, s.Fixed, s.Every = name, true, every
			s.Run = func(tick *Tick) error {
				steps++
				if math.Abs(tick.DT-want) > 1e-6 {
					t.Errorf("%s, every %v: a step of %v at %v", name, every, tick.DT, now)
				}
				if name == "fails" && int(now)%3 != 0 {
					return errors.New("parks it")
				}
				return nil
			}
			if err := w.Schedule().Add(s); err != nil {
				t.Fatal(err)
			}
		}
		add("off", System{})
		add("fails", System{})
		add("unwanted", System{When: func(*World) bool { return int(now)%3 == 0 }})
		add("needs", System{Requires: []string{"fails"}})
		for tick := range 1000 {
			if tick%100 == 50 {
				w.Schedule().Enable("off", tick%200 == 50)
			}
			_ = w.Step(1.0 / 16) // "fails" does
			now, _ = w.Time()
		}
		if steps < 300/int(want*8) {
			t.Errorf("every %v: only %d steps", every, steps)
		}
	}
}
