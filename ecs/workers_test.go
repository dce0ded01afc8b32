package ecs

import (
	"runtime"
	"testing"
	"time"
)

// settled waits until there are no more goroutines than wanted.
func settled(t *testing.T, want int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= want {
			return
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines are left, want %d", runtime.NumGoroutine(), want)
}

// busy makes a world's workers start.
func busy(t *testing.T, w *World) {
	w.worth = 0
	position := Register[Position](w)
	must(t, w.Schedule().Add(
		System{Name: "a", Parallel: true, Queries: []*Query{w.Query(Read(position))}, Run: idle},
		System{Name: "b", Parallel: true, Queries: []*Query{w.Query(Read(position))}, Run: idle},
		System{Name: "c", Parallel: true, Queries: []*Query{w.Query(Read(position))}, Run: idle},
	))
	must(t, w.Step(1))
	if w.workers == nil || w.workers.Helpers() != 2 {
		t.Fatalf("the workers are %+v", w.workers)
	}
}

// TestWorkersEndWithTheirWorld, when it is closed and when it is forgotten.
func TestWorkersEndWithTheirWorld(t *testing.T) {
	before := runtime.NumGoroutine()
	w, err := Open(Options{MaxBytes: 1 << 20, Workers: 4})
	must(t, err)
	busy(t, w)
	must(t, w.Close())
	settled(t, before)
	func() {
		forgotten, err := Open(Options{MaxBytes: 1 << 20, Workers: 4})
		must(t, err)
		busy(t, forgotten)
	}()
	settled(t, before)
}

// TestOneWorkerStartsNoGoroutine.
func TestOneWorkerStartsNoGoroutine(t *testing.T) {
	g := newGym(t, Options{})
	g.worth = 0
	must(t, g.Schedule().Add(g.parallel("a", g.Query(Read(g.position))), g.parallel("b", g.Query(Read(g.position)))))
	must(t, g.Step(1))
	if g.workers != nil {
		t.Error("a world of one worker has helpers")
	}
}
