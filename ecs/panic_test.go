package ecs

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestAFailureStopsNobodyElse: the frame goes on, the failed systems' commands
// are gone, and all reports come back, each with its system's name.
func TestAFailureStopsNobodyElse(t *testing.T) {
	w := open(t, Options{})
	broken := errors.New("broken")
	spawning := func(then func() error) func(*Tick) error {
		return func(tick *Tick) error { tick.Commands.Spawn(); return then() }
	}
	var nobody *Tick
	must(t, w.Schedule().Add(
		System{Name: "1 ok", Run: spawning(func() error { return nil })},
		System{Name: "2 errs", Run: spawning(func() error { return broken })},
		System{Name: "3 panics", Run: spawning(func() error { panic(broken) })},
		System{Name: "4 panics with text", Run: spawning(func() error { panic("text") })},
		System{Name: "5 faults", Run: spawning(func() error { nobody.N++; return nil })},
		System{Name: "6 has a bad command", Run: func(tick *Tick) error {
			tick.Commands.Spawn()
			tick.Commands.Do(func(*World) error { panic("in a command") })
			tick.Commands.Spawn()
			return nil
		}},
		System{Name: "7 has a bad condition", When: func(*World) bool { panic("in a condition") }, Run: idle},
		System{Name: "8 ok", Run: spawning(func() error { return nil })},
	))
	reports := reportsOf(w.Step(1))
	for i, want := range []struct {
		says    string
		stacked bool
	}{
		{`system "2 errs": tick 1: broken`, false}, {`"3 panics": tick 1: panic: broken`, true}, {"panic: text", true},
		{"nil pointer", true}, {"in a command", true}, {"in a condition", true},
	} {
		if i >= len(reports) {
			t.Fatalf("%d reports, want 6", len(reports))
		}
		r := reports[i]
		if !strings.Contains(r.Error(), want.says) || (len(r.Stack) > 0) != want.stacked {
			t.Errorf("report %d is %q, with a stack of %d bytes; want %q", i, r, len(r.Stack), want.says)
		}
		if want.stacked && !bytes.Contains(r.Stack, []byte("panic_test.go")) {
			t.Errorf("the stack of %q does not lead here:\n%s", r.System, r.Stack)
		}
	}
	if !errors.Is(reports[0], broken) || !errors.Is(reports[1], broken) {
		t.Error("a report hides the error that caused it")
	}
	if w.Len() != 3 { // of 1 and 8, and the one that 6 placed before it failed
		t.Errorf("%d entities, want 3", w.Len())
	}
	must(t, w.Check())
}

// reportsOf splits what Step returned.
func reportsOf(err error) []*SystemError {
	var all []*SystemError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, reportsOf(e)...)
		}
		return all
	}
	var one *SystemError
	if errors.As(err, &one) {
		all = append(all, one)
	}
	return all
}

// TestAPanicInALoopGivesTheLockBack: the next system may change the world.
func TestAPanicInALoopGivesTheLockBack(t *testing.T) {
	w := open(t, Options{})
	position, burning := Register[Position](w), Register[Burning](w, Sparse)
	w.Spawn(position.With(Position{}), burning.With(Burning{}))
	chunks, rows := w.Query(Write(position)), w.Query(Read(position), Read(burning))
	loops := map[string]func(){
		"chunks": func() {
			for range chunks.Chunks() {
				panic("inside")
			}
		},
		"rows": func() {
			for range Rows(rows, position) {
				panic("inside")
			}
		},
		"nested": func() {
			for range chunks.Chunks() {
				for range rows.Chunks() {
					panic("inside")
				}
			}
		},
		"caught by itself": func() {
			defer func() { _ = recover() }()
			for range chunks.Chunks() {
				panic("inside")
			}
		},
	}
	for name, loop := range loops {
		spawned := false
		must(t, w.Schedule().Add(
			System{Name: "1", Run: func(*Tick) error { loop(); return nil }},
			System{Name: "2", Run: func(*Tick) error { _, err := w.TrySpawn(); spawned = err == nil; return err }},
		))
		_ = w.Step(1)
		if !spawned || w.locks != 0 || chunks.First() == 0 || rows.First() == 0 || chunks.running != 0 || rows.running != 0 {
			t.Errorf("%s: %d locks are left", name, w.locks)
		}
		must(t, w.Schedule().Change([]string{"1", "2"}, nil))
	}
}

// TestGuardEndsLoopsThatAPanicHasLeft, when the host recovers outside of systems,
// and those only.
func TestGuardEndsLoopsThatAPanicHasLeft(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	e := w.Spawn(position.With(Position{}))
	q := w.Query(Read(position))
	broken := func() {
		defer func() { _ = recover() }()
		defer w.guard()()
		for range Rows(q, position) {
			for range Rows2(q, position, position) {
				panic("inside")
			}
		}
	}
	for range 10 {
		broken()
		must(t, w.Add(e, position.With(Position{1, 1})))
		must(t, w.Despawn(w.Spawn()))
	}
	for range q.Chunks() {
		if broken(); !errors.Is(w.Despawn(e), ErrIterating) {
			t.Error("the guard has ended the loop around it")
		}
	}
	if len(q.cursors) > 3 || w.locks != 0 {
		t.Errorf("%d cursors and %d locks are left", len(q.cursors), w.locks)
	}
	must(t, w.Check())
}

// TestAHookThatPanicsLeavesAWholeWorld, whatever it interrupts, and what was
// interrupted can be done again.
func TestAHookThatPanicsLeavesAWholeWorld(t *testing.T) {
	for name, end := range map[string]func(w *World, q *Query, top Entity) error{
		"despawn": func(w *World, _ *Query, top Entity) error { return w.Despawn(top) },
		"reset":   func(w *World, _ *Query, _ Entity) error { return w.Reset() },
		"all":     func(w *World, q *Query, _ Entity) error { _, err := w.DespawnAll(q); return err },
		"later": func(w *World, _ *Query, top Entity) error {
			_, err := w.FlushDespawns()
			return errors.Join(err, w.DespawnLater(top))
		},
		"step": func(w *World, _ *Query, top Entity) error {
			err := w.Step(1)
			if err != nil { // told as that of a system is
				panic(err)
			}
			return errors.Join(err, w.DespawnLater(top))
		},
		"elsewhere": func(w *World, _ *Query, top Entity) error {
			there := open(t, Options{})
			Register[Engine](there)
			_, err := w.TransferTree(top, there)
			return err
		},
	} {
		w := open(t, Options{ReuseAfter: -1})
		calls := 0
		engine := Register[Engine](w, Hooks[Engine]{Removed: func(Entity, *Engine) {
			if calls++; calls == 2 {
				panic(errors.New("planned"))
			}
		}})
		top := w.Spawn(engine.With(Engine{1}))
		for range 3 {
			must(t, w.SetParent(w.Spawn(engine.With(Engine{2})), top))
		}
		must(t, w.DespawnLater(w.Spawn()))
		must(t, w.DespawnLater(top))
		must(t, w.DespawnLater(w.Spawn()))
		q := w.Query(Read(engine))
		if recovered(func() { _ = end(w, q, top) }) == nil {
			t.Errorf("%s: the hook's panic was swallowed, after %d calls", name, calls)
		}
		if err := w.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := end(w, q, top); err != nil && !errors.Is(err, ErrDead) {
			t.Errorf("%s, again: %v", name, err)
		}
		if _, err := w.FlushDespawns(); err != nil || w.Len() > 0 {
			t.Errorf("%s: %d entities were named and live, %v", name, w.Len(), err)
		}
		must(t, w.Reset())
		must(t, w.Check())
	}
}
