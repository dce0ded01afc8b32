package ecs

import (
	"errors"
	"strings"
	"testing"
	"unsafe"
)

// swapped is a world with a component and an event of two numbers, and a
// migration that gives both an order of fields in which the bytes mean something
// else: the size is the same, so nothing but their era tells values apart.
func swapped(t *testing.T) (w *World, id ComponentID, event EventID, migrate func()) {
	w = open(t, Options{})
	x, y := Field{Name: "x", Kind: F32}, Field{Name: "y", Kind: F32}
	id, err := w.define(Schema{Name: "c", Fields: []Field{x, y}}, false)
	must(t, err)
	event, err = w.defineEvent(Schema{Name: "e", Fields: []Field{x, y}})
	must(t, err)
	return w, id, event, func() {
		m, other := w.migrate(), []Field{y, x}
		must(t, errors.Join(m.Component(Schema{Name: "c", Fields: other}, nil), m.Event(Schema{Name: "e", Fields: other}, nil), m.Prepare()))
		m.Commit()
	}
}

// TestValuesOfBeforeAMigrationAreRefused wherever values are taken.
func TestValuesOfBeforeAMigrationAreRefused(t *testing.T) {
	w, id, _, migrate := swapped(t)
	e, data := w.Spawn(), [2]float32{1, 2}
	old := w.valueAt(id, unsafe.Pointer(&data))
	must(t, w.Add(e, old))
	for range 2 { // also two migrations later, when the fields are back in their order
		migrate()
		c := w.NewCommands()
		c.Spawn(old)
		c.Add(e, old)
		_, spawn := w.TrySpawn(old)
		_, prefab := w.SpawnPrefab(&Prefab{Values: []Value{old}})
		_, instance := w.Instantiate(e, 2, old)
		_, copied := w.Copy(e, old)
		_, all := w.AddAll(w.Query(Read(id)), old)
		for name, err := range map[string]error{
			"spawn": spawn, "prefab": prefab, "instance": instance, "copy": copied, "all": all, "commands": c.Apply(),
			"add": w.Add(e, old), "exchange": w.Exchange(e, nil, old), "many": w.SpawnMany(3, nil, old),
		} {
			if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), `"c" was made before a migration`) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if w.Len() != 1 {
			t.Errorf("%d entities", w.Len())
		}
		must(t, w.Add(e, w.valueAt(id, unsafe.Pointer(&data))))
	}
	must(t, w.Check())
}

// TestCommandsOfBeforeAMigrationOfTheSameSize are refused, all the same.
func TestCommandsOfBeforeAMigrationOfTheSameSize(t *testing.T) {
	w, id, event, migrate := swapped(t)
	data := [2]float32{1, 2}
	e := w.Spawn(w.valueAt(id, unsafe.Pointer(&data)))
	reader, c := w.newReader(event), w.NewCommands()
	c.Patch(e, id, 4, make([]byte, 4))
	c.Blend(e, id, make([]byte, 4), make([]byte, 4))
	c.Send(event, unsafe.Pointer(&data))
	c.Add(e, w.valueAt(id, unsafe.Pointer(&data)))
	migrate()
	if err := c.Apply(); !errors.Is(err, ErrConflict) || strings.Count(err.Error(), "before a migration") != 4 {
		t.Errorf("%v", err)
	}
	if reader.Len() != 0 {
		t.Errorf("%d events", reader.Len())
	}
	must(t, w.Check())
}

// TestAGoTypeOfAMigratedComponent takes over where it stands: values by type and
// by number are of one era.
func TestAGoTypeOfAMigratedComponent(t *testing.T) {
	type Big struct{ X [8]float64 }
	w := open(t, Options{})
	_, err := w.define(Schema{Name: "Big"}, false)
	must(t, err)
	m := w.migrate()
	must(t, errors.Join(m.Component(Schema{Name: "Big", Fields: []Field{{Name: "x", Kind: F64, Len: 8}}}, nil), m.Prepare()))
	m.Commit()
	big, c := Register[Big](w), w.NewCommands()
	a := w.Spawn(big.With(Big{[8]float64{7: 3}}))
	b := c.Spawn(big.With(Big{[8]float64{7: 4}}))
	must(t, c.Apply())
	for e, want := range map[Entity]float64{a: 3, b: 4} {
		if v, _ := big.Get(e); v.X[7] != want {
			t.Errorf("%v has %v", e, v)
		}
	}
}

// TestAValueTakenOutOfTheWorldStaysWhole while rows move: of a column when its
// archetype gets a longer chunk, of a pool when another value fills the hole.
func TestAValueTakenOutOfTheWorldStaysWhole(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	fields := []Field{{Name: "n", Kind: F64, Len: 16}}
	cell, err := w.define(Schema{Name: "cell", Fields: fields}, false)
	must(t, err)
	pool, err := w.define(Schema{Name: "pool", Fields: fields}, true)
	must(t, err)
	data := [16]float64{15: 42}
	first := w.Spawn(w.valueAt(cell, unsafe.Pointer(&data)), w.valueAt(pool, unsafe.Pointer(&data)))
	inCell, inPool := w.valueAt(cell, w.pointer(first, cell)), w.valueAt(pool, w.pointer(first, pool))
	data[15] = 7
	for range 2000 { // the chunk grows several times
		w.Spawn(w.valueAt(cell, unsafe.Pointer(&data)), w.valueAt(pool, unsafe.Pointer(&data)))
	}
	must(t, w.Despawn(first))
	e := w.Spawn(inCell, inPool)
	for _, id := range []ComponentID{cell, pool} {
		if got := *(*[16]float64)(w.pointer(e, id)); got[15] != 42 {
			t.Errorf("component %d became %v", id, got)
		}
	}
}
