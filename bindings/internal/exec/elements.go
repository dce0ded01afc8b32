package exec

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// An array field has its full length at all times. A list that is given for it says all
// of it: what the list lacks is 0, or false, or the first word, or nobody. (Only ecs.set
// sets no more than the elements that are there: see pieces.) So does an element of a
// row's array that is set to nil. An index outside of the array is an error, for whoever
// writes there means something else.

// Elements returns the metatable of the tables that stand for an array of a row: an
// index outside of the array raises an error where it is assigned. nil: the field is no array.
func (r *Row) Elements(f *ecs.Field) *lua.LTable {
	if f.Len == 0 {
		return nil
	}
	if i := slices.Index(r.arrays, f); i >= 0 {
		return r.bounds[i]
	}
	meta := r.m.Main.CreateTable(0, 3)
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString(value.ElementKey, lua.LTrue)
	meta.RawSetString("__newindex", r.m.Main.NewFunction(func(L *lua.LState) int {
		t, key := L.CheckTable(1), L.Get(2)
		i, ok := value.ElementAt(f, key)
		if !ok {
			fault.Raisef(L, "field %q of %q: %s", f.Name, r.Schema.Name, value.NoElement(f, key))
		}
		t.RawSetInt(i, L.Get(3))
		return 0
	}))
	r.arrays, r.bounds = append(r.arrays, f), append(r.bounds, meta)
	return meta
}
