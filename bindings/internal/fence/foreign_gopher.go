//go:build !machine

package fence

import (
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/lua"
	luar "layeh.com/gopher-luar" // reflection over host values is its whole purpose; components never go through it
)

// convert makes a Lua value of a Go value.
func convert(main *lua.LState, given any) lua.LValue { return luar.New(main, given) }

// bypass reports whether a Go function gets its arguments from the Lua state itself.
func bypass(sig reflect.Type) bool {
	n := sig.NumIn()
	return n > 0 && sig.In(n-1) == reflect.TypeFor[*luar.LState]()
}
