package ecs_test

import (
	"errors"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

type held struct{ N int }

// TestHold: a hold refuses what a loop refuses, its release ends the loops that a
// panic has left in between, and beside other systems it does nothing.
func TestHold(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	n := ecs.Register[held](w)
	e := w.Spawn(n.With(held{1}))
	outer := w.Raw().Hold()
	inner := w.Raw().Hold()
	func() {
		defer func() { _ = recover() }()
		for range ecs.Rows(w.Query(ecs.Read(n)), n) {
			panic("out of the loop")
		}
	}()
	inner.Release()
	for name, err := range map[string]error{
		"despawn": w.Despawn(e), "reset": w.Reset(), "step": w.Step(1), "close": w.Close(), "prepare": w.Raw().Migrate().Prepare(),
	} {
		if !errors.Is(err, ecs.ErrIterating) {
			t.Errorf("%s under a hold: %v, want ErrIterating", name, err)
		}
	}
	if err := n.Set(e, held{2}); err != nil {
		t.Error("writing a value that is there:", err)
	}
	func() {
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, ecs.ErrIterating) {
				t.Errorf("a commit under a hold: %v, want ErrIterating", err)
			}
		}()
		w.Raw().Migrate().Commit()
	}()
	outer.Release()
	if err := w.Despawn(e); err != nil {
		t.Error("after the hold:", err)
	}
	err := w.Schedule().Add(ecs.System{Name: "beside", Parallel: true, Run: func(*ecs.Tick) error { w.Raw().Hold().Release(); return nil }})
	if err := errors.Join(err, w.Step(1), w.Check()); err != nil {
		t.Error(err)
	}
	if w.Spawn() == 0 {
		t.Error("a hold beside others is left")
	}
}
