package scripting_test

import (
	"context"
	"errors"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/loop"
)

// TestRunWithCutSteps ends a loop whose steps are those of a world under the same context.
func TestRunWithCutSteps(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	if err := w.Schedule().Add(ecs.System{Name: "a", Run: func(*ecs.Tick) error { cancel(errors.New("enough")); return nil }},
		ecs.System{Name: "b", Run: func(*ecs.Tick) error { return nil }}); err != nil {
		t.Fatal(err)
	}
	l, err := loop.New(loop.Options{Hz: 1000})
	if err != nil {
		t.Fatal(err)
	}
	cut := false
	if err := l.Run(ctx, func(dt float64) error {
		err := w.Schedule().StepContext(ctx, dt)
		cut = err != nil
		return err
	}); err != nil || !cut {
		t.Errorf("Run returns %v; cut: %v", err, cut)
	}
}
