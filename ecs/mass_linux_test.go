package ecs

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// computed is the least time of the processor that so many runs of a function take on its thread. prepare makes one.
func computed(t *testing.T, runs int, prepare func() (run func())) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() time.Duration {
		const thisThread = 1 // RUSAGE_THREAD
		var used syscall.Rusage
		must(t, syscall.Getrusage(thisThread, &used))
		return time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	least := time.Hour
	for range 5 {
		all := make([]func(), runs)
		for i := range all {
			all[i] = prepare()
		}
		began := now()
		for _, run := range all {
			run()
		}
		least = min(least, now()-began)
	}
	return max(least, 3*time.Millisecond) // the clock of a thread is coarse on some machines
}

// TestManyAtOnce: what a reload does to thousands of readers, observers and systems takes time for each of them, and not
// for each pair of them.
func TestManyAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		few, many int
		make      func(n int) (run func())
	}{
		"readers": {500, 16_000, func(n int) func() {
			hit := RegisterEvent[Position](open(t, Options{}))
			readers := make([]*Reader, n)
			for i := range readers {
				readers[i] = hit.Reader("r")
			}
			return func() {
				for _, r := range slices.Backward(readers) {
					r.Close()
				}
			}
		}},
		"observers": {3, 11, func(n int) func() { // 8 and 2,048 archetypes
			w := open(t, Options{MaxBytes: 64 << 20})
			tags := make([]ComponentID, n)
			for i := range tags {
				id, err := w.Raw().Define(Schema{Name: fmt.Sprint("T", i)}, false)
				must(t, err)
				tags[i] = id
			}
			for set := range 1 << n {
				e := w.Spawn()
				for i, id := range tags {
					if set&(1<<i) != 0 {
						must(t, w.Add(e, w.Raw().ValueAt(id, nil)))
					}
				}
			}
			return func() {
				for range 300 {
					for _, id := range tags {
						must(t, w.Observe(Observer{Name: "o", On: OnRemove, Component: id, Run: func(*Tick, Notice) error { return nil }}))
						w.Unobserve("o")
					}
				}
			}
		}},
		"names of systems": {100, 3200, func(n int) func() {
			s := open(t, Options{}).Schedule()
			var systems []System
			for i := range n {
				systems = append(systems, System{Name: fmt.Sprintf("system with the number %05d", i), Run: idle})
			}
			must(t, s.Add(systems...))
			return func() {
				for _, x := range systems {
					if _, ok := s.Health(x.Name); !ok {
						t.Error(x.Name)
					}
				}
			}
		}},
		"systems": {200, 6400, func(n int) func() {
			s := open(t, Options{}).Schedule()
			var names []string
			var systems []System
			for i := range n {
				names = append(names, fmt.Sprintf("system with the number %05d", i))
				systems = append(systems, System{Name: names[i], Run: idle})
			}
			must(t, s.Add(systems...))
			return func() { must(t, s.Change(names, systems)) }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			times := c.many / c.few
			few := computed(t, times, func() func() { return c.make(c.few) })
			many := computed(t, 1, func() func() { return c.make(c.many) })
			if many > 6*few {
				t.Errorf("%d times %d take %v, %d at once %v", times, c.few, few, times*c.few, many)
			}
		})
	}
}

// TestRemovalsAreObservedAnew: an archetype knows by itself that observers of its components have come or gone since.
func TestRemovalsAreObservedAnew(t *testing.T) {
	w := open(t, Options{})
	pos, vel := Register[Position](w), Register[Velocity](w)
	got := 0
	observe := func(name string, c ComponentRef) {
		must(t, w.Observe(Observer{Name: name, On: OnRemove, Component: c, Run: func(*Tick, Notice) error { got++; return nil }}))
	}
	die := func(want int) {
		t.Helper()
		e := w.Spawn(pos.With(Position{}), vel.With(Velocity{}))
		must(t, w.Step(1))
		got = 0
		must(t, w.Despawn(e))
		must(t, w.Step(1))
		must(t, w.Check())
		if got != want {
			t.Errorf("observers got %d removals, want %d", got, want)
		}
	}
	die(0)
	observe("p", pos)
	die(1)
	observe("v", vel)
	die(2)
	w.Unobserve("p")
	die(1)
	w.Unobserve("v")
	die(0)
}

// TestClosedReadersAreNoReaders: a reader that is closed holds nothing back and misses nothing, also while others are open,
// and one that its system opens again is one reader.
func TestClosedReadersAreNoReaders(t *testing.T) {
	w := open(t, Options{MaxUnread: 16})
	hit := RegisterEvent[Position](w)
	var all []*Reader
	for i := range 9 {
		all = append(all, hit.Reader(fmt.Sprint("r", i)))
	}
	must(t, hit.Emit(Position{X: 1}))
	for i, r := range all[:8] {
		r.Close()
		r.Close()
		if must(t, w.Check()); r.Len() != 0 {
			t.Errorf("reader %d has %d events", i, r.Len())
		}
	}
	if n := len(slices.Collect(hit.Read(all[8]))); n != 1 {
		t.Errorf("the open reader got %d events", n)
	}
	must(t, w.Step(1))
	if st := w.Stats().Events[0]; st.Waiting != 0 || st.Slowest != "" {
		t.Errorf("%+v", st)
	}
	for range 40 {
		must(t, hit.Emit(Position{}))
	}
	if lost := w.Raw().Losses(); len(lost) != 1 || lost[0].Reader != "r8" {
		t.Errorf("lost: %v", lost)
	}
	all[8].Close()
	for range 40 {
		must(t, hit.Emit(Position{}))
	}
	if lost := w.Raw().Losses(); len(lost) != 0 {
		t.Errorf("nobody reads, and these are lost: %v", lost)
	}
	must(t, w.Check())
}
