package schema

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// handle stands for the type of entities.
type handle uint64

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
	Target  handle
	Gait    gait `ecs:",enum=idle|walk|run"`
	MaxHP   int  `ecs:"limit"`
	Feet    [2]foot
	Path    [3]float32
	Friends [4]handle
	Matrix  [2][2]float64
	None    [0]float64
	Phase   complex64
	Hidden  int8 `ecs:"-"`
	_       int64
}

// TestOfEveryKind reads one struct and compares with what is written here
// by hand: name, kind, elements, bytes between them.
func TestOfEveryKind(t *testing.T) {
	var v everything
	word := I64 // of an int
	if unsafe.Sizeof(v.MaxHP) == 4 {
		word = I32
	}
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
		{"limit", word, 0, unsafe.Sizeof(v.MaxHP), unsafe.Offsetof(v.MaxHP)},
		{"feet", Struct, 2, 8, unsafe.Offsetof(v.Feet)},
		{"path", F32, 3, 4, unsafe.Offsetof(v.Path)},
		{"friends", Ref, 4, 8, unsafe.Offsetof(v.Friends)},
		{"matrix", Opaque, 0, 32, unsafe.Offsetof(v.Matrix)},
		{"none", Opaque, 0, 0, unsafe.Offsetof(v.None)},
		{"phase", Opaque, 0, 8, unsafe.Offsetof(v.Phase)},
	}
	s := Of("everything", reflect.TypeOf(v), reflect.TypeFor[handle]())
	if s.Name != "everything" || s.Size != unsafe.Sizeof(v) || s.Align != unsafe.Alignof(v) || len(s.Fields) != len(want) {
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

// TestOfOneValue: a type that is no struct has a single field.
func TestOfOneValue(t *testing.T) {
	for _, c := range []struct {
		of   any
		kind Kind
		n    int
	}{
		{float32(0), F32, 0}, {uint16(0), U16, 0}, {handle(0), Ref, 0}, {[3]int8{}, I8, 3}, {"", String, 0}, {map[int]int{}, Opaque, 0},
	} {
		s := Of("one", reflect.TypeOf(c.of), reflect.TypeFor[handle]())
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
		U64: reflect.TypeFor[uint64](), F32: reflect.TypeFor[float32](), F64: reflect.TypeFor[float64](), Ref: reflect.TypeFor[handle](),
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
		if want := Of("random", typ, reflect.TypeFor[handle]()); !reflect.DeepEqual(&s, want) {
			t.Fatalf("layout of %v:\n%+v, Go has\n%+v", typ, s, *want)
		}
	})
}

// TestCheckValues: bools and enums are what they can be, in lists and in structs, too; other fields are not looked at.
func TestCheckValues(t *testing.T) {
	inner := Field{Name: "in", Kind: Struct, Len: 2, Fields: []Field{{Name: "b", Kind: Bool}, {Name: "n", Kind: U8}}}
	s := Schema{Name: "S", Fields: []Field{{Name: "e", Kind: Enum, Len: 2, Names: []string{"one", "two"}}, inner, {Name: "at", Kind: U8}}}
	if err := s.Layout(); err != nil {
		t.Fatal(err)
	}
	good := []byte{1, 1, 1, 255, 1, 255, 255} // e, e, b, n, b, n, at
	apart := len(good) + 1
	for i := range 2 * apart {
		values := append(append(append([]byte{}, good...), 255), good...)
		if i%apart == len(good) || i >= len(values) {
			continue
		}
		values[i] = 2
		if err := s.CheckValues(values, apart); (err != nil) != slices.Contains([]int{0, 1, 2, 4}, i%apart) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}
