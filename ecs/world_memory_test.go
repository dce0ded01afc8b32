package ecs

import (
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
