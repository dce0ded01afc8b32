//go:build machine

package fence

import (
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// convert makes a Lua value of a Go value.
func convert(main *lua.LState, given any) lua.LValue {
	switch v := given.(type) {
	case lua.LValue:
		return v
	case float64:
		return lua.LNumber(v)
	case int:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case func(*lua.LState) int:
		return main.NewFunction(v)
	}
	return lua.NewUserData(given, nil)
}

// bypass reports whether a Go function gets its arguments from the Lua state itself.
func bypass(reflect.Type) bool { return false }
