package loop_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/perigee-ecs/perigee/scripting/loop"
)

// hand is a clock that a test moves.
type hand struct{ now time.Time }

func (h *hand) Now() time.Time { return h.now }
func (h *hand) After(d time.Duration) <-chan time.Time {
	h.now = h.now.Add(d)
	c := make(chan time.Time, 1)
	c <- h.now
	return c
}

func newLoop(t *testing.T, o loop.Options) (*loop.Loop, *hand) {
	t.Helper()
	h := &hand{time.Unix(1, 0)}
	o.Clock = h
	l, err := loop.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return l, h
}

// A client draws between two steps.
func Example() {
	clock := &hand{time.Unix(1, 0)}
	l, err := loop.New(loop.Options{Hz: 10, Clock: clock})
	if err != nil {
		panic(err)
	}
	for range 3 {
		alpha, err := l.Frame(func(dt float64) error { fmt.Println("step", dt); return nil })
		if err != nil {
			panic(err)
		}
		fmt.Printf("draw at %.1f\n", alpha)
		clock.now = clock.now.Add(60 * time.Millisecond)
	}
	// Output:
	// step 0.1
	// draw at 0.0
	// draw at 0.6
	// step 0.1
	// draw at 0.2
}

// TestFramesFollowTheClock compares frames of random lengths with the time in all.
func TestFramesFollowTheClock(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, hz := range []float64{1, 29.97, 60, 144, 1000} {
		l, h := newLoop(t, loop.Options{Hz: hz, MaxSteps: 1 << 20})
		began, steps, alpha := h.now, 0, 0.0
		for range 20_000 {
			var err error
			if alpha, err = l.Frame(func(float64) error { steps++; return nil }); err != nil || !(alpha >= 0 && alpha < 1) {
				t.Fatalf("alpha %g: %v", alpha, err)
			}
			want := 1 + h.now.Sub(began).Seconds()*hz
			if got := float64(steps) + alpha; math.Abs(got-want) > 1e-4 {
				t.Fatalf("%g Hz: %g steps, want %g", hz, got, want)
			}
			h.now = h.now.Add(time.Duration(r.Int64N(40e6)))
		}
	}
}

func TestPauseOnceAndScale(t *testing.T) {
	l, h := newLoop(t, loop.Options{Hz: 10})
	frame := func(passed time.Duration) (n int) {
		h.now = h.now.Add(passed)
		if a, err := l.Frame(func(float64) error { n++; return nil }); err != nil || !(a >= 0 && a < 1) {
			t.Fatalf("alpha %g: %v", a, err)
		}
		return n
	}
	expect := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d steps, want %d", what, got, want)
		}
	}
	expect("first", frame(0), 1)
	l.Pause()
	expect("paused", frame(time.Hour), 0)
	l.Once()
	expect("once", frame(time.Hour), 1)
	l.Resume()
	expect("resumed", frame(100*time.Millisecond), 1)
	if err := l.SetScale(2); err != nil {
		t.Fatal(err)
	}
	expect("twice as fast", frame(100*time.Millisecond), 2)
	expect("the clock goes back", frame(-time.Hour-30*time.Millisecond), 0)
	expect("and on from there", frame(50*time.Millisecond), 1)
	h.now = h.now.Add(50 * time.Millisecond) // at 2, a whole step
	if err := l.SetScale(0); err != nil {
		t.Fatal(err)
	}
	expect("before it stopped", frame(time.Hour), 1)
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if l.SetScale(bad) == nil || l.Scale() != 0 {
			t.Errorf("scale %g is taken", bad)
		}
	}
}

func TestHugeTimesAreDroppedAndCounted(t *testing.T) {
	l, h := newLoop(t, loop.Options{Hz: 10, MaxSteps: 3})
	n := 0
	step := func(float64) error { n++; return nil }
	l.Frame(step)
	h.now = h.now.Add(time.Second)
	l.Frame(step)
	if c := l.Counts(); n != 4 || c != (loop.Counts{Steps: 4, Dropped: 7}) {
		t.Errorf("%d steps, %+v", n, c)
	}
	if err := l.SetScale(math.MaxFloat64); err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(math.MaxInt64)
	if a, err := l.Frame(step); n != 7 || !(a >= 0 && a < 1) || err != nil {
		t.Errorf("%d steps, alpha %g: %v", n, a, err)
	}
}

func TestOnceIsBounded(t *testing.T) {
	l, _ := newLoop(t, loop.Options{Hz: 10, MaxSteps: 3})
	l.Pause() // before the first frame, which makes no step of its own then
	for range 2000 {
		l.Once()
	}
	n := 0
	for i := range 400 { // each has room for three
		l.Frame(func(float64) error { n++; return nil })
		if want := min(3*(i+1), 1000); n != want {
			t.Fatalf("%d steps in %d frames, want %d", n, i+1, want)
		}
	}
	if c := l.Counts(); c != (loop.Counts{Steps: 1000}) {
		t.Errorf("%+v", c)
	}
}

// A loop catches up with a quarter of a second, and no more, unless it is told otherwise.
func TestCatchesUpALittle(t *testing.T) {
	for late, want := range map[time.Duration]int{100 * time.Millisecond: 11, 2 * time.Hour: 26} {
		l, h := newLoop(t, loop.Options{Hz: 100})
		n := 0
		step := func(float64) error { n++; return nil }
		l.Frame(step)
		h.now = h.now.Add(late)
		l.Frame(step)
		if n != want {
			t.Errorf("%v late: %d steps, want %d", late, n, want)
		}
	}
}

// A context that ends in the middle of catching up ends the steps there.
func TestRunEndsWhileItCatchesUp(t *testing.T) {
	l, h := newLoop(t, loop.Options{Hz: 100})
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := l.Run(ctx, func(float64) error {
		switch n++; n {
		case 1:
			h.now = h.now.Add(time.Hour)
		case 3:
			cancel()
		}
		return nil
	})
	if err != nil || n != 3 {
		t.Errorf("%d steps: %v", n, err)
	}
}

func TestBadOptions(t *testing.T) {
	for _, o := range []loop.Options{
		{}, {Hz: -1}, {Hz: math.NaN()}, {Hz: math.Inf(1)}, {Hz: 5e-324}, {Hz: 1, MaxSteps: -1},
	} {
		if l, err := loop.New(o); err == nil || l != nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// TestRunDoesNotDrift has steps that take time, and looks when each one begins.
func TestRunDoesNotDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := loop.New(loop.Options{Hz: 60})
		if err != nil {
			t.Fatal(err)
		}
		began, n := time.Now(), 0
		err = l.Run(t.Context(), func(float64) error {
			late := time.Since(began) - time.Duration(float64(n)*1e9/60)
			if late < -time.Microsecond || late > time.Microsecond {
				t.Errorf("step %d is %v late", n, late)
			}
			time.Sleep(5 * time.Millisecond)
			if n++; n == 6000 {
				return loop.ErrDone
			}
			return nil
		})
		if err != nil || n != 6000 {
			t.Errorf("%d steps: %v", n, err)
		}
	})
}

func TestRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, free := range []bool{false, true} {
			l, _ := loop.New(loop.Options{Hz: 100, Free: free})
			fault := errors.New("fault")
			if err := l.Run(t.Context(), func(float64) error { return fault }); err != fault {
				t.Errorf("the step's error became %v", err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			if err := l.Run(ctx, func(float64) error { n++; cancel(); return nil }); err != nil || n != 1 {
				t.Errorf("%d steps: %v", n, err)
			}
			l.Pause() // a paused Run is woken by Once and by the end of its context
			ctx, cancel = context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- l.Run(ctx, func(float64) error { n++; return nil }) }()
			synctest.Wait()
			l.Once()
			synctest.Wait()
			cancel()
			if err := <-ended; err != nil || n != 2 {
				t.Errorf("%d steps with one asked for: %v", n, err)
			}
		}
	})
}

// TestDoComesBetweenSteps: also while time stands, in the order of the posts, and one that is
// posted by another waits for the next frame.
func TestDoComesBetweenSteps(t *testing.T) {
	l, h := newLoop(t, loop.Options{Hz: 10})
	var said []string
	say := func(text string) func() { return func() { said = append(said, text) } }
	frame := func() {
		t.Helper()
		if _, err := l.Frame(func(float64) error { say("step")(); return nil }); err != nil {
			t.Fatal(err)
		}
		say("|")()
	}
	l.Do(say("a"))
	l.Do(func() { say("b")(); l.Do(say("c")) })
	frame()
	l.Pause()
	h.now = h.now.Add(time.Hour)
	frame()
	frame()
	if got := strings.Join(said, " "); got != "a b step | c | |" {
		t.Errorf("%s", got)
	}
	if l.Do(nil) || (&loop.Loop{}).Do(say("x")) {
		t.Error("a nil function, or a loop that New has not made, takes it")
	}
	for range 256 {
		if !l.Do(say("y")) {
			t.Fatal("refused early")
		}
	}
	if l.Do(say("z")) {
		t.Error("the queue has no bound")
	}
}

// TestDoWakesAPausedRun: nothing else would.
func TestDoWakesAPausedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := loop.New(loop.Options{Hz: 10})
		if err != nil {
			t.Fatal(err)
		}
		l.Pause()
		ctx, cancel := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() {
			if err := l.Run(ctx, func(float64) error { t.Error("a step"); return nil }); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		done := false
		l.Do(func() { done = true })
		synctest.Wait()
		if !done {
			t.Error("the run sleeps on")
		}
		cancel()
		ended.Wait()
	})
}

// TestStepsBehindAFailedOneAreNotLost: they are made in the next frame, those of Once too.
func TestStepsBehindAFailedOneAreNotLost(t *testing.T) {
	clock := &hand{now: time.Unix(1, 0)}
	l, err := loop.New(loop.Options{Hz: 10, MaxSteps: 10, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	steps := func(fail int) (made int) {
		_, err := l.Frame(func(float64) error {
			if made++; made == fail {
				return errors.New("failed")
			}
			return nil
		})
		if (err != nil) != (fail > 0) {
			t.Errorf("Frame: %v", err)
		}
		return made
	}
	if n := steps(0); n != 1 {
		t.Errorf("%d steps in the first frame", n)
	}
	clock.now = clock.now.Add(550 * time.Millisecond)
	l.Once()
	l.Once()
	if n := steps(1); n != 1 {
		t.Errorf("%d steps in a frame whose first one fails", n)
	}
	l.Pause()
	if n := steps(0); n != 1 {
		t.Errorf("%d steps while time stands, want the second one of Once", n)
	}
	l.Resume()
	if alpha := l.Alpha(); alpha < 0 || alpha >= 1 {
		t.Errorf("alpha is %v", alpha)
	}
	if n := steps(0); n != 5 {
		t.Errorf("%d steps in the next frame, want the 5 that were due", n)
	}
	if alpha := l.Alpha(); alpha < 0.49 || alpha > 0.51 {
		t.Errorf("alpha is %v, want a half", alpha)
	}
	clock.now = clock.now.Add(1000 * time.Millisecond)
	if n := steps(4); n != 4 {
		t.Errorf("%d steps until the fourth one fails", n)
	}
	clock.now = clock.now.Add(1000 * time.Millisecond)
	if n := steps(0); n != 10 {
		t.Errorf("%d steps, want MaxSteps", n)
	}
	if c := l.Counts(); c.Dropped != 6 || c.Steps != 1+1+1+5+4+10 {
		t.Errorf("%+v, want 6 that were dropped", c)
	}
}

// TestAFreeLoopOwesNothing: each frame has a step, and no time is left over.
func TestAFreeLoopOwesNothing(t *testing.T) {
	clock := &hand{now: time.Unix(1, 0)}
	l, err := loop.New(loop.Options{Hz: 10, Free: true, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		clock.now = clock.now.Add(time.Second)
		alpha, err := l.Frame(func(float64) error { return nil })
		if err != nil || alpha != 0 {
			t.Errorf("alpha is %v, %v", alpha, err)
		}
	}
}

// TestHaltTakesBackWhatIsNotMade: steps that are due, that an error has kept back, and those of Once, also in the
// middle of a frame; what is asked for after it is made.
func TestHaltTakesBackWhatIsNotMade(t *testing.T) {
	l, h := newLoop(t, loop.Options{Hz: 10, MaxSteps: 5})
	frame := func(passed time.Duration, step func(n int) error) (n int) {
		t.Helper()
		h.now = h.now.Add(passed)
		_, _ = l.Frame(func(float64) error {
			if n++; step != nil {
				return step(n)
			}
			return nil
		})
		return n
	}
	expect := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d steps, want %d", what, got, want)
		}
	}
	expect("first", frame(0, nil), 1)
	for range 7 {
		l.Once()
	}
	h.now = h.now.Add(300 * time.Millisecond)
	l.Halt()
	if !l.Paused() {
		t.Error("it is not paused")
	}
	expect("halted", frame(time.Second, nil), 0)
	l.Once()
	expect("once", frame(time.Second, nil), 1)
	l.Resume()
	expect("in the middle of a frame", frame(400*time.Millisecond, func(n int) error {
		if n == 2 {
			l.Halt()
			l.Once()
		}
		return nil
	}), 2)
	expect("what was asked for after it", frame(time.Second, nil), 1)
	l.Resume()
	expect("an error", frame(400*time.Millisecond, func(int) error { return errors.New("no") }), 1)
	l.Halt()
	l.Resume()
	expect("after an error", frame(0, nil), 0)
	expect("time passes", frame(100*time.Millisecond, nil), 1)
	l.Once()
	l.Do(func() { l.Halt(); l.Once() })
	expect("in a function of Do", frame(300*time.Millisecond, nil), 1)
	// 3 at first, 2 of the frame, 3 after the error, and 3 at last.
	if c := l.Counts(); c.Dropped != 11 {
		t.Errorf("%+v", c)
	}
}
