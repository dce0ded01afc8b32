package ecs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestTheZeroWorldSaysHowToMakeOne: what declares something in it, fills it or runs it returns
// an error, or panics with it where a function has none; and to close it is harmless.
func TestTheZeroWorldSaysHowToMakeOne(t *testing.T) {
	var zero World
	must(t, zero.Close())
	must(t, zero.Close())
	for name, use := range map[string]func(*World) error{
		"TryRegister": func(w *World) error { _, err := TryRegister[Position](w); return err },
		"NewInbox":    func(w *World) error { return onlyError(NewInbox(w, 1)) },
		"TrySpawn":    func(w *World) error { return onlyError(w.TrySpawn()) },
		"SpawnMany":   func(w *World) error { return w.SpawnMany(2, nil) },
		"Step":        func(w *World) error { return w.Step(1) },
		"Run":         func(w *World) error { return w.Run("r", idle) },
		"Observe": func(w *World) error {
			return w.Observe(Observer{Name: "o", On: OnSpawn, Run: func(*Tick, Notice) error { return nil }})
		},
		"Relation":      func(w *World) error { return onlyError(w.Relation("r", RelationOptions{})) },
		"Commands":      func(w *World) error { c := w.NewCommands(); c.Spawn(); return c.Apply() },
		"Define":        func(w *World) error { return onlyError(w.Raw().Define(runeSchema(), false)) },
		"Claim":         func(w *World) error { return w.Raw().Claim() },
		"Ready":         func(w *World) error { return w.Raw().Ready() },
		"Schedule.Add":  func(w *World) error { return w.Schedule().Add(System{Name: "s", Run: idle}) },
		"StepContext":   func(w *World) error { return w.Schedule().StepContext(context.Background(), 1) },
		"OnTick":        func(w *World) error { _, err := w.Schedule().OnTick(func(*TickReport) {}); return err },
		"Register":      func(w *World) error { return panicked(func() { Register[Position](w) }) },
		"RegisterEvent": func(w *World) error { return panicked(func() { RegisterEvent[Position](w) }) },
		"Provide":       func(w *World) error { return panicked(func() { Provide(w, &settings{}) }) },
		"Spawn":         func(w *World) error { return panicked(func() { w.Spawn() }) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("panicked with %v", r)
				}
			}()
			if err := use(&World{}); !errors.Is(err, ErrClosed) || !strings.Contains(err.Error(), "not made by NewWorld or Open") {
				t.Errorf("%v", err)
			}
		})
	}
}

// panicked returns what a function has panicked with.
func panicked(do func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
			if e, ok := r.(error); ok {
				err = e
			}
		}
	}()
	do()
	return nil
}
