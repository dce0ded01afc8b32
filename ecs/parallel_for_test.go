package ecs

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestParallelForDoesEveryJobOnce, on one goroutine in order, on three in any.
func TestParallelForDoesEveryJobOnce(t *testing.T) {
	for _, workers := range []int{1, 3} {
		g := newGym(t, Options{Workers: workers})
		if g.workerCount() != workers {
			t.Errorf("%d workers, want %d", g.workerCount(), workers)
		}
		g.worth = 0 // wake the others for anything
		for _, n := range []int{-1, 0, 1, 2, 500} {
			done := make([]int, max(n, 0))
			must(t, g.Run("spread", func(tick *Tick) error {
				return tick.ParallelFor(n, func(i int) { done[i]++ })
			}))
			if i := slices.IndexFunc(done, func(times int) bool { return times != 1 }); i >= 0 {
				t.Errorf("%d workers: job %d of %d was done %d times", workers, i, n, done[i])
			}
		}
		must(t, g.Check())
	}
}

// TestParallelForReportsTheFirstFailure, and does the other jobs all the same; the
// world can be changed again behind it, and not within.
func TestParallelForReportsTheFirstFailure(t *testing.T) {
	g := newGym(t, Options{Workers: 3})
	g.worth = 0
	done := make([]bool, 100)
	var inner, within error
	err := g.Run("spread", func(tick *Tick) error {
		err := tick.ParallelFor(len(done), func(i int) {
			if done[i] = true; i == 7 || i == 60 {
				panic("job " + string(rune('a'+i%26)))
			}
			if i == 0 {
				inner = tick.ParallelFor(3, func(int) {})
				_, within = g.TrySpawn()
			}
		})
		var failed *SystemError
		if !errors.As(err, &failed) || !strings.Contains(failed.Error(), "job h") || len(failed.Stack) == 0 {
			t.Errorf("%v", err)
		}
		return nil
	})
	if err != nil || slices.Contains(done, false) {
		t.Errorf("%v; done: %v", err, done)
	}
	if !errors.Is(inner, ErrIterating) || !errors.Is(within, ErrIterating) {
		t.Errorf("inside a job: %v, %v", inner, within)
	}
	if _, err := g.TrySpawn(); err != nil {
		t.Error(err)
	}
}

// TestParallelForIsSharedOut: long jobs are done by more than one goroutine.
func TestParallelForIsSharedOut(t *testing.T) {
	g := newGym(t, Options{Workers: 2})
	g.worth = time.Nanosecond
	together := make(chan bool)
	must(t, g.Run("spread", func(tick *Tick) error {
		return tick.ParallelFor(3, func(i int) {
			switch i { // 0 is done before the others are shared out
			case 1:
				together <- true
			case 2:
				<-together
			}
		})
	}))
}

func TestParallelForAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	g := newGym(t, Options{Workers: 2})
	g.worth = 0
	job := func(int) {}
	must(t, g.Run("spread", func(tick *Tick) error {
		must(t, tick.ParallelFor(100, job))
		if n := testing.AllocsPerRun(50, func() { must(t, tick.ParallelFor(100, job)) }); n > 0 {
			t.Errorf("%v allocations", n)
		}
		return nil
	}))
}
