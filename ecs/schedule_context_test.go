package ecs_test

import (
	"context"
	"errors"
	"slices"
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
