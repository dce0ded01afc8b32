package ecs

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

type gait uint8

type foot struct {
	Left  bool
	Force float32
}

// everything has a field of every kind and every way to name one.
type everything struct {
	On      bool
	A       int8
	B       int16
	C       int32
	D       int64
	E       uint8
	F       uint16
	G       uint32
	H       uint64
	X       float32
	Y       float64
	Target  Entity
	Gait    gait `ecs:",enum=idle|walk|run"`
	MaxHP   int  `ecs:"limit"`
	Feet    [2]foot
	Path    [3]float32
	Friends [4]Entity
	Matrix  [2][2]float64
	None    [0]float64
	Phase   complex64
	Hidden  int8 `ecs:"-"`
	_       int64
}

// TestSchemaOfEveryKind reads one struct and compares with what is written here
// by hand: name, kind, elements, bytes between them.
func TestSchemaOfEveryKind(t *testing.T) {
	var v everything
	want := []struct {
		name   string
		kind   Kind
		n      int
		stride uintptr
		offset uintptr
	}{
		{"on", Bool, 0, 1, unsafe.Offsetof(v.On)},
		{"a", I8, 0, 1, unsafe.Offsetof(v.A)},
		{"b", I16, 0, 2, unsafe.Offsetof(v.B)},
		{"c", I32, 0, 4, unsafe.Offsetof(v.C)},
		{"d", I64, 0, 8, unsafe.Offsetof(v.D)},
		{"e", U8, 0, 1, unsafe.Offsetof(v.E)},
		{"f", U16, 0, 2, unsafe.Offsetof(v.F)},
		{"g", U32, 0, 4, unsafe.Offsetof(v.G)},
		{"h", U64, 0, 8, unsafe.Offsetof(v.H)},
		{"x", F32, 0, 4, unsafe.Offsetof(v.X)},
		{"y", F64, 0, 8, unsafe.Offsetof(v.Y)},
		{"target", Ref, 0, 8, unsafe.Offsetof(v.Target)},
		{"gait", Enum, 0, 1, unsafe.Offsetof(v.Gait)},
		{"limit", I64, 0, 8, unsafe.Offsetof(v.MaxHP)},
		{"feet", Struct, 2, 8, unsafe.Offsetof(v.Feet)},
		{"path", F32, 3, 4, unsafe.Offsetof(v.Path)},
		{"friends", Ref, 4, 8, unsafe.Offsetof(v.Friends)},
		{"matrix", Opaque, 0, 32, unsafe.Offsetof(v.Matrix)},
		{"none", Opaque, 0, 0, unsafe.Offsetof(v.None)},
		{"phase", Opaque, 0, 8, unsafe.Offsetof(v.Phase)},
	}
	s := SchemaOf(reflect.TypeOf(v))
	if s.Name != "everything" || s.Size != unsafe.Sizeof(v) || s.Align != 8 || len(s.Fields) != len(want) {
		t.Fatalf("schema %q: %d bytes, aligned to %d, %d fields", s.Name, s.Size, s.Align, len(s.Fields))
	}
	for i, w := range want {
		f := s.Fields[i]
		if f.Name != w.name || f.Kind != w.kind || f.Len != w.n || f.Stride != w.stride || f.Offset != w.offset {
			t.Errorf("field %d is %+v, want %+v", i, f, w)
		}
	}
	if names := s.Field("gait").Names; !slices.Equal(names, []string{"idle", "walk", "run"}) {
		t.Errorf("the enum's names are %q", names)
	}
	if feet := s.Field("feet").Fields; len(feet) != 2 || feet[1].Name != "force" || feet[1].Offset != 4 {
		t.Errorf("the nested struct has the fields %+v", feet)
	}
	if s.Field("hidden") != nil || s.Field("private") != nil {
		t.Error("fields that are not for scripts are in the schema")
	}
}

// TestSchemaOfOneValue: a type that is no struct has a single field.
func TestSchemaOfOneValue(t *testing.T) {
	for _, c := range []struct {
		of   any
		kind Kind
		n    int
	}{
		{float32(0), F32, 0}, {uint16(0), U16, 0}, {Entity(0), Ref, 0}, {[3]int8{}, I8, 3}, {"", String, 0}, {map[int]int{}, Opaque, 0},
	} {
		s := schemaOf("one", reflect.TypeOf(c.of))
		if len(s.Fields) != 1 || s.Fields[0].Name != "value" || s.Fields[0].Kind != c.kind || s.Fields[0].Len != c.n {
			t.Errorf("%T has the fields %+v", c.of, s.Fields)
		}
	}
}

func TestSnakeCase(t *testing.T) {
	for in, want := range map[string]string{
		"X": "x", "HP": "hp", "MaxHP": "max_hp", "HPMax": "hp_max", "ID": "id", "EntityID": "entity_id",
		"X2Y": "x2_y", "Already_Snake": "already__snake", "Größe": "größe", "ÄrgerNis": "ärger_nis",
	} {
		if got := snake(in); got != want {
			t.Errorf("snake(%q) = %q, want %q", in, got, want)
		}
	}
}

// goTypes are the element types from which random structs are made.
func goTypes() map[Kind]reflect.Type {
	return map[Kind]reflect.Type{
		Bool: reflect.TypeFor[bool](), I8: reflect.TypeFor[int8](), I16: reflect.TypeFor[int16](), I32: reflect.TypeFor[int32](),
		I64: reflect.TypeFor[int64](), U8: reflect.TypeFor[uint8](), U16: reflect.TypeFor[uint16](), U32: reflect.TypeFor[uint32](),
		U64: reflect.TypeFor[uint64](), F32: reflect.TypeFor[float32](), F64: reflect.TypeFor[float64](), Ref: reflect.TypeFor[Entity](),
	}
}

// randomStruct draws a Go struct type and the schema that describes it.
func randomStruct(t *rapid.T, depth int) (reflect.Type, []Field) {
	types := goTypes()
	var goFields []reflect.StructField
	var fields []Field
	for i := range rapid.IntRange(1, 6).Draw(t, "fields") {
		f := Field{Name: fmt.Sprintf("f%d", i), Kind: Kind(rapid.IntRange(int(Bool), int(Ref)).Draw(t, "kind"))}
		typ := types[f.Kind]
		if depth < 3 && rapid.IntRange(0, 4).Draw(t, "nest") == 0 {
			f.Kind = Struct
			typ, f.Fields = randomStruct(t, depth+1)
		}
		if f.Len = rapid.IntRange(0, 3).Draw(t, "len"); f.Len > 0 {
			typ = reflect.ArrayOf(f.Len, typ)
		}
		goFields = append(goFields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: typ})
		fields = append(fields, f)
	}
	return reflect.StructOf(goFields), fields
}

// TestRunTimeLayoutIsGoLayout: a schema defined at run time lies in memory as Go
// lays out the struct of the same fields, so a Go type can adopt it later.
func TestRunTimeLayoutIsGoLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ, fields := randomStruct(t, 0)
		s := Schema{Name: "random", Fields: fields}
		if err := s.Layout(); err != nil {
			t.Fatal(err)
		}
		if want := schemaOf("random", typ); !reflect.DeepEqual(&s, want) {
			t.Fatalf("layout of %v:\n%+v, Go has\n%+v", typ, s, *want)
		}
	})
}

func TestDefineRefusesWhatCannotBe(t *testing.T) {
	deep := []Field{{Name: "x", Kind: F64}}
	for range 8 { // 4096⁸ elements: more than any integer can count
		deep = []Field{{Name: "x", Kind: Struct, Len: 4096, Fields: deep}}
	}
	for name, c := range map[string]struct {
		schema Schema
		want   error
	}{
		"no name":          {Schema{}, ErrConflict},
		"a nameless field": {Schema{Name: "a", Fields: []Field{{Kind: F32}}}, ErrConflict},
		"a field twice":    {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: F32}, {Name: "x", Kind: F32}}}, ErrConflict},
		"no kind":          {Schema{Name: "a", Fields: []Field{{Name: "x"}}}, ErrConflict},
		"a string":         {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: String}}}, ErrConflict},
		"a nested string":  {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: Struct, Fields: []Field{{Name: "y", Kind: String}}}}}, ErrConflict},
		"too many":         {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: F32, Len: 4097}}}, ErrRange},
		"less than none":   {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: F32, Len: -1}}}, ErrRange},
		"too large":        {Schema{Name: "a", Fields: deep}, ErrRange},
		"a short default":  {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: F32}}, Default: []byte{1}}, ErrConflict},
	} {
		w := NewWorld()
		before := w.ComponentCount()
		if _, err := w.Define(c.schema, false); !errors.Is(err, c.want) || w.ComponentCount() != before {
			t.Errorf("%s: %v, want %v; %d components more", name, err, c.want, w.ComponentCount()-before)
		}
		if _, err := w.DefineEvent(c.schema); !errors.Is(err, c.want) {
			t.Errorf("%s, as an event: %v, want %v", name, err, c.want)
		}
		w.Close()
	}
}

// TestDefineKeepsACopy: what the caller does to its slices afterwards is its own
// affair.
func TestDefineKeepsACopy(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	inner := []Field{{Name: "state", Kind: Enum, Names: []string{"idle", "busy"}}}
	fields := []Field{{Name: "inner", Kind: Struct, Fields: inner}}
	id, err := w.Define(Schema{Name: "A", Fields: fields, Default: []byte{1}}, false)
	must(t, err)
	fields[0].Name, inner[0].Name, inner[0].Names[0] = "changed", "changed", "changed"
	f := w.Schema(id).Field("inner")
	if f == nil || f.Fields[0].Name != "state" || f.Fields[0].Names[0] != "idle" {
		t.Errorf("the schema changed with the caller's slices: %+v", w.Schema(id))
	}
}

func TestDefinedTwice(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	a, err := w.Define(Schema{Name: "A", Fields: []Field{{Name: "x", Kind: F32}}}, false)
	must(t, err)
	if b, err := w.Define(Schema{Name: "A", Fields: []Field{{Name: "x", Kind: F32}}}, true); err != nil || a != b {
		t.Errorf("the same definition again gave %d, %v; want %d", b, err, a)
	}
	for _, other := range []Field{{Name: "y", Kind: F32}, {Name: "x", Kind: I32}, {Name: "x", Kind: F32, Len: 2}} {
		_, err := w.Define(Schema{Name: "A", Fields: []Field{other}}, false)
		if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), `"A"`) {
			t.Errorf("another definition, %+v, answered %v", other, err)
		}
	}
	if id, ok := w.ComponentNamed("A"); !ok || id != a {
		t.Errorf("the name leads to %d, %v", id, ok)
	}
	if _, ok := w.ComponentNamed("links"); ok {
		t.Error("the hierarchy's own component is for the taking")
	}
}
