package value

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// EntityType is the Go type of handles.
var EntityType = reflect.TypeFor[ecs.Entity]()

// ToEntity turns a number into a handle, or says why it cannot be one.
func ToEntity(n float64) (ecs.Entity, string) {
	switch {
	case n != n:
		return 0, "NaN is not an entity"
	case n < 0:
		return 0, fmt.Sprintf("the negative number %v is not an entity", n)
	case n != math.Trunc(n):
		return 0, fmt.Sprintf("the fractional number %v is not an entity", n)
	case n >= 1<<52:
		return 0, fmt.Sprintf("the number %v is too large for an entity", n)
	}
	return ecs.Entity(n), ""
}

// Load reads a field of the struct at p as a Lua value: numbers, booleans,
// strings for enums and Go strings, tables for arrays and nested structs.
func Load(L *lua.LState, f *ecs.Field, p unsafe.Pointer) lua.LValue {
	p = unsafe.Add(p, f.Offset)
	if f.Len == 0 {
		return LoadOne(L, f, p)
	}
	if f.Len > SmallArray {
		Charge(L, f.Len*StepsPerItem)
	}
	t := L.CreateTable(f.Len, 0)
	for i := range f.Len {
		t.RawSetInt(i+1, LoadOne(L, f, unsafe.Add(p, uintptr(i)*f.Stride)))
	}
	return t
}

// LoadOne is Load for one element of an array, which is at p, or for a field that is not an
// array.
func LoadOne(L *lua.LState, f *ecs.Field, p unsafe.Pointer) lua.LValue {
	switch f.Kind {
	case ecs.Bool:
		return lua.LBool(*(*bool)(p))
	case ecs.Enum:
		if i := int(*(*uint8)(p)); i < len(f.Names) {
			return Word(f, i)
		}
		return lua.LNumber(*(*uint8)(p))
	case ecs.String:
		return lua.LString(*(*string)(p))
	case ecs.Struct:
		t := L.CreateTable(0, len(f.Fields))
		for i := range f.Fields {
			t.RawSetString(f.Fields[i].Name, Load(L, &f.Fields[i], p))
		}
		return t
	case ecs.Opaque:
		return lua.LNil
	}
	return lua.LNumber(f.Kind.Load(p))
}

// Word returns a name of an enum as a Lua text. An interface that holds one is a type
// word and a pointer to a string; the names of a field never change.
func Word(f *ecs.Field, i int) lua.LValue {
	v := lua.LValue(lua.LString(""))
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(&f.Names[i])
	return v
}
