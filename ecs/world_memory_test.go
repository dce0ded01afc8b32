package ecs

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
)

// TestMemoryHoldsTheColumns holds that columns and arena pools lie in what
// Memory returns, and that its length is whole pages.
func TestMemoryHoldsTheColumns(t *testing.T) {
	type Near struct{ X float64 }
	type Rare struct{ N int32 }
	w, err := Open(Options{MaxBytes: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	near, rare := Register[Near](w), Register[Rare](w, Sparse)
	e := w.Spawn(near.With(Near{1.5}), rare.With(Rare{7}))
	memory := w.memory()
	if len(memory) != 2<<20 || len(memory)%(64<<10) != 0 {
		t.Fatalf("%d bytes", len(memory))
	}
	base := uintptr(unsafe.Pointer(&memory[0]))
	for _, id := range []ComponentID{near.ID(), rare.ID()} {
		if at := uintptr(w.pointer(e, id)) - base; at >= uintptr(len(memory)) {
			t.Errorf("component %d lies outside", id)
		}
	}
	at := uintptr(w.pointer(e, near.ID())) - base
	*(*float64)(unsafe.Pointer(&memory[at])) = 2.5
	if p, _ := near.Get(e); p.X != 2.5 {
		t.Errorf("got %v through the world", p.X)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.memory() != nil {
		t.Error("a closed world has memory")
	}
}

// TestAnEmptyWorldReservesNothing: the addresses come with the first entity, the
// first set of components or the first look at the memory, and the numbers of
// tables are the same whichever it is.
func TestAnEmptyWorldReservesNothing(t *testing.T) {
	for name, need := range map[string]func(w *World){
		"entity":     func(w *World) { w.Spawn() },
		"components": func(w *World) { w.Spawn(Register[Position](w).With(Position{})) },
		"commands":   func(w *World) { must(t, w.NewCommands().Apply()); w.NewCommands().Spawn() },
		"memory":     func(w *World) { w.memory() },
	} {
		w := open(t, Options{})
		Register[Velocity](w)
		for range w.Query().Chunks() {
			t.Error("an empty world has a chunk")
		}
		must(t, w.Check())
		must(t, w.Reset())
		w.Compact()
		w.Stats()
		if w.arena.Base() != nil || w.Len() != 0 {
			t.Errorf("%s: reserved before it was needed", name)
		}
		if need(w); w.arena.Base() == nil || w.tables[1].arch != w.empty() {
			t.Errorf("%s: base %v, table 1 of archetype %d", name, w.arena.Base(), w.tables[1].arch.id)
		}
		must(t, w.Check())
	}
}

// TestOptionsThatMakeNoSense, or that the world could not keep to, are refused by
// name; the greatest that it can keep to are not.
func TestOptionsThatMakeNoSense(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name    string
		options []Options
	}{
		{"MaxBytes", []Options{{MaxBytes: -1}, {MaxBytes: arena.MaxBytes + 1}}},
		{"MaxEntities", []Options{{MaxEntities: -1}, {MaxEntities: 1 << 24}, {MaxEntities: 1 << 20, MaxBytes: 64 << 20}}},
		{"MaxFixedSteps", []Options{{MaxFixedSteps: -1}}},
		{"Workers", []Options{{Workers: -1}, {Workers: maxWorkers + 1}}},
		{"FixedStep", []Options{{FixedStep: -1}, {FixedStep: nan}, {FixedStep: inf}, {FixedStep: 1e-300}}},
		{"Breaker.Retry", []Options{{Breaker: Breaker{Retry: -1}}, {Breaker: Breaker{Retry: nan}}, {Breaker: Breaker{Retry: inf}}}},
		{"Breaker.MaxRetry", []Options{{Breaker: Breaker{MaxRetry: -1}}, {Breaker: Breaker{MaxRetry: nan}}}},
	} {
		for _, o := range c.options {
			if w, err := Open(o); !errors.Is(err, ErrRange) || w != nil || !strings.Contains(err.Error(), c.name) {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
	for _, o := range []Options{
		{MaxBytes: arena.MaxBytes}, {MaxEntities: 1<<24 - 1}, {MaxEntities: 64<<20/256 - 1, MaxBytes: 64 << 20},
		{Workers: maxWorkers}, {FixedStep: 1e-6}, {Breaker: Breaker{Failures: -1, MaxRetry: inf}},
	} {
		w, err := Open(o)
		if err != nil || o.MaxEntities > 0 && o.MaxBytes > 0 && w.room() != o.MaxEntities {
			t.Errorf("%+v: %v, room for %d", o, err, w.room())
		}
	}
}
