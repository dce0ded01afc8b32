package ecs_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestRename: values, numbers and handles go over to the new name, with the same
// fields and with others; before the commit, and after a drop, nothing has changed.
func TestRename(t *testing.T) {
	for _, wider := range []bool{false, true} {
		r := newRanch(t)
		w, before := r.world, r.says()
		value := w.Raw().ValueAt(r.cell, nil)
		m := w.Raw().Migrate()
		fields := func() {
			if wider {
				r.must(m.Component(form("cage", 6), func(_ ecs.Entity, from, to unsafe.Pointer) error { *(*uint16)(to) = number(from); return nil }))
			}
		}
		r.must(m.Rename("cell", "cage"), m.Rename("pool", "pond"))
		fields()
		r.must(m.Prepare())
		if id, ok := w.Raw().ComponentNamed("cell"); !ok || id != r.cell || w.Raw().Schema(id).Name != "cell" {
			t.Error("renamed before the commit")
		}
		m.Drop()
		m.Commit() // of nothing
		if _, ok := w.Raw().ComponentNamed("cage"); ok || r.says() != before {
			t.Error("renamed after a drop")
		}
		m = w.Raw().Migrate()
		r.must(m.Rename("cell", "cage"), m.Rename("pool", "pond"))
		fields()
		r.must(m.Prepare())
		m.Commit()
		r.must(w.Check())
		id, ok := w.Raw().ComponentNamed("cage")
		_, old := w.Raw().ComponentNamed("cell")
		if !ok || old || id != r.cell || w.Raw().Schema(id).Name != "cage" || r.says() != before {
			t.Errorf("wider %v: %v %v %v\nbefore\n%safter\n%s", wider, id, ok, old, before, r.says())
		}
		if err := w.Add(r.es[0], value); (err != nil) != wider {
			t.Errorf("a value from before: %v", err)
		}
		// The old name is free for another.
		if other, err := w.Raw().Define(form("cell", 2), false); err != nil || other == id {
			t.Errorf("the old name: %v %v", other, err)
		}
		r.goesOn()
	}
}

func TestRenameIsRefused(t *testing.T) {
	r := newRanch(t)
	m := r.world.Raw().Migrate()
	for names, want := range map[[2]string]error{
		{"nobody", "x"}:  ecs.ErrUnknown,
		{"cell", "pool"}: ecs.ErrConflict,
		{"cell", "cell"}: ecs.ErrConflict,
		{"cell", ""}:     ecs.ErrConflict,
		{"wool", "x"}:    ecs.ErrConflict,
	} {
		if err := m.Rename(names[0], names[1]); !errors.Is(err, want) {
			t.Errorf("%v: %v, want %v", names, err, want)
		}
	}
	r.must(m.Rename("cell", "x"))
	if err := m.Rename("pool", "x"); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("one name for two: %v", err)
	}
}
