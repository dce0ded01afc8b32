package bindings

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// An array field has its full length at all times. A list that is given for it says all
// of it: what the list lacks is 0, or false, or the first word, or nobody. (Only ecs.set
// sets no more than the elements that are there: see pieces.) So does an element of a
// row's array that is set to nil. An index outside of the array is an error, for whoever
// writes there means something else.

// elementKey marks the metatable of tables that stand for arrays of a row. Their
// elements are written one by one, so a nil among them is no gap in a list.
const elementKey = "\x00element"

// elements returns the metatable of the tables that stand for an array of a row: an
// index that is none raises an error where it is assigned. nil: the field is no array.
func (r *row) elements(f *ecs.Field) *lua.LTable {
	if f.Len == 0 {
		return nil
	}
	if i := slices.Index(r.arrays, f); i >= 0 {
		return r.bounds[i]
	}
	meta := r.m.main.CreateTable(0, 3)
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString(elementKey, lua.LTrue)
	meta.RawSetString("__newindex", r.m.main.NewFunction(func(L *lua.LState) int {
		t, key := L.CheckTable(1), L.Get(2)
		i, ok := elementAt(f, key)
		if !ok {
			L.RaiseError("field %q of %q: %s", f.Name, r.schema.Name, noElement(f, key))
		}
		t.RawSetInt(i, L.Get(3))
		return 0
	}))
	r.arrays, r.bounds = append(r.arrays, f), append(r.bounds, meta)
	return meta
}

// elementAt returns the index that a key is, if it is one of an array.
func elementAt(f *ecs.Field, key lua.LValue) (i int, ok bool) {
	n, ok := key.(lua.LNumber)
	if !ok || !(n >= 1 && n <= lua.LNumber(f.Len)) || n != lua.LNumber(math.Trunc(float64(n))) {
		return 0, false
	}
	return int(n), true
}

// noElement says that a key is no index of an array.
func noElement(f *ecs.Field, key lua.LValue) string {
	if n, ok := key.(lua.LNumber); ok {
		return diag.Format("index %s is outside of the array: it has 1 to %d", n.String(), f.Len)
	}
	return diag.Format("%s is no index of the array: it has 1 to %d", describe(key), f.Len)
}

// astray returns the first key of a table that is no index of an array, nil when there
// is none. O(1) for a table with all of the elements and nothing else.
func astray(f *ecs.Field, t *lua.LTable) lua.LValue {
	k := lua.LValue(lua.LNil)
	if t.RawGetInt(f.Len) != lua.LNil {
		k = lua.LNumber(f.Len) // what follows comes after the list
	}
	for k, _ = t.Next(k); k != lua.LNil; k, _ = t.Next(k) {
		if _, ok := elementAt(f, k); !ok {
			return k
		}
	}
	return nil
}

// cannotHoldList is cannotHold for an array.
func cannotHoldList(L *lua.LState, f *ecs.Field, t *lua.LTable) string {
	if n := t.Len(); n > f.Len {
		return fmt.Sprintf("the table has %d elements, the field has room for %d", n, f.Len)
	}
	if key := astray(f, t); key != nil {
		return noElement(f, key)
	}
	gaps := rawField(t, elementKey) != lua.LNil
	for i := 1; i <= t.Len(); i++ {
		v := t.RawGetInt(i)
		if v == lua.LNil && (gaps || f.Kind == ecs.Opaque) {
			continue
		}
		if why := cannotHoldOne(L, f, v); why != "" {
			return diag.Format("element %d: ", i) + why
		}
	}
	return ""
}

// rawField returns what the metatable of a table has under a name.
func rawField(t *lua.LTable, name string) lua.LValue {
	if meta, ok := t.Metatable.(*lua.LTable); ok {
		return meta.RawGetString(name)
	}
	return lua.LNil
}

// isEmpty reports whether a place of a kind holds what an element that a list lacks is.
func isEmpty(f *ecs.Field, p unsafe.Pointer) bool {
	switch f.Kind {
	case ecs.Opaque:
		return true
	case ecs.String:
		return *(*string)(p) == ""
	case ecs.Struct:
		return !slices.ContainsFunc(f.Fields, func(inner ecs.Field) bool {
			for i := range max(inner.Len, 1) {
				if !isEmpty(&inner, unsafe.Add(p, inner.Offset+uintptr(i)*inner.Stride)) {
					return true
				}
			}
			return false
		})
	}
	return !slices.ContainsFunc(bytesAt(p, f.Stride), func(b byte) bool { return b != 0 })
}

// empty makes it so.
func empty(f *ecs.Field, p unsafe.Pointer) {
	switch f.Kind {
	case ecs.Opaque:
	case ecs.String:
		*(*string)(p) = ""
	case ecs.Struct:
		for k := range f.Fields {
			inner := &f.Fields[k]
			for i := range max(inner.Len, 1) {
				empty(inner, unsafe.Add(p, inner.Offset+uintptr(i)*inner.Stride))
			}
		}
	default:
		clear(bytesAt(p, f.Stride))
	}
}
