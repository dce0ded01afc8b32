package ecs_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestAfterSystem: a function is called before the first system and after each that has run, when its
// commands are applied; with the world to be read and not changed.
func TestAfterSystem(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, workers := range []int{1, 4} {
		w, err := ecs.Open(ecs.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		spawn := func(tick *ecs.Tick) error { tick.Commands.Spawn(); return nil }
		must(w.Schedule().Add(
			ecs.System{Name: "a", Run: spawn}, ecs.System{Name: "idle", Every: 100, Run: spawn}, ecs.System{Name: "b", Parallel: true, Run: spawn}, ecs.System{Name: "c", Parallel: true, Run: spawn},
			ecs.System{Name: "fails", Phase: ecs.Render, Run: func(*ecs.Tick) error { return errors.New("no") }},
		))
		var seen []string
		remove, err := w.Schedule().AfterSystem(func(system string) {
			seen = append(seen, fmt.Sprint(system, " ", w.Len()))
			if _, err := w.Schedule().AfterSystem(func(string) {}); !errors.Is(err, ecs.ErrIterating) {
				t.Errorf("inside a step: %v", err)
			}
			for e := range w.Entities() {
				if err := w.Despawn(e); !errors.Is(err, ecs.ErrIterating) {
					t.Errorf("a change: %v", err)
				}
			}
		})
		must(err)
		if err := w.Step(1); err == nil {
			t.Error("no system has failed")
		}
		if want := []string{" 0", "a 1", "b 3", "c 3", "fails 3"}; !slices.Equal(seen, want) && !slices.Equal(seen, []string{" 0", "a 1", "b 2", "c 3", "fails 3"}) {
			t.Errorf("%d workers: %q", workers, seen)
		}
		remove()
		remove()
		_ = w.Step(1)
		if len(seen) != 5 {
			t.Errorf("after remove: %q", seen)
		}
		if _, err := w.Schedule().AfterSystem(nil); !errors.Is(err, ecs.ErrConflict) {
			t.Errorf("a nil function: %v", err)
		}
		_, err = w.Schedule().AfterSystem(func(string) { panic("loud") })
		must(err)
		var failed *ecs.SystemError
		if err := w.Step(1); !errors.As(err, &failed) || failed.System != "AfterSystem" {
			t.Errorf("a panic: %v", err)
		}
		must(w.Check())
	}
}
