package ecs

import (
	"errors"
	"math"
	"testing"
	"unsafe"
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
	memory := w.Memory()
	if len(memory) != 2<<20 || len(memory)%(64<<10) != 0 {
		t.Fatalf("%d bytes", len(memory))
	}
	base := uintptr(unsafe.Pointer(&memory[0]))
	for _, id := range []ComponentID{near.ID(), rare.ID()} {
		if at := uintptr(w.Pointer(e, id)) - base; at >= uintptr(len(memory)) {
			t.Errorf("component %d lies outside", id)
		}
	}
	at := uintptr(w.Pointer(e, near.ID())) - base
	*(*float64)(unsafe.Pointer(&memory[at])) = 2.5
	if p, _ := near.Get(e); p.X != 2.5 {
		t.Errorf("got %v through the world", p.X)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Memory() != nil {
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
		"memory":     func(w *World) { w.Memory() },
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

func TestOptionsThatMakeNoSense(t *testing.T) {
	for _, o := range []Options{
		{MaxBytes: -1}, {MaxEntities: -1}, {MaxFixedSteps: -1}, {Workers: -1}, {FixedStep: -1}, {FixedStep: math.NaN()}, {FixedStep: math.Inf(1)},
	} {
		if w, err := Open(o); !errors.Is(err, ErrRange) || w != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
