package ecs

import (
	"fmt"
	"testing"
	"unsafe"
)

// TestCountsAreTakenBack: what was counted of changes that are rewound or dropped is gone, and counts
// the same when it is counted again.
func TestCountsAreTakenBack(t *testing.T) {
	type Wide struct{ Values [100]float64 }
	type Narrow struct{ X float64 }
	w := NewWorld()
	defer w.Close()
	wide, narrow := Register[Wide](w), Register[Narrow](w)
	if err := wide.Observe("ends", OnRemove, func(*Tick, Entity, *Wide) error { return nil }); err != nil {
		t.Fatal(err)
	}
	parent := w.Spawn(wide.With(Wide{}))
	child, alone := w.Spawn(narrow.With(Narrow{})), w.Spawn()
	if err := w.SetParent(child, parent); err != nil {
		t.Fatal(err)
	}
	c := w.NewCommands()
	count := func() (changes, bytes, found int) {
		found = c.CountDespawn(parent, 10) + c.CountDespawn(child, 10)
		c.Despawn(parent)
		c.Add(alone, wide.With(Wide{}), narrow.With(Narrow{}))
		c.CountMove(alone)
		c.SetParent(alone, child)
		return c.Changes(), c.Bytes(), found
	}
	start := c.Mark()
	changes, bytes, found := count()
	if changes != 4 || found != 2 {
		t.Errorf("%d changes, %d found", changes, found)
	}
	if least := 5 * 800; bytes < least { // moved, kept, recorded twice, moved
		t.Errorf("%d bytes, at least %d are moved and kept", bytes, least)
	}
	for name, back := range map[string]func(){"rewound": func() { c.Rewind(start) }, "dropped": c.Drop} {
		if back(); c.Changes() != 0 || c.Bytes() != 0 {
			t.Errorf("%s: %d changes, %d bytes are left", name, c.Changes(), c.Bytes())
		}
		if changes2, bytes2, found2 := count(); changes2 != changes || bytes2 != bytes || found2 != found {
			t.Errorf("%s: %d changes, %d bytes, %d found; before %d, %d, %d", name, changes2, bytes2, found2, changes, bytes, found)
		}
	}
	c.Drop()
	if most := c.MostMoved(); most < 2*800 {
		t.Errorf("%d bytes at most, and %v takes more", most, parent)
	}
	if n := c.CountDespawn(parent, 0); n != 1 {
		t.Errorf("%d were counted beyond the most", n)
	}
}

// TestAFamilyOfTheCommandsCounts: those that the same commands have attached are found.
func TestAFamilyOfTheCommandsCounts(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	top, below := w.Spawn(), w.Spawn()
	for range 5 {
		if err := w.SetParent(w.Spawn(), below); err != nil {
			t.Fatal(err)
		}
	}
	c := w.NewCommands()
	c.SetParent(below, top)
	if n := c.CountDespawn(top, 100); n != 7 {
		t.Errorf("%d of 7 were counted", n)
	}
	if n := c.CountDespawn(below, 100); n != 0 {
		t.Errorf("%d were counted again", n)
	}
}

// TestRowsOfManyComponentsCount: each column takes time of its own, however few bytes it has. A row of
// some ordinary components counts as nothing beside its command, and no row counts more than MostMoved.
func TestRowsOfManyComponentsCount(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	var values []Value
	for i := range 60 {
		c, err := w.Raw().Define(Schema{Name: fmt.Sprint("C", i), Fields: []Field{{Name: "x", Kind: F64}}}, false)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, w.Raw().ValueAt(c, unsafe.Pointer(new(float64))))
	}
	c := w.NewCommands()
	for n, counts := range map[int]bool{1: false, 12: false, 30: true, 60: true} {
		e := w.Spawn(values[:n]...)
		c.CountMove(e)
		moved := c.Bytes()
		if most := c.MostMoved(); counts != (moved > 0) || moved > most || counts && moved < n*8*3 {
			t.Errorf("%d components: %d bytes are moved, and at most %d", n, moved, most)
		}
		c.Drop()
	}
}
