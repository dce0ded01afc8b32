package ecs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestStepContextEndsBetweenSystems cancels in the middle of a tick: what has run stays, the
// rest gets the time in the next one, and no breaker counts.
func TestStepContextEndsBetweenSystems(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	why := errors.New("the player has left")
	var cancel context.CancelCauseFunc
	var ran []string
	times := map[string]float64{}
	system := func(name string, run func(*ecs.Tick) error) ecs.System {
		return ecs.System{Name: name, Run: func(tick *ecs.Tick) error {
			ran = append(ran, name)
			times[name] += tick.DT
			return run(tick)
		}}
	}
	idle := func(*ecs.Tick) error { return nil }
	var obey context.Context
	if err := w.Schedule().Add(
		system("a first", func(tick *ecs.Tick) error { tick.Commands.Spawn(); return nil }),
		system("b cancels", func(tick *ecs.Tick) error {
			if cancel != nil {
				cancel(why)
				tick.Commands.Spawn()
				return obey.Err()
			}
			return nil
		}),
		system("c last", idle),
	); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		obey, cancel = context.WithCancelCause(context.Background())
		ran = nil
		err := w.Schedule().StepContext(obey, 0.5)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Fatalf("%v", err)
		}
		if !slices.Equal(ran, []string{"a first", "b cancels"}) {
			t.Fatalf("%v have run", ran)
		}
	}
	if h, _ := w.Schedule().Health("b cancels"); h != ecs.Healthy {
		t.Errorf("the breaker is %v", h)
	}
	if n := w.Stats().Entities; n != 10 {
		t.Errorf("%d entities, want those of the system that was not cut", n)
	}
	cancel = nil
	if err := w.Schedule().StepContext(context.Background(), 0.5); err != nil {
		t.Fatal(err)
	}
	if times["c last"] != times["a first"] || times["c last"] != 5.5 {
		t.Errorf("times: %v", times)
	}
	if problems := w.Check(); problems != nil {
		t.Error(problems)
	}
}

// TestContextError wraps the error of a context and its cause, and is that error where there is
// no other cause.
func TestContextError(t *testing.T) {
	var none context.Context
	if err := ecs.ContextError(none); err != nil {
		t.Errorf("no context: %v", err)
	}
	for name, cause := range map[string]error{"a cause": errors.New("the server stops"), "none": nil} {
		ctx, cancel := context.WithCancelCause(context.Background())
		if err := ecs.ContextError(ctx); err != nil {
			t.Errorf("%s: a context that goes on: %v", name, err)
		}
		cancel(cause)
		err := ecs.ContextError(ctx)
		if !errors.Is(err, context.Canceled) || cause != nil && !errors.Is(err, cause) || cause == nil && err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrongUsesOfStepContext are errors, and nothing is done.
func TestWrongUsesOfStepContext(t *testing.T) {
	w := ecs.NewWorld()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.Schedule().StepContext(over, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	var none context.Context
	if err := w.Schedule().StepContext(none, 1); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("no context: %v", err)
	}
	if now, tick := w.Time(); now != 0 || tick != 0 {
		t.Errorf("the time is %v", now)
	}
	if err := w.Schedule().Add(ecs.System{Name: "s", Run: func(*ecs.Tick) error {
		return w.Schedule().StepContext(context.Background(), 1)
	}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(1); !errors.Is(err, ecs.ErrIterating) {
		t.Errorf("a step inside of a step: %v", err)
	}
}

// cutStep makes a step whose context ends when a system or an observer calls the function that it
// gives to set.
func cutStep(t *testing.T, w *ecs.World, dt float64, set func(stop func() error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	set(func() error { cancel(); return ctx.Err() })
	if err := w.Schedule().StepContext(ctx, dt); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cut step returns %v", err)
	}
	set(nil)
}

// TestCutFixedStepsAreMadeUp cuts every second step inside its first fixed step: each system makes as
// many fixed steps as the world has time for, in the order of the systems.
func TestCutFixedStepsAreMadeUp(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	var stop func() error
	var order []string
	system := func(name string, cuts bool) ecs.System {
		return ecs.System{Name: name, Fixed: true, Run: func(tick *ecs.Tick) error {
			if cuts && stop != nil {
				return stop()
			}
			order = append(order, name)
			return nil
		}}
	}
	if err := w.Schedule().Add(system("a", false), system("b cuts", true), system("c", false)); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		cutStep(t, w, 1.0/30, func(f func() error) { stop = f })
		if err := w.Step(1.0 / 30); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		if len(order) != 60 || !slices.Equal(order[3*i:3*i+3], []string{"a", "b cuts", "c"}) {
			t.Fatalf("%d runs in 20 fixed steps, of which step %d is not a whole one: %v", len(order), i, order)
		}
	}
}

// TestCutSystemGetsItsTime interrupts a system: its next run has the time of the one that does not
// count, and one with an interval is due at once.
func TestCutSystemGetsItsTime(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	var stop func() error
	var times, every []float64
	if err := w.Schedule().Add(ecs.System{Name: "all", Run: func(tick *ecs.Tick) error {
		times = append(times, tick.DT)
		return nil
	}}, ecs.System{Name: "every", Every: 1, Run: func(tick *ecs.Tick) error {
		if stop != nil {
			return stop()
		}
		every = append(every, tick.DT)
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(0.5); err != nil {
		t.Fatal(err)
	}
	cutStep(t, w, 0.5, func(f func() error) { stop = f })
	if err := w.Step(0.25); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(times, []float64{0.5, 0.5, 0.25}) || !slices.Equal(every, []float64{1.25}) {
		t.Errorf("times %v, with an interval %v", times, every)
	}
}

// TestCutEventsComeAgain interrupts Event.Each at its second event.
func TestCutEventsComeAgain(t *testing.T) {
	type ping struct{ N int }
	w := ecs.NewWorld()
	defer w.Close()
	pings := ecs.RegisterEvent[ping](w)
	var stop func() error
	var got []int
	if err := w.Schedule().Add(pings.Each(ecs.System{Name: "on"}, func(tick *ecs.Tick, p ping) error {
		if stop != nil && p.N == 2 {
			return stop()
		}
		got = append(got, p.N)
		return nil
	})); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := pings.Emit(ping{n + 1}); err != nil {
			t.Fatal(err)
		}
	}
	cutStep(t, w, 1, func(f func() error) { stop = f })
	got = nil
	if err := w.Step(1); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("the next run gets %v", got)
	}
}

// TestCutInboxGoesOn interrupts the second of three messages.
func TestCutInboxGoesOn(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	inbox, err := ecs.NewInbox(w, 3)
	if err != nil {
		t.Fatal(err)
	}
	var stop func() error
	var got []uint64
	for n := range uint64(3) {
		if err := inbox.Post(n, func(*ecs.Tick) error {
			if stop != nil && n == 1 {
				return stop()
			}
			got = append(got, n)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	cutStep(t, w, 1, func(f func() error) { stop = f })
	if err := w.Step(1); err != nil || !slices.Equal(got, []uint64{0, 1, 2}) {
		t.Errorf("done %v, %v", got, err)
	}
}

// TestCutObserverGetsAllInOrder interrupts one of two observers in the middle of what it gets. It
// gets the rest in the next step, in order, with the values that were removed; the other one has got
// all by then, and gets nothing twice.
func TestCutObserverGetsAllInOrder(t *testing.T) {
	type mark struct{ N int }
	type text struct{ S string }
	w := ecs.NewWorld()
	defer w.Close()
	marks, texts := ecs.Register[mark](w), ecs.Register[text](w)
	var stop func() error
	var got, other []string
	observe := func(list *[]string, cuts bool) func(*ecs.Tick, string) error {
		return func(_ *ecs.Tick, what string) error {
			if cuts && stop != nil && what == "add 2" {
				return stop()
			}
			*list = append(*list, what)
			return nil
		}
	}
	for name, tell := range map[string]func(*ecs.Tick, string) error{"cut": observe(&got, true), "other": observe(&other, false)} {
		verbs := map[ecs.Trigger]string{ecs.OnAdd: "add", ecs.OnRemove: "remove"}
		for _, on := range []ecs.Trigger{ecs.OnAdd, ecs.OnRemove} {
			if err := marks.Observe(name+verbs[on], on, func(tick *ecs.Tick, _ ecs.Entity, v *mark) error {
				return tell(tick, fmt.Sprintf("%s %d", verbs[on], v.N))
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := texts.Observe(name+"text", ecs.OnRemove, func(tick *ecs.Tick, _ ecs.Entity, v *text) error {
			return tell(tick, "remove "+v.S)
		}); err != nil {
			t.Fatal(err)
		}
	}
	var list []ecs.Entity
	for n := range 3 {
		e, err := w.TrySpawn(marks.With(mark{n + 1}), texts.With(text{fmt.Sprint("text ", n+1)}))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	cutStep(t, w, 1, func(f func() error) { stop = f })
	if want := []string{"add 1"}; !slices.Equal(got, want) {
		t.Fatalf("the observer that was interrupted has got %v", got)
	}
	w.Despawn(list[0])
	w.Despawn(list[2]) // "add 3" is out of date; who watches its end is another observer
	if err := w.Step(1); err != nil {
		t.Fatal(err)
	}
	if want := []string{"add 1", "add 2", "remove 1", "remove 3", "remove text 1", "remove text 3"}; !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("got %v", got)
	}
	if want := []string{"add 1", "add 2", "add 3", "remove 1", "remove 3", "remove text 1", "remove text 3"}; !slices.Equal(sorted(other), sorted(want)) {
		t.Errorf("the other one got %v", other)
	}
	if problems := w.Check(); problems != nil {
		t.Error(problems)
	}
}

// sorted returns a sorted copy.
func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// TestRemovedValuesWaitForAnInterruptedObserver holds what was removed: the values are those that the
// component had, though the memory they were in has been used again.
func TestRemovedValuesWaitForAnInterruptedObserver(t *testing.T) {
	type mark struct{ N int }
	w := ecs.NewWorld()
	defer w.Close()
	marks := ecs.Register[mark](w)
	var stop func() error
	var got []int
	if err := marks.Observe("removed", ecs.OnRemove, func(_ *ecs.Tick, _ ecs.Entity, v *mark) error {
		if stop != nil {
			return stop()
		}
		got = append(got, v.N)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var list []ecs.Entity
	for n := range 4 {
		e, err := w.TrySpawn(marks.With(mark{n}))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	if err := w.Step(0); err != nil {
		t.Fatal(err)
	}
	w.Despawn(list[0])
	w.Despawn(list[1])
	for range 3 { // what waits waits longer, and is not told twice
		cutStep(t, w, 0, func(f func() error) { stop = f })
	}
	w.Despawn(list[2])
	w.Despawn(list[3])
	if err := w.Step(0); err != nil || !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestHeldChangesAreBounded cuts steps with more changes than wait: the step says how many are lost.
func TestHeldChangesAreBounded(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	var stop func() error
	got := 0
	if err := w.Observe(ecs.Observer{Name: "spawned", On: ecs.OnSpawn, Run: func(*ecs.Tick, ecs.Notice) error {
		if stop != nil {
			return stop()
		}
		got++
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	for range 1<<16 + 5 {
		w.Spawn()
	}
	ctx, cancel := context.WithCancel(context.Background())
	stop = func() error { cancel(); return ctx.Err() }
	if err := w.Schedule().StepContext(ctx, 0); !errors.Is(err, ecs.ErrRange) || !strings.Contains(err.Error(), "5 changes") {
		t.Errorf("the step returns %v", err)
	}
	stop = nil
	if err := w.Step(0); err != nil || got != 1<<16 {
		t.Errorf("got %d, %v", got, err)
	}
}
