package ecs

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

func TestRegisteredOnce(t *testing.T) {
	w := open(t, Options{})
	a, b := Register[Position](w), Register[Position](w, Sparse, Named("Other"))
	if a != b || w.schemaByID(a.ID()).Name != "Position" || w.goType(a.ID()) != reflect.TypeFor[Position]() {
		t.Error("the second registration changed something")
	}
	named := Register[Velocity](w, Named("Speed"))
	if id, ok := w.componentNamed("Speed"); !ok || id != named.ID() || w.Raw().ComponentCount() != 3 {
		t.Errorf("the name leads to %d, %v; %d components", id, ok, w.Raw().ComponentCount())
	}
	if Register[[3]float64](w, Named("Triple")).ID() != 3 {
		t.Error("a type without a name cannot be given one")
	}
}

func TestRegisterPanics(t *testing.T) {
	w := open(t, Options{})
	Register[Position](w)
	type Velocity struct{ X float32 }
	for name, register := range map[string]func(){
		"a taken name":      func() { Register[Velocity](w, Named("Position")) },
		"no name":           func() { Register[struct{ X int }](w) },
		"a pointer, unless": func() { Register[*Position](w) },
	} {
		if err := recovered(register); !errors.Is(err, ErrConflict) {
			t.Errorf("%s: panicked with %v", name, err)
		}
	}
}

// TestAGoTypeAdoptsItsRunTimeTwin, and only that.
func TestAGoTypeAdoptsItsRunTimeTwin(t *testing.T) {
	w := open(t, Options{})
	fields := []Field{{Name: "x", Kind: F64}, {Name: "y", Kind: F64}}
	id, err := w.define(Schema{Name: "Position", Fields: fields}, false)
	must(t, err)
	e := w.Spawn(w.valueAt(id, unsafe.Pointer(&[2]float64{1, 2})))
	position := Register[Position](w)
	if p, _ := position.Get(e); position.ID() != id || p != (Position{1, 2}) {
		t.Errorf("the Go type is component %d, not %d, and reads %v", position.ID(), id, p)
	}
	type again Position
	if err := recovered(func() { Register[again](w, Named("Position")) }); !errors.Is(err, ErrConflict) {
		t.Errorf("a second type for the same component: %v", err)
	}
	if same, err := w.define(Schema{Name: "Position", Fields: fields}, false); err != nil || same != id {
		t.Errorf("defined again: %d, %v", same, err)
	}
	_, err = w.define(Schema{Name: "Velocity", Fields: fields[:1]}, false)
	must(t, err)
	if err := recovered(func() { Register[Velocity](w) }); !errors.Is(err, ErrConflict) {
		t.Errorf("a Go type of other fields: %v", err)
	}
}

// TestAsManyComponentsAsThereMayBe, and entities that have all of them.
func TestAsManyComponentsAsThereMayBe(t *testing.T) {
	w := open(t, Options{})
	var values []Value
	for i := range MaxComponents - 1 {
		id, err := w.define(Schema{Name: fmt.Sprint("c", i), Fields: []Field{{Name: "x", Kind: U16}}}, false)
		must(t, err)
		v := uint16(i)
		values = append(values, w.valueAt(id, unsafe.Pointer(&v)))
	}
	if _, err := w.define(Schema{Name: "one too many"}, false); !errors.Is(err, ErrConflict) {
		t.Errorf("one too many answered %v", err)
	}
	var es []Entity
	for range 40 { // more than a chunk
		es = append(es, w.Spawn(values...))
	}
	must(t, w.Remove(es[3], values[7].ID()))
	must(t, w.Despawn(es[4]))
	must(t, w.Check())
	for i, v := range values {
		for _, e := range []Entity{es[0], es[3], es[39]} {
			p := (*uint16)(w.pointer(e, v.ID()))
			if (p == nil) != (e == es[3] && i == 7) || p != nil && *p != uint16(i) {
				t.Fatalf("component %d of %v is %v", i, e, p)
			}
		}
	}
	q := w.Query(Write(values[500].ID())).Changed(values[500].ID())
	q.Count()
	for range q.Chunks() {
	}
	w.edit(es[0], values[500].ID())
	n := 0
	for c := range q.Chunks() {
		n += c.Len()
	}
	if n == 0 {
		t.Error("the change of a column far to the right went unnoticed")
	}
}

func TestComponentsOfAnEntity(t *testing.T) {
	z := newMixedWorld(t)
	want := []ComponentID{z.position.ID(), z.frozen.ID(), z.burning.ID(), z.label.ID()}
	if got := z.componentsOf(z.byMix["pfbl"], nil); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := z.componentsOf(z.byMix["b"], want[:1]); !slices.Equal(got, []ComponentID{want[0], want[2]}) {
		t.Errorf("appended: %v", got)
	}
	if got := z.componentsOf(0, nil); len(got) != 0 || z.has(z.byMix["p"], 9999) || z.pointer(z.byMix["p"], 9999) != nil {
		t.Error("nobody has a component that does not exist")
	}
}

// TestValuesOfEverySize go in and come out whole: inside a Value, beside it, of
// no bytes, with Go pointers.
func TestValuesOfEverySize(t *testing.T) {
	w := open(t, Options{})
	roundTrip(t, w, Frozen{})
	roundTrip(t, w, uint8(7))
	roundTrip(t, w, [3]uint8{1, 2, 3})
	roundTrip(t, w, [4]uint64{1, 2, 3, 4})
	roundTrip(t, w, [5]uint64{1, 2, 3, 4, 5})
	roundTrip(t, w, [3000]uint16{2999: 9})
	roundTrip(t, w, Label{"text"})
	roundTrip(t, w, struct {
		A uint8
		S string
	}{1, "x"})
	must(t, w.Check())
}

func roundTrip[T comparable](t *testing.T, w *World, v T) {
	t.Helper()
	for _, option := range []ComponentOption{sparseOption(false), Sparse} {
		own := open(t, Options{Tag: 4})
		c := Register[T](own, Named("T"), option)
		a, b := own.Spawn(c.With(v)), own.Spawn()
		must(t, c.Set(b, v))
		must(t, own.Despawn(a)) // b moves
		if got, ok := c.Get(b); !ok || got != v {
			t.Errorf("%T: %v went in, %v came out", v, v, got)
		}
		if p := c.Edit(b); *p != v || !c.Has(b) {
			t.Errorf("%T: Edit gives %v", v, *p)
		}
		for k := range own.Query(Read(c)).Chunks() {
			if col := c.Of(k); len(col) != 1 || col[0] != v {
				t.Errorf("%T: the column is %v", v, col)
			}
		}
		must(t, c.Remove(b))
		if _, ok := c.Get(b); ok || own.Check() != nil {
			t.Errorf("%T: still there, or %v", v, own.Check())
		}
	}
}

// TestColumnsAreAligned to cache lines, so that vector code may load them.
func TestColumnsAreAligned(t *testing.T) {
	w := open(t, Options{})
	a, b, c := Register[uint8](w), Register[Position](w), Register[[3]float32](w, Named("Triple"))
	for range 2000 {
		w.Spawn(a.With(1), b.With(Position{}), c.With([3]float32{}))
	}
	for k := range w.Query(Read(a), Read(b), Read(c)).Chunks() {
		for _, id := range []ComponentID{a.ID(), b.ID(), c.ID()} {
			if at := uintptr(k.Column(id, false)); at%64 != 0 {
				t.Fatalf("the column of %q begins at %#x", w.schemaByID(id).Name, at)
			}
		}
	}
	if u := w.Stats().Archetypes[3].Capacity; u < 350 {
		t.Errorf("a chunk of 37-byte rows holds %d", u)
	}
}

// TestOnHeap: only what holds Go pointers lives where the collector looks.
func TestOnHeap(t *testing.T) {
	z := newMixedWorld(t)
	for id, want := range map[ComponentID]bool{
		z.position.ID(): false, z.burning.ID(): false, z.frozen.ID(): false, z.label.ID(): true,
	} {
		if z.onHeap(id) != want {
			t.Errorf("OnHeap(%s) is %v", z.schemaByID(id).Name, !want)
		}
	}
}

// TestBoundTypesStandInOrder: a type that has the fields of a component in another order
// is refused, with the places of both.
func TestBoundTypesStandInOrder(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	if _, err := w.define(Schema{Name: "life", Fields: []Field{{Name: "hp", Kind: F32}, {Name: "max", Kind: F32}, {Name: "xs", Kind: U8, Len: 3}}}, false); err != nil {
		t.Fatal(err)
	}
	type life struct {
		Max float32
		HP  float32 `ecs:"hp"`
		Xs  [3]uint8
	}
	defer func() {
		err, _ := recover().(error)
		want := `component "life" exists with other fields: "hp" is at byte 0, in type ecs.life at byte 4; "max" is at byte 4, in type ecs.life at byte 0`
		if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}()
	Register[life](w)
}

// TestATypeThatAScriptHasChangedIsAnError, and no panic: the script has added a field and
// changed the kind of another since the program was written. Raw.Define is what the
// declarations of scripts come to, with the fields in the order of their names.
func TestATypeThatAScriptHasChangedIsAnError(t *testing.T) {
	w := open(t, Options{})
	vector := []Field{{Name: "x", Kind: F32}, {Name: "y", Kind: F64}}
	fields := []Field{{Name: "at", Kind: Struct, Fields: vector}, {Name: "hp", Kind: F32}, {Name: "max", Kind: F32},
		{Name: "mood", Kind: Enum, Names: []string{"calm", "mad"}}, {Name: "shield", Kind: F32}}
	id, err := w.Raw().Define(Schema{Name: "Life", Fields: fields}, false)
	must(t, err)
	e := w.Spawn(w.Raw().ValueAt(id, nil))
	type Place struct{ X, Y float32 }
	type Life struct {
		At   Place
		HP   int32 `ecs:"hp"`
		Max  float32
		Mood uint8 `ecs:"mood,enum=calm|glad"`
		Old  [2]bool
	}
	c, err := TryRegister[Life](w)
	var wrong *FieldsError
	if !errors.As(err, &wrong) || !errors.Is(err, ErrConflict) || c.owner() != nil || wrong.Component != "Life" {
		t.Fatalf("returned %v, %v", c, err)
	}
	var declared struct { // as the script has it: what has 8 bytes lies elsewhere where words have 32 bits
		at struct {
			x float32
			y float64
		}
		hp, max float32
	}
	place := fmt.Sprint("at byte ", unsafe.Offsetof(declared.max))
	want := []schema.Difference{differs("at.y", "f64", "f32"), differs("hp", "f32", "i32"), differs("max", place, "at byte 12"),
		differs("mood", "enum calm|mad", "enum calm|glad"), differs("shield", "f32", ""), differs("old", "", "[2]bool")}
	if !slices.Equal(wrong.Differences, want) {
		t.Errorf("differences %v, want %v", wrong.Differences, want)
	}
	for _, part := range []string{`"shield" (f32) is missing in type ecs.Life`, `"old" ([2]bool) is in type ecs.Life only`, `"hp" is f32, in type ecs.Life i32`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if !w.Raw().Has(e, id) || w.Raw().GoType(id) != nil {
		t.Error("a refusal changed something")
	}
	must(t, w.Check())
}

// TestAReloadMayNotChangeWhatGoIsBoundTo: until then it may.
func TestAReloadMayNotChangeWhatGoIsBoundTo(t *testing.T) {
	w := open(t, Options{})
	hp := Schema{Name: "Life", Fields: []Field{{Name: "hp", Kind: F32}}}
	more := Schema{Name: "Life", Fields: []Field{{Name: "hp", Kind: F32}, {Name: "shield", Kind: F32}}}
	_, err := w.Raw().Define(hp, false)
	must(t, err)
	reload := func(to Schema) error {
		m := w.Raw().Migrate()
		if err := m.Component(to, nil); err != nil {
			return err
		}
		must(t, m.Prepare())
		m.Commit()
		return nil
	}
	must(t, reload(more))
	type Life struct {
		HP     float32 `ecs:"hp"`
		Shield float32
	}
	_, err = TryRegister[Life](w)
	must(t, err)
	if err := reload(hp); !errors.Is(err, ErrConflict) {
		t.Errorf("a bound component was migrated: %v", err)
	}
	var wrong *FieldsError
	if _, err := w.Raw().Define(hp, false); !errors.As(err, &wrong) || wrong.Differences[0] != differs("shield", "f32", "") {
		t.Errorf("another definition of it: %v", err)
	}
	if _, err := TryRegister[Life](nil); !errors.Is(err, ErrConflict) {
		t.Errorf("registering in no world: %v", err)
	}
}

// TestASizeIsADifference: of two types with the same fields for scripts, one has another
// that scripts do not see.
func TestASizeIsADifference(t *testing.T) {
	w := open(t, Options{})
	_, err := w.Raw().Define(Schema{Name: "Life", Fields: []Field{{Name: "hp", Kind: F32}}}, false)
	must(t, err)
	type Life struct {
		HP     float32 `ecs:"hp"`
		hidden float32
	}
	if _, err = TryRegister[Life](w); err == nil || !strings.Contains(err.Error(), "it has 4 bytes, type ecs.Life has 8 bytes") {
		t.Errorf("returned %v", err)
	}
	_ = Life{}.hidden
}

func differs(field, of, other string) schema.Difference {
	return schema.Difference{Field: field, Of: of, Other: other}
}
