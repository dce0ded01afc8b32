package bindings

import (
	"fmt"
	"reflect"

	lua "github.com/yuin/gopher-lua"
	luar "layeh.com/gopher-luar" // reflection over host values is its whole purpose; components never go through it
)

// HostValue converts a Go value that the host exposes. Functions become
// functions; structs and pointers to structs become objects whose exported
// fields and methods scripts may use. What lets a script reach around that in
// gopher-luar, such as replacing the whole value behind a pointer, is removed.
func HostValue(L *lua.LState, value any) (v lua.LValue, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a %T cannot be exposed to scripts: %v", value, r)
		}
	}()
	if !exposable(reflect.TypeOf(value)) {
		return nil, fmt.Errorf("a %T cannot be exposed to scripts", value)
	}
	if isNil(reflect.ValueOf(value)) {
		return nil, fmt.Errorf("a %T that is nil cannot be exposed to scripts", value)
	}
	v = luar.New(L, value)
	if ud, ok := v.(*lua.LUserData); ok {
		if meta, ok := ud.Metatable.(*lua.LTable); ok {
			for _, name := range []string{"__pow", "__unm", "__call", "__add", "__len"} {
				meta.RawSetString(name, lua.LNil)
			}
		}
	}
	return v, nil
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

func exposable(t reflect.Type) bool {
	if t == nil {
		return false
	}
	switch t.Kind() {
	case reflect.Chan, reflect.UnsafePointer, reflect.Uintptr, reflect.Complex64, reflect.Complex128:
		return false
	}
	return true
}
