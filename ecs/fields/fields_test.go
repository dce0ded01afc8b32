package fields

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

type (
	Place struct{ X, Y float32 }
	All   struct {
		Flag   bool
		I8     int8  `ecs:"i8"`
		I64    int64 `ecs:"i64"`
		U64    uint64
		F32    float32
		F64    float64
		Target ecs.Entity
		Mood   uint8 `ecs:"mood,enum=calm|mad|sad"`
		At     Place
		Cells  [3]uint16
		Path   [2]Place
	}
	Label struct {
		Text string
		Tags map[string]int
	}
	Burning struct{ Left float64 }
	Frozen  struct{}
)

// zoo is a world with components of every kind.
type zoo struct {
	*ecs.World
	f       Fields
	all     ecs.Component[All]
	label   ecs.Component[Label]
	burning ecs.Component[Burning]
	frozen  ecs.Component[Frozen]
	script  ecs.ComponentID
	e, mate ecs.Entity
	sets    int // values of All that were set
}

func newZoo(t testing.TB) *zoo {
	t.Helper()
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	z := &zoo{World: w, f: Of(w), label: ecs.Register[Label](w), burning: ecs.Register[Burning](w, ecs.Sparse, ecs.Default(Burning{7})), frozen: ecs.Register[Frozen](w)}
	z.all = ecs.Register[All](w, ecs.Hooks[All]{Set: func(ecs.Entity, *All) { z.sets++ }})
	id, err := w.Raw().Define(ecs.Schema{Name: "my script", Fields: []ecs.Field{{Name: "hp", Kind: ecs.F32}, {Name: "max", Kind: ecs.I32}}, Default: []byte{0, 0, 0x20, 0x41, 9, 0, 0, 0}}, false)
	must(t, err)
	z.script = id
	z.mate = w.Spawn(z.frozen.With(Frozen{}))
	z.e = w.Spawn(z.all.With(All{I8: -3, F32: 0.1, Mood: 1, At: Place{1, 2}, Cells: [3]uint16{1, 2, 3}}), z.label.With(Label{"hey", map[string]int{"a": 1}}), w.Raw().ValueAt(id, nil))
	must(t, w.SetParent(z.mate, z.e))
	return z
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestGetWhatWasSet for every kind of field.
func TestGetWhatWasSet(t *testing.T) {
	z := newZoo(t)
	for _, c := range []struct {
		of    ecs.ComponentRef
		path  string
		set   any
		reads any
	}{
		{z.all, "flag", true, true}, {z.all, "flag", 0, false}, {z.all, "i8", int8(-128), -128.0}, {z.all, "i64", uint64(1 << 53), float64(1 << 53)}, {z.all, "i64", uint(1 << 31), float64(1 << 31)},
		{z.all, "u64", 3.0, 3.0}, {z.all, "f32", 0.1, float64(float32(0.1))}, {z.all, "f64", float32(0.5), 0.5}, {z.all, "f64", "Infinity", math.Inf(1)},
		{z.all, "target", z.mate, z.mate}, {z.all, "target", 0, ecs.Entity(0)}, {z.all, "mood", "sad", "sad"}, {z.all, "mood", 0, "calm"},
		{z.all, "at.x", 9, 9.0}, {z.all, "cells[2]", 65535, 65535.0}, {z.all, "path[1].y", 4, 4.0},
		{z.all, "cells", []any{4, 5, 6}, []any{4.0, 5.0, 6.0}}, {z.all, "at", map[string]any{"y": 3}, map[string]any{"x": 9.0, "y": 3.0}},
		{z.label, "text", "you", "you"}, {z.script, "hp", 1.5, 1.5}, {z.script, "", map[string]any{"max": 4}, map[string]any{"hp": 1.5, "max": 4.0}},
	} {
		must(t, z.f.Set(z.e, c.of, c.path, c.set))
		got, err := z.f.Get(z.e, c.of, c.path)
		if err != nil || !reflect.DeepEqual(got, c.reads) {
			t.Errorf("%s set to %v reads %v, %v", c.path, c.set, got, err)
		}
	}
	if l, _ := z.label.Get(z.e); l.Tags["a"] != 1 {
		t.Error("a field that was not set has changed")
	}
	if z.sets < 15 {
		t.Errorf("hooks were called for %d changes", z.sets)
	}
	must(t, z.Check())
}

// TestWhatDoesNotFitIsRefused: the error names the place, and nothing has changed.
func TestWhatDoesNotFitIsRefused(t *testing.T) {
	z := newZoo(t)
	dead := z.Spawn()
	must(t, z.Despawn(dead))
	other := newZoo(t)
	before, err := z.f.JSON(z.e)
	must(t, err)
	for _, c := range []struct {
		e     ecs.Entity
		of    ecs.ComponentRef
		path  string
		set   any
		wraps error
		says  string
	}{
		{z.e, z.all, "i8", 128, ecs.ErrRange, "All.i8: number out of range: i8 takes a whole number from -128 to 127, got 128"},
		{z.e, z.all, "i8", 0.5, ecs.ErrRange, "All.i8"}, {z.e, z.all, "i8", math.NaN(), ecs.ErrRange, "All.i8"},
		{z.e, z.all, "i64", int64(1<<53 + 1), ecs.ErrRange, "All.i64"}, {z.e, z.all, "u64", uint64(math.MaxUint64), ecs.ErrRange, "All.u64"},
		{z.e, z.all, "flag", 2, ecs.ErrRange, "All.flag"}, {z.e, z.all, "flag", "yes", ecs.ErrConflict, `All.flag is bool, and was given the text "yes"`},
		{z.e, z.all, "f32", true, ecs.ErrConflict, "All.f32 is f32, and was given true"}, {z.e, z.all, "f32", nil, ecs.ErrConflict, "was given nothing"},
		{z.e, z.all, "mood", "med", ecs.ErrUnknown, `All.mood has no value "med" (did you mean "mad"?)`}, {z.e, z.all, "mood", 3, ecs.ErrRange, "All.mood"},
		{z.e, z.all, "target", dead, ecs.ErrDead, "All.target"}, {z.e, z.all, "target", other.e, ecs.ErrDead, "All.target"}, {z.e, z.all, "target", -1, ecs.ErrRange, "All.target"},
		{z.e, z.all, "at", 3, ecs.ErrConflict, "All.at is struct"}, {z.e, z.all, "at.z", 3, ecs.ErrUnknown, `All.at has no field "z"`},
		{z.e, z.all, "at", map[string]any{"x": "a"}, ecs.ErrConflict, "All.at.x"}, {z.e, z.all, "cells", []any{1, 2}, ecs.ErrRange, "All.cells has 3 elements, and was given 2"},
		{z.e, z.all, "cells", []any{1, 2, -1}, ecs.ErrRange, "All.cells[2]"}, {z.e, z.all, "cells[3]", 1, ecs.ErrRange, `All.cells has the elements 0 to 2, and no "3"`},
		{z.e, z.all, "cells[", 1, ecs.ErrConflict, "']'"}, {z.e, z.all, "cells[-1]", 1, ecs.ErrRange, "All.cells"}, {z.e, z.all, "i8[0]", 1, ecs.ErrUnknown, "All.i8"},
		{z.e, z.all, "path.x", 1, ecs.ErrUnknown, "All.path is an array of struct"}, {z.e, z.all, "fleg", 1, ecs.ErrUnknown, `(did you mean "flag"?)`},
		{z.e, z.label, "text", 1, ecs.ErrConflict, "Label.text"}, {z.e, z.label, "tags", 1, ecs.ErrConflict, "Label.tags"},
		{z.e, z.burning, "left", 1, ecs.ErrUnknown, `has no component "Burning"`}, {z.e, other.all, "i8", 1, ecs.ErrConflict, ""},
		{z.e, ecs.ComponentID(99), "i8", 1, ecs.ErrUnknown, ""}, {z.e, nil, "i8", 1, ecs.ErrConflict, ""}, {z.e, ecs.Component[All]{}, "i8", 1, ecs.ErrConflict, ""},
		{z.e, z.ChildOf(), "target", 0, ecs.ErrUnknown, "world's own"}, {dead, z.all, "i8", 1, ecs.ErrDead, ""}, {0, z.all, "i8", 1, ecs.ErrDead, ""}, {other.e, z.all, "i8", 1, ecs.ErrDead, ""},
	} {
		err := z.f.Set(c.e, c.of, c.path, c.set)
		if !errors.Is(err, c.wraps) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s set to %v: %v, want %v: %q", c.path, c.set, err, c.wraps, c.says)
		}
		if after, err := z.f.JSON(z.e); err != nil || !bytes.Equal(before, after) {
			t.Fatalf("%s: a refusal has changed %s to %s, %v", c.path, before, after, err)
		}
	}
	if _, err := z.f.Component("Burnng"); !errors.Is(err, ecs.ErrUnknown) || !strings.Contains(err.Error(), `did you mean "Burning"?`) {
		t.Errorf("%v", err)
	}
	must(t, z.all.Set(z.e, All{I64: math.MaxInt64}))
	if v, err := z.f.Get(z.e, z.all, "i64"); !errors.Is(err, ecs.ErrRange) {
		t.Errorf("a number that no float holds reads %v, %v", v, err)
	}
	must(t, z.Check())
}

// TestFieldsInALoop: what is there can be changed, and nothing added.
func TestFieldsInALoop(t *testing.T) {
	z := newZoo(t)
	for range z.Query(ecs.Read(z.all)).Chunks() {
		must(t, z.f.Set(z.e, z.all, "i8", 5))
		must(t, z.f.SetJSON(z.e, []byte(`{"Label":{"text":"in"}}`)))
		if err := z.f.SetJSON(z.e, []byte(`{"Burning":{}}`)); !errors.Is(err, ecs.ErrIterating) {
			t.Errorf("added in a loop: %v", err)
		}
		if _, err := z.f.SpawnJSON([]byte(`{}`)); !errors.Is(err, ecs.ErrIterating) {
			t.Errorf("spawned in a loop: %v", err)
		}
	}
	must(t, z.Check())
	must(t, z.Close())
	for i, err := range []error{z.f.Set(z.e, z.all, "i8", 1), z.f.SetJSON(z.e, []byte("{}")), second(z.f.SpawnJSON([]byte("{}"))),
		second(z.f.SpawnJSON([]byte(`{"Burning":{}}`))), second(z.f.JSON(z.e)), second(z.f.Get(z.e, z.all, "i8"))} {
		if !errors.Is(err, ecs.ErrClosed) {
			t.Errorf("order %d to a closed world: %v", i, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestJSONThereAndBack: the text is always the same, and what is read back is what was written.
func TestJSONThereAndBack(t *testing.T) {
	z := newZoo(t)
	must(t, z.all.Set(z.e, All{Flag: true, I8: -3, I64: -1 << 53, U64: 1 << 53, F32: 0.1, F64: math.Inf(-1), Target: z.mate, Mood: 2, At: Place{1, float32(math.NaN())}, Cells: [3]uint16{1, 2, 3}}))
	want := fmt.Sprintf(`{"All":{"flag":true,"i8":-3,"i64":-9007199254740992,"u64":9007199254740992,"f32":0.1,"f64":"-Infinity","target":%d,"mood":"sad",`+
		`"at":{"x":1,"y":"NaN"},"cells":[1,2,3],"path":[{"x":0,"y":0},{"x":0,"y":0}]},"Label":{"text":"hey"},"my script":{"hp":10,"max":9}}`, uint64(z.mate))
	text, err := z.f.JSON(z.e)
	must(t, err)
	if string(text) != want {
		t.Fatalf("%s\nwant\n%s", text, want)
	}
	made, err := z.f.SpawnJSON(text)
	must(t, err)
	if again, err := z.f.JSON(made); err != nil || string(again) != want {
		t.Errorf("read back: %s, %v", again, err)
	}
	must(t, z.f.SetJSON(z.mate, []byte(`{"Burning":{},"my script":{"hp":1}}`)))
	if b, _ := z.burning.Get(z.mate); b.Left != 7 {
		t.Errorf("a new component has %v and not its default", b)
	}
	if text, err = z.f.JSON(z.mate); err != nil || string(text) != `{"Burning":{"left":7},"Frozen":{},"my script":{"hp":1,"max":9}}` {
		t.Errorf("%s, %v", text, err)
	}
	must(t, z.Check())
}

// TestWrongJSON is an error with its place, and changes nothing.
func TestWrongJSON(t *testing.T) {
	z := newZoo(t)
	dead := z.Spawn()
	must(t, z.Despawn(dead))
	before, err := z.f.JSON(z.e)
	must(t, err)
	for text, want := range map[string]struct {
		wraps error
		says  string
	}{
		``: {ecs.ErrConflict, "byte 0"}, `{`: {ecs.ErrConflict, "byte 1"}, `[]`: {ecs.ErrConflict, "an object"}, `{} {}`: {ecs.ErrConflict, "more than one"}, `{"All":{"i8":1,}}`: {ecs.ErrConflict, "byte"},
		`{"Al":{}}`: {ecs.ErrUnknown, `did you mean "All"?`}, `{"All":{"i9":1}}`: {ecs.ErrUnknown, "All"}, `{"All":3}`: {ecs.ErrConflict, "All is struct, and was given the number 3"},
		`{"All":{"i8":1,"i8":2}}`: {ecs.ErrConflict, `"i8" is given twice`}, `{"All":{"i8":300}}`: {ecs.ErrRange, "All.i8"}, `{"All":{"i8":1e999}}`: {ecs.ErrRange, "All.i8"},
		`{"All":{"i64":9007199254740993}}`: {ecs.ErrRange, "All.i64"}, `{"All":{"flag":"x"}}`: {ecs.ErrConflict, "All.flag"}, `{"All":{"mood":"x"}}`: {ecs.ErrUnknown, "All.mood"},
		`{"All":{"at":{"x":null}}}`: {ecs.ErrConflict, "All.at.x"}, `{"All":{"cells":[1,2]}}`: {ecs.ErrRange, "All.cells"}, `{"Burning":{"left":1},"All":{"cells":[1,2,"c"]}}`: {ecs.ErrConflict, "All.cells[2]"},
		fmt.Sprintf(`{"All":{"target":%d}}`, uint64(dead)): {ecs.ErrDead, "All.target"}, `{"Label":{"tags":{}}}`: {ecs.ErrConflict, "Label.tags"}, `{"ChildOf":{}}`: {ecs.ErrUnknown, "ChildOf"},
		`{"All":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`: {ecs.ErrConflict, "within each other"},
	} {
		n := z.Len()
		for _, err := range []error{z.f.SetJSON(z.e, []byte(text)), second(z.f.SpawnJSON([]byte(text)))} {
			if !errors.Is(err, want.wraps) || !strings.Contains(err.Error(), want.says) {
				t.Errorf("%.60s: %v, want %v: %q", text, err, want.wraps, want.says)
			}
		}
		if after, err := z.f.JSON(z.e); err != nil || !bytes.Equal(before, after) || z.Len() != n {
			t.Fatalf("%.60s: a refusal has changed %s to %s, %v", text, before, after, err)
		}
	}
	must(t, z.Check())
}

// FuzzJSON: whatever is read is whole, and reads back as the same.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"All":{"i8":1,"cells":[1,2,3],"at":{"x":1.5}},"Label":{"text":"\u0000"}}`))
	z := newZoo(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := z.f.SpawnJSON(text)
		if err != nil {
			return
		}
		defer z.Despawn(e)
		first, err := z.f.JSON(e)
		must(t, err)
		again, err := z.f.SpawnJSON(first)
		if err != nil {
			t.Fatalf("%s cannot be read: %v", first, err)
		}
		defer z.Despawn(again)
		if second, err := z.f.JSON(again); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s reads back as %s, %v", first, second, err)
		}
		must(t, z.Check())
	})
}

// TestNumbersThatNoFieldHolds are refused alike by Set, by SetJSON and where they are read.
func TestNumbersThatNoFieldHolds(t *testing.T) {
	z := newZoo(t)
	for field, numbers := range map[string][]string{
		"f32": {"1e300", "-1e39", "3.5e38"}, "at.x": {"1e39"}, "mood": {"3", "255", "256", "-1", "1.5", "1e300"}, "i8": {"128", "0.5"},
	} {
		for _, n := range numbers {
			v, _ := json.Number(n).Float64()
			outer, inner, nested := strings.Cut(field, ".")
			text := fmt.Sprintf(`{"All": {%q: %s}}`, outer, n)
			if nested {
				text = fmt.Sprintf(`{"All": {%q: {%q: %s}}}`, outer, inner, n)
			}
			before := *z.all.Peek(z.e)
			for how, err := range map[string]error{"Set": z.f.Set(z.e, z.all, field, v), "SetJSON": z.f.SetJSON(z.e, []byte(text))} {
				if !errors.Is(err, ecs.ErrRange) || !strings.Contains(err.Error(), field) {
					t.Errorf("%s of %s to %s: %v", how, field, n, err)
				}
			}
			if *z.all.Peek(z.e) != before {
				t.Errorf("%s to %s has changed something", field, n)
			}
		}
	}
	for _, v := range []float64{math.Inf(1), math.MaxFloat32, 1e-300, 0.1} {
		must(t, z.f.Set(z.e, z.all, "f32", v))
	}
	must(t, z.f.SetJSON(z.e, []byte(`{"All": {"mood": 2}}`)))
	z.all.Edit(z.e).Mood = 7 // what only Go can do
	if v, err := z.f.Get(z.e, z.all, "mood"); !errors.Is(err, ecs.ErrRange) {
		t.Errorf("an enum that is none of its values is read as %v, %v", v, err)
	}
	if text, err := z.f.JSON(z.e); !errors.Is(err, ecs.ErrRange) || !strings.Contains(err.Error(), "mood has 3 values, and none of number 7") {
		t.Errorf("its JSON is %s, %v", text, err)
	}
}
