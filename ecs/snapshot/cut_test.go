package snapshot_test

import (
	"context"
	"errors"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// TestNoSnapshotOfHalfAStep: a world whose last step was cut short is not captured, and a restore
// drops what that step has left.
func TestNoSnapshotOfHalfAStep(t *testing.T) {
	w, err := ecs.Open(ecs.Options{FixedStep: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var end context.CancelFunc
	ran := 0
	if err := w.Schedule().Add(ecs.System{Name: "cuts", Fixed: true, Run: func(*ecs.Tick) error {
		if end != nil {
			end()
		}
		return nil
	}}, ecs.System{Name: "misses", Fixed: true, After: []string{"cuts"}, Run: func(*ecs.Tick) error { ran++; return nil }}); err != nil {
		t.Fatal(err)
	}
	cut := func() {
		ctx, cancel := context.WithCancel(context.Background())
		end = cancel
		if err := w.Schedule().StepContext(ctx, 0.1); !errors.Is(err, context.Canceled) {
			t.Fatalf("the step was not cut: %v", err)
		}
		end = nil
	}
	whole, err := snapshot.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	cut()
	if _, err := snapshot.Capture(w); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("half a step was captured: %v", err)
	}
	if err := w.Step(0); err != nil || ran != 1 {
		t.Fatalf("%v, and what was missed ran %d times", err, ran)
	}
	if _, err := snapshot.Capture(w); err != nil {
		t.Error(err)
	}
	cut()
	if err := snapshot.Restore(w, whole); err != nil {
		t.Fatal(err)
	}
	if _, err := snapshot.Capture(w); err != nil {
		t.Error(err)
	}
	if err := w.Step(0); err != nil || ran != 1 {
		t.Errorf("%v, and what was missed before the restore ran: %d times", err, ran)
	}
}
