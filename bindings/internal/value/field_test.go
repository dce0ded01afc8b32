package value

import (
	"math"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// TestUnchangedIsWhatLoadSays holds unchanged to its promise for every kind, at
// values that Lua cannot say exactly, too.
func TestUnchangedIsWhatLoadSays(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	nested := []ecs.Field{{Name: "a", Kind: ecs.F64}, {Name: "b", Kind: ecs.I64, Len: 2}}
	schema := ecs.Schema{Name: "S", Fields: []ecs.Field{
		{Name: "i64", Kind: ecs.I64}, {Name: "u64", Kind: ecs.U64}, {Name: "f32", Kind: ecs.F32}, {Name: "f64", Kind: ecs.F64},
		{Name: "flag", Kind: ecs.Bool}, {Name: "mode", Kind: ecs.Enum, Names: []string{"a", "b"}}, {Name: "odd", Kind: ecs.Enum, Names: []string{"a"}},
		{Name: "mate", Kind: ecs.Ref}, {Name: "list", Kind: ecs.U64, Len: 3}, {Name: "inner", Kind: ecs.Struct, Fields: nested},
	}}
	if err := schema.Layout(); err != nil {
		t.Fatal(err)
	}
	p := PointerTo(make([]uint64, schema.Size/8+1))
	at := func(name string) unsafe.Pointer { return unsafe.Add(p, schema.Field(name).Offset) }
	*(*int64)(at("i64")) = math.MinInt64 + 1
	*(*uint64)(at("u64")) = math.MaxUint64
	*(*float32)(at("f32")) = float32(math.Inf(1))
	*(*float64)(at("f64")) = math.Copysign(0, -1)
	*(*uint8)(at("odd")) = 200
	*(*uint64)(at("mate")) = 77
	*(*uint64)(at("list")) = 1<<60 + 1
	for i := range schema.Fields {
		f := &schema.Fields[i]
		if !unchanged(f, p, Load(L, f, p)) {
			t.Errorf("%s: what load says counts as a change", f.Name)
		}
		for _, other := range []lua.LValue{lua.LNumber(0), lua.LNumber(1), lua.LTrue, lua.LString("b"), L.NewFunction(nil)} {
			if unchanged(f, p, other) {
				t.Errorf("%s: %v counts as no change", f.Name, other)
			}
		}
	}
	inner := Load(L, schema.Field("inner"), p).(*lua.LTable)
	inner.RawSetString("typo", lua.LNumber(1))
	if unchanged(schema.Field("inner"), p, inner) {
		t.Error("an unknown name in a nested table goes unseen")
	}
}

// TestArraysAreReadAsTheyAre: the items of an array's table are its elements, and each that
// is changed, missing or too many makes a difference.
func TestArraysAreReadAsTheyAre(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	for kind := ecs.I8; kind <= ecs.Ref; kind++ {
		schema := ecs.Schema{Name: "S", Fields: []ecs.Field{{Name: "flag", Kind: ecs.Bool}, {Name: "list", Kind: kind, Len: 20}}}
		if err := schema.Layout(); err != nil {
			t.Fatal(err)
		}
		f, p := &schema.Fields[1], PointerTo(make([]uint64, schema.Size/8+1))
		for i := range f.Len {
			f.Kind.Store(unsafe.Add(p, f.Offset+uintptr(i)*f.Stride), float64(i+1))
		}
		for _, i := range []int{0, 1, 7, 20, 21} {
			list := Load(L, f, p).(*lua.LTable)
			if list.Len() != f.Len || list.RawGetInt(7) != lua.LNumber(7) || !unchanged(f, p, list) {
				t.Fatalf("%v: %d items, %v the seventh", kind, list.Len(), list.RawGetInt(7))
			}
			for _, other := range []lua.LValue{lua.LNumber(3.5), lua.LNumber(100), lua.LTrue, lua.LString("x"), lua.LNil} {
				if list.RawSetInt(i, other); unchanged(f, p, list) != (other == lua.LNil && (i < 1 || i > f.Len)) {
					t.Errorf("%v: %v at %d: no difference is seen, or one that is none", kind, other, i)
				}
			}
		}
	}
}

func TestToEntity(t *testing.T) {
	for _, n := range []float64{math.NaN(), -1, 0.5, math.Inf(1), math.Inf(-1), 1 << 52, 1e300, -0.5} {
		if e, why := ToEntity(n); why == "" || e != 0 {
			t.Errorf("%v is entity %v", n, e)
		}
	}
	for _, n := range []float64{0, 1, 1<<52 - 1} {
		if e, why := ToEntity(n); why != "" || float64(e) != n {
			t.Errorf("%v: %s", n, why)
		}
	}
}

// TestAnEnumOutOfRangeIsItsNumber: bytes that stand for no name, as Go or a snapshot may leave
// them, are read as the number, wherever they are read.
func TestAnEnumOutOfRangeIsItsNumber(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	schema := ecs.Schema{Name: "S", Fields: []ecs.Field{{Name: "mode", Kind: ecs.Enum, Names: []string{"a", "b"}}}}
	if err := schema.Layout(); err != nil {
		t.Fatal(err)
	}
	f, b := &schema.Fields[0], make([]uint64, 1)
	p := PointerTo(b)
	for n, want := range map[uint8]lua.LValue{0: lua.LString("a"), 1: lua.LString("b"), 2: lua.LNumber(2), 255: lua.LNumber(255)} {
		*(*uint8)(p) = n
		var c Copier
		if got := Load(L, f, p); got != want {
			t.Errorf("%d is loaded as %v", n, got)
		}
		for name, v := range map[string]lua.Value{"read": Read(L, f, p), "copied": c.Field(L, &schema, f, p)} {
			if got := lua.FromValue(v); got != want {
				t.Errorf("%d is %s as %v", n, name, got)
			}
		}
	}
}

// TestNotANumberIsUnchanged: a field that is not a number is not stored again because nothing
// is equal to it. Single precision, too, where the bits that a script has are others.
func TestNotANumberIsUnchanged(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	schema := ecs.Schema{Name: "S", Fields: []ecs.Field{{Name: "f32", Kind: ecs.F32}, {Name: "f64", Kind: ecs.F64}}}
	if err := schema.Layout(); err != nil {
		t.Fatal(err)
	}
	p := PointerTo(make([]uint64, schema.Size/8+1))
	*(*float32)(unsafe.Add(p, schema.Fields[0].Offset)) = float32(math.NaN())
	*(*float64)(unsafe.Add(p, schema.Fields[1].Offset)) = math.NaN()
	for i := range schema.Fields {
		f := &schema.Fields[i]
		for name, v := range map[string]lua.LValue{"what load says": Load(L, f, p), "the one of scripts": lua.LNumber(math.NaN())} {
			if !unchanged(f, p, v) {
				t.Errorf("%s: %s counts as a change", f.Name, name)
			}
		}
		if unchanged(f, p, lua.LNumber(0)) {
			t.Errorf("%s: 0 is taken for what is not a number", f.Name)
		}
	}
}
