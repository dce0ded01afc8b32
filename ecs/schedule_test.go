package ecs

import (
	"errors"
	"math"
	"slices"
	"testing"
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
	must(t, w.Step(math.MaxFloat64))
	if err := w.Step(math.MaxFloat64); !errors.Is(err, ErrRange) {
		t.Errorf("a step to the end of time answered %v", err)
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
