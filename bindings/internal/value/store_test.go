package value

import (
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
	"pgregory.net/rapid"
)

// TestStoreIsSeenByDiffers stores values drawn at random over others: what Differs says
// before is whether Load says something else after, what it refuses is what CannotHold
// refuses, and what was stored differs no more.
func TestStoreIsSeenByDiffers(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	schema := ecs.Schema{Name: "S", Fields: []ecs.Field{
		{Name: "f64", Kind: ecs.F64}, {Name: "f32", Kind: ecs.F32}, {Name: "i8", Kind: ecs.I8}, {Name: "u64", Kind: ecs.U64},
		{Name: "flag", Kind: ecs.Bool}, {Name: "mode", Kind: ecs.Enum, Names: []string{"a", "b"}}, {Name: "mate", Kind: ecs.Ref},
		{Name: "list", Kind: ecs.I16, Len: 3},
		{Name: "inner", Kind: ecs.Struct, Fields: []ecs.Field{{Name: "a", Kind: ecs.F32}, {Name: "b", Kind: ecs.U8, Len: 2}}},
	}}
	if err := schema.Layout(); err != nil {
		t.Fatal(err)
	}
	number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, -1, 2, 0.5, 127, 128, 1 << 40}))
	one := func(rt *rapid.T) lua.LValue {
		switch rapid.IntRange(0, 7).Draw(rt, "kind") {
		case 0:
			return lua.LBool(rapid.Bool().Draw(rt, "bool"))
		case 1:
			return lua.LString(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "text"))
		case 2:
			return lua.LNil
		}
		return lua.LNumber(number.Draw(rt, "number"))
	}
	draw := func(rt *rapid.T, f *ecs.Field) lua.LValue {
		table := L.NewTable()
		switch {
		case f.Kind == ecs.Struct:
			if rapid.Bool().Draw(rt, "has a") {
				table.RawSetString("a", one(rt))
			}
			return table
		case f.Len > 0:
			for i := range rapid.IntRange(0, f.Len).Draw(rt, "length") {
				table.RawSetInt(i+1, one(rt))
			}
			return table
		}
		return one(rt)
	}
	said := func(f *ecs.Field, p unsafe.Pointer) string {
		return string(BytesAt(unsafe.Add(p, f.Offset), f.Stride*uintptr(max(f.Len, 1))))
	}
	stored, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := PointerTo(make([]uint64, schema.Size/8+1))
		for range 8 {
			f := &schema.Fields[rapid.IntRange(0, len(schema.Fields)-1).Draw(rt, "field")]
			v := draw(rt, f)
			before := said(f, p)
			differs, why := Differs(L, f, p, v)
			if said(f, p) != before {
				rt.Fatalf("%s: Differs has written", f.Name)
			}
			if cannot := CannotHold(L, f, v); why != cannot && (differs || cannot == "") {
				rt.Fatalf("%s: refused with %q, CannotHold says %q", f.Name, why, cannot)
			}
			if why != "" {
				refused++
				continue
			}
			if CannotHold(L, f, v) != "" {
				continue // and nothing changes: an odd word of an enum, for one
			}
			Store(f, p, v)
			if stored++; (said(f, p) != before) != differs {
				rt.Fatalf("%s: differs %v, from % x to % x", f.Name, differs, before, said(f, p))
			}
			if again, why := Differs(L, f, p, v); again || why != "" {
				rt.Fatalf("%s: what was stored differs: %v %s", f.Name, again, why)
			}
		}
	})
	if stored == 0 || refused == 0 {
		t.Errorf("%d values were stored, %d refused", stored, refused)
	}
}
