package bindings

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// load reads a field of the struct at p as a Lua value: numbers, booleans,
// strings for enums and Go strings, tables for arrays and nested structs.
func load(L *lua.LState, f *ecs.Field, p unsafe.Pointer) lua.LValue {
	p = unsafe.Add(p, f.Offset)
	if f.Len == 0 {
		return loadOne(L, f, p)
	}
	if f.Len > smallArray {
		charge(L, f.Len*stepsPerItem)
	}
	t := L.CreateTable(f.Len, 0)
	for i := range f.Len {
		t.RawSetInt(i+1, loadOne(L, f, unsafe.Add(p, uintptr(i)*f.Stride)))
	}
	return t
}

func loadOne(L *lua.LState, f *ecs.Field, p unsafe.Pointer) lua.LValue {
	switch f.Kind {
	case ecs.Bool:
		return lua.LBool(*(*bool)(p))
	case ecs.Enum:
		if i := int(*(*uint8)(p)); i < len(f.Names) {
			return word(f, i)
		}
		return lua.LNumber(*(*uint8)(p))
	case ecs.String:
		return lua.LString(*(*string)(p))
	case ecs.Struct:
		t := L.CreateTable(0, len(f.Fields))
		for i := range f.Fields {
			t.RawSetString(f.Fields[i].Name, load(L, &f.Fields[i], p))
		}
		return t
	case ecs.Opaque:
		return lua.LNil
	}
	return lua.LNumber(f.Kind.Load(p))
}

// cannotHold says why a field cannot hold a value, or nothing. It is the one
// judge: store must not be called with a value that it refuses.
func cannotHold(L *lua.LState, f *ecs.Field, v lua.LValue) string {
	if f.Len == 0 {
		return cannotHoldOne(L, f, v)
	}
	t, ok := tableOf(v)
	if !ok {
		return fmt.Sprintf("expected a table of %d, got %s", f.Len, describe(v))
	}
	return cannotHoldList(L, f, t)
}

func cannotHoldOne(L *lua.LState, f *ecs.Field, v lua.LValue) string {
	switch f.Kind {
	case ecs.Bool:
		return expectType(v, lua.LTBool, "true or false")
	case ecs.String:
		return expectType(v, lua.LTString, "a string")
	case ecs.Enum:
		if s, ok := v.(lua.LString); ok && slices.Contains(f.Names, string(s)) {
			return ""
		}
		if s, ok := v.(lua.LString); ok {
			return diag.Format("unknown value %q%s", string(s), meant(L, string(s), f.Names))
		}
		return fmt.Sprintf("expected one of %q, got %s", f.Names, describe(v))
	case ecs.Ref:
		return cannotRefer(v)
	case ecs.Struct:
		return cannotNest(L, f, v)
	case ecs.Opaque:
		return "the field cannot be set from a script"
	}
	n, ok := v.(lua.LNumber)
	if !ok {
		return "expected a number, got " + describe(v)
	}
	if err := f.Kind.Fit(float64(n)); err != nil {
		return err.Error()
	}
	return ""
}

func expectType(v lua.LValue, t lua.LValueType, what string) string {
	if v.Type() == t {
		return ""
	}
	return "expected " + what + ", got " + describe(v)
}

func cannotRefer(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LNilType:
		return ""
	case lua.LNumber:
		_, why := toEntity(float64(v))
		return why
	}
	return "expected an entity, got " + describe(v)
}

func cannotNest(L *lua.LState, f *ecs.Field, v lua.LValue) string {
	t, ok := tableOf(v)
	if !ok {
		return "expected a table, got " + describe(v)
	}
	nested := ecs.Schema{Fields: f.Fields}
	why := ""
	pairs(t, func(k, v lua.LValue) {
		inner := nested.Field(k.String())
		if inner == nil {
			why = diag.Format("unknown field %q%s", k.String(), meant(L, k.String(), fieldNames(&nested)))
		} else if w := cannotHold(L, inner, v); w != "" {
			why = fmt.Sprintf("field %q: %s", inner.Name, w)
		}
	})
	return why
}

// store writes a Lua value that cannotHold has accepted into the field of the
// struct at p. Nested fields that the value leaves out stay, elements become 0.
func store(f *ecs.Field, p unsafe.Pointer, v lua.LValue) {
	p = unsafe.Add(p, f.Offset)
	if f.Len == 0 {
		storeOne(f, p, v)
		return
	}
	t, _ := tableOf(v)
	for i := range f.Len {
		at := unsafe.Add(p, uintptr(i)*f.Stride)
		if v := t.RawGetInt(i + 1); v != lua.LNil {
			storeOne(f, at, v)
		} else {
			empty(f, at)
		}
	}
}

func storeOne(f *ecs.Field, p unsafe.Pointer, v lua.LValue) {
	switch v := v.(type) {
	case lua.LNumber:
		f.Kind.Store(p, float64(v))
	case lua.LBool:
		*(*bool)(p) = bool(v)
	case lua.LString:
		if f.Kind == ecs.String {
			*(*string)(p) = string(v)
		} else {
			*(*uint8)(p) = uint8(slices.Index(f.Names, string(v)))
		}
	case *lua.LNilType:
		*(*ecs.Entity)(p) = 0 // only entity fields accept nil
	case *lua.LTable:
		v = Unwrap(v)
		for i := range f.Fields {
			if inner := v.RawGetString(f.Fields[i].Name); inner != lua.LNil {
				store(&f.Fields[i], p, inner)
			}
		}
	}
}

// pointerTo returns the address of a buffer.
func pointerTo(data []uint64) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(data)) }

// bytesAt views n bytes of pointer-free memory.
func bytesAt(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }

// newGo returns a new value of a host's type, with the schema's default.
func newGo(t reflect.Type, s *ecs.Schema) unsafe.Pointer {
	p := reflect.New(t).UnsafePointer()
	copy(bytesAt(p, s.Size), s.Default)
	return p
}
