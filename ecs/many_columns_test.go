package ecs

import (
	"fmt"
	"testing"
	"unsafe"
)

// manyColumns is a world with 400 component types that have bytes, and an entity
// that has them all.
func manyColumns(t testing.TB) (w *World, ids []ComponentID, e Entity) {
	w = open(t, Options{})
	var values []Value
	for i := range 400 {
		id, err := w.define(Schema{Name: fmt.Sprintf("c%03d", i), Fields: []Field{{Name: "n", Kind: U32}}}, false)
		must(t, err)
		ids = append(ids, id)
		n := uint32(i)
		values = append(values, w.valueAt(id, unsafe.Pointer(&n)))
	}
	e = w.Spawn(values...)
	must(t, w.Check())
	return w, ids, e
}

// TestEachOfManyColumnsHasItsOwnVersion: what is written in one does not count as
// a change of another, whatever their numbers.
func TestEachOfManyColumnsHasItsOwnVersion(t *testing.T) {
	w, ids, e := manyColumns(t)
	a, b := ids[300], ids[350]
	changed := w.Query(Read(b)).Changed(b)
	looks := func() (n int) {
		for range changed.Chunks() {
			n++
		}
		return n
	}
	looks()
	*(*uint32)(w.edit(e, a)) = 7
	if looks() != 0 {
		t.Error("component 300 was written, and 350 counts as changed")
	}
	*(*uint32)(w.edit(e, b)) = 8
	if looks() != 1 {
		t.Error("component 350 was written, and does not count as changed")
	}
	must(t, w.Remove(e, ids[10], ids[399]))
	for i, id := range ids {
		want := uint32(i)
		switch i {
		case 10, 399:
			if w.has(e, id) {
				t.Errorf("component %d is still there", i)
			}
			continue
		case 300:
			want = 7
		case 350:
			want = 8
		}
		if p := w.pointer(e, id); *(*uint32)(p) != want {
			t.Errorf("component %d is %d, want %d", i, *(*uint32)(p), want)
		}
	}
	must(t, w.Check())
}

// TestMigrationOfOneOfManyColumns leaves the others what they were.
func TestMigrationOfOneOfManyColumns(t *testing.T) {
	w, ids, e := manyColumns(t)
	m := w.migrate()
	must(t, m.Component(Schema{Name: "c390", Fields: []Field{{Name: "n", Kind: U64}}}, func(_ Entity, from, to unsafe.Pointer) error {
		*(*uint64)(to) = 10 * uint64(*(*uint32)(from))
		return nil
	}))
	must(t, m.Prepare())
	m.Commit()
	must(t, w.Check())
	for i, id := range ids {
		if p := w.pointer(e, id); i == 390 && *(*uint64)(p) != 3900 || i != 390 && *(*uint32)(p) != uint32(i) {
			t.Errorf("component %d is %d", i, *(*uint32)(p))
		}
	}
}

// BenchmarkNumber compares the first component with the 301st, by type and by
// number: all take one path.
func BenchmarkNumber(b *testing.B) {
	w := open(b, Options{})
	first := Register[Position](w)
	for i := range 299 {
		_, err := w.define(Schema{Name: fmt.Sprint("c", i), Fields: []Field{{Name: "n", Kind: U32}}}, false)
		must(b, err)
	}
	last := Register[Velocity](w)
	var es []Entity
	for range 1000 {
		es = append(es, w.Spawn(first.With(Position{1, 1}), last.With(Velocity{1, 1})))
	}
	sum := 0.0
	for _, c := range []struct {
		name string
		get  func(e Entity) float64
	}{
		{"type/0", func(e Entity) float64 { p, _ := first.Get(e); return p.X }},
		{"type/300", func(e Entity) float64 { p, _ := last.Get(e); return p.X }},
		{"number/0", func(e Entity) float64 { return (*Position)(w.pointer(e, first.ID())).X }},
		{"number/300", func(e Entity) float64 { return (*Velocity)(w.pointer(e, last.ID())).X }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				sum += c.get(es[i%len(es)])
			}
		})
	}
}
