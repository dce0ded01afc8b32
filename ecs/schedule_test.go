package ecs

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStepRefusesTimesThatAreNone(t *testing.T) {
	w := open(t, Options{})
	ran := 0
	must(t, w.Schedule().Add(System{Name: "a", Run: func(*Tick) error { ran++; return nil }}))
	for _, dt := range []float64{-1, -math.SmallestNonzeroFloat64, nan(), math.Inf(1), math.Inf(-1)} {
		if err := w.Step(dt); !errors.Is(err, ErrRange) {
			t.Errorf("a step of %v answered %v", dt, err)
		}
	}
	must(t, w.Step(math.Copysign(0, -1)))
	if seconds, ticks := w.Time(); ran != 1 || seconds != 0 || ticks != 1 {
		t.Errorf("ran %d times; %v seconds, %d ticks", ran, seconds, ticks)
	}
	must(t, w.Step(MaxTime))
	must(t, w.Step(0))
	for _, dt := range []float64{0.001, 1e16, math.MaxFloat64} {
		if err := w.Step(dt); !errors.Is(err, ErrRange) {
			t.Errorf("a step beyond the end of time answered %v", err)
		}
	}
}

// TestStepInsideAStep, inside a loop, and a new schedule inside a step.
func TestStepInsideAStep(t *testing.T) {
	w := open(t, Options{})
	w.Spawn()
	var step, change, run, end error
	must(t, w.Schedule().Add(System{Name: "a", Run: func(tick *Tick) error {
		step, run, end = tick.World.Step(1), tick.World.Run("x", idle), tick.World.Close()
		change = tick.World.Schedule().Add(System{Name: "b", Run: idle})
		return nil
	}}))
	must(t, w.Step(1))
	for name, err := range map[string]error{"step": step, "schedule": change, "run": run, "close": end} {
		if !errors.Is(err, ErrIterating) {
			t.Errorf("%s inside a step answered %v", name, err)
		}
	}
	for range w.Query().Chunks() {
		if err := w.Step(1); !errors.Is(err, ErrIterating) {
			t.Errorf("a step inside a loop answered %v", err)
		}
	}
	if _, ticks := w.Time(); ticks != 1 {
		t.Errorf("%d ticks were counted", ticks)
	}
	must(t, w.Step(1))
}

// TestATickSaysWhatTimeItIs.
func TestATickSaysWhatTimeItIs(t *testing.T) {
	w := open(t, Options{FixedStep: 1})
	var got []Tick
	must(t, w.Schedule().Add(System{Name: "clock", Run: func(tick *Tick) error { got = append(got, *tick); return nil }}))
	for _, dt := range []float64{0.25, 0.5, 1} {
		must(t, w.Step(dt))
	}
	for i, want := range []struct{ dt, time, alpha float64 }{{0.25, 0.25, 0.25}, {0.5, 0.75, 0.75}, {1, 1.75, 0.75}} {
		tick := got[i]
		if tick.DT != want.dt || tick.Time != want.time || tick.Alpha != want.alpha || tick.N != uint64(i+1) || tick.System != "clock" || tick.World != w {
			t.Errorf("tick %d: %+v, want %+v", i+1, tick, want)
		}
	}
}

// TestWhenDecidesBeforeEachRun: a run that does not take place is not counted,
// and its time is part of the next one's.
func TestWhenDecidesBeforeEachRun(t *testing.T) {
	w := open(t, Options{})
	var times []float64
	must(t, w.Schedule().Add(System{
		Name: "even",
		When: func(w *World) bool { _, n := w.Time(); return n%2 == 0 },
		Run:  func(tick *Tick) error { times = append(times, tick.DT); return nil },
	}))
	for range 6 {
		must(t, w.Step(0.5))
	}
	if !slices.Equal(times, []float64{1, 1, 1}) || w.Stats().Systems[0].Runs != 3 {
		t.Errorf("ran with the times %v", times)
	}
}

func TestEnable(t *testing.T) {
	w := open(t, Options{})
	ran := 0
	must(t, w.Schedule().Add(System{Name: "a", Disabled: true, Run: func(*Tick) error { ran++; return nil }}))
	for _, on := range []bool{false, true, false, true} {
		before := ran
		if !w.Schedule().Enable("a", on) {
			t.Fatal("the system is not found")
		}
		must(t, w.Step(1))
		if (ran > before) != on || w.Stats().Systems[0].Enabled != on {
			t.Errorf("enabled %v, ran %v", on, ran > before)
		}
	}
	if w.Schedule().Enable("nobody", true) {
		t.Error("a system that does not exist was enabled")
	}
}

// TestOnly: one system alone runs in a step, also before its interval is over; the others get the time at their next run,
// those of fixed steps miss theirs, and nothing of it stays.
func TestOnly(t *testing.T) {
	w := open(t, Options{FixedStep: 1, MaxFixedSteps: 4})
	type run struct {
		name string
		dt   float64
	}
	var log []run
	add := func(s System) {
		s.Run = func(tick *Tick) error { log = append(log, run{s.Name, tick.DT}); return nil }
		must(t, w.Schedule().Add(s))
	}
	add(System{Name: "each"})
	add(System{Name: "fixed", Fixed: true})
	add(System{Name: "other fixed", Fixed: true})
	add(System{Name: "rare", Every: 3})
	add(System{Name: "parallel", Parallel: true, Priority: 1})
	add(System{Name: "parallel too", Parallel: true, Priority: 1})
	add(System{Name: "off", Disabled: true})
	step := func(only string, want ...run) {
		t.Helper()
		if !w.Schedule().Only(only) {
			t.Fatalf("%q is not found", only)
		}
		log = nil
		must(t, w.Step(1))
		slices.SortFunc(log, func(a, b run) int { return strings.Compare(a.name, b.name) })
		if !slices.Equal(log, want) {
			t.Errorf("only %q: %v, want %v", only, log, want)
		}
	}
	step("rare", run{"rare", 1})
	step("parallel", run{"parallel", 2})
	step("fixed", run{"fixed", 1})
	step("off")
	step("", run{"each", 5}, run{"fixed", 1}, run{"other fixed", 1}, run{"parallel", 3}, run{"parallel too", 5}, run{"rare", 4})
	step("each", run{"each", 1})
	step("", run{"each", 1}, run{"fixed", 1}, run{"other fixed", 1}, run{"parallel", 2}, run{"parallel too", 2}, run{"rare", 2})
	if w.Schedule().Only("nobody") {
		t.Error("a system that does not exist was taken")
	}
	w.Schedule().Only("each")
	must(t, w.Schedule().Change([]string{"each"}, nil))
	step("", run{"fixed", 1}, run{"other fixed", 1}, run{"parallel", 1}, run{"parallel too", 1})
}

// TestChangeIsAllOrNothing: after an error the schedule is the old one, down to
// the functions that it runs.
func TestChangeIsAllOrNothing(t *testing.T) {
	w := open(t, Options{})
	var log []string
	logging := func(s string) func(*Tick) error {
		return func(*Tick) error { log = append(log, s); return nil }
	}
	must(t, w.Schedule().Add(System{Name: "a", Run: logging("old a")}, System{Name: "b", Run: logging("old b"), After: []string{"a"}}))
	for name, err := range map[string]error{
		"removing what another needs": w.Schedule().Change([]string{"a"}, nil),
		"adding a cycle":              w.Schedule().Change([]string{"a"}, []System{{Name: "a", Run: logging("new"), After: []string{"b"}}}),
		"half of it right":            w.Schedule().Change([]string{"b"}, []System{{Name: "b", Run: logging("new")}, {Name: "c"}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	must(t, w.Step(1))
	if !slices.Equal(log, []string{"old a", "old b"}) {
		t.Errorf("after refused changes ran %q", log)
	}
	log = nil
	must(t, w.Schedule().Change([]string{"a", "nobody"}, []System{{Name: "a", Run: logging("new a"), After: []string{"c"}}, {Name: "c", Run: logging("new c")}}))
	must(t, w.Step(1))
	if !slices.Equal(log, []string{"new c", "new a", "old b"}) {
		t.Errorf("after the change ran %q", log)
	}
}

// TestAReplacedSystemGoesOnWhereItWas: a reload must not make a timer start
// anew, nor wake what was switched off, nor repeat random numbers.
func TestAReplacedSystemGoesOnWhereItWas(t *testing.T) {
	w := open(t, Options{})
	runs := 0
	replace := func() System {
		return System{Name: "a", Every: 1, Run: func(tick *Tick) error { runs++; return nil }}
	}
	must(t, w.Schedule().Add(replace()))
	for range 3 {
		must(t, w.Step(0.5))
	}
	must(t, w.Schedule().Change([]string{"a"}, []System{replace()})) // half an interval has passed
	must(t, w.Step(0.5))
	if s := w.Stats().Systems[0]; runs != 2 || s.Runs != 2 {
		t.Errorf("ran %d times, counted %d; want 2: the interval went on", runs, s.Runs)
	}
	w.Schedule().Enable("a", false)
	must(t, w.Schedule().Change([]string{"a"}, []System{replace()}))
	must(t, w.Step(5))
	if runs != 2 || w.Stats().Systems[0].Enabled {
		t.Error("a replaced system woke up")
	}
}

// TestAReplacedSystemIsHealthyAgain: the new version has not failed yet.
func TestAReplacedSystemIsHealthyAgain(t *testing.T) {
	w := open(t, Options{})
	broken := errors.New("broken")
	must(t, w.Schedule().Add(System{Name: "a", Run: func(*Tick) error { return broken }}))
	for range 3 {
		_ = w.Step(0.1)
	}
	if h := w.Stats().Systems[0].Health; h != Parked {
		t.Fatalf("after three failures the system is %v", h)
	}
	ran := false
	must(t, w.Schedule().Change([]string{"a"}, []System{{Name: "a", Run: func(*Tick) error { ran = true; return nil }}}))
	if must(t, w.Step(0.1)); !ran {
		t.Error("the new version was still parked")
	}
}

// TestRunOnce: a function of the host runs under the rules for systems.
func TestRunOnce(t *testing.T) {
	w := open(t, Options{})
	told := 0
	must(t, w.Observe(Observer{Name: "o", On: OnSpawn, Run: func(*Tick, Notice) error { told++; return nil }}))
	must(t, w.Run("setup", func(tick *Tick) error { tick.Commands.Spawn(); return nil }))
	if w.Len() != 1 || told != 1 {
		t.Errorf("%d entities, %d notices", w.Len(), told)
	}
	var failed *SystemError
	err := w.Run("setup", func(tick *Tick) error { tick.Commands.Spawn(); panic("no") })
	if !errors.As(err, &failed) || failed.System != "setup" || w.Len() != 1 {
		t.Errorf("a panic came back as %v; %d entities", err, w.Len())
	}
}

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

// TestRandomStepsAddUp: whatever the interval and the frames, what systems are told
// of time is what has passed, and no run comes early.
func TestRandomStepsAddUp(t *testing.T) {
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
		{1, 4, 0}, {100.0625, 4, 0.25}, {0.1875, 1, 0}, {1e10, 4, 0},
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
