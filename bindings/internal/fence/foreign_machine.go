//go:build machine

package fence

import (
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// noState is the reason why nothing is made of values of gopher-lua.
const noState = "it needs a state of gopher-lua, and scripts run on a machine of their own"

// foreign calls a function that gets its arguments from a state of gopher-lua.
func (f *Fence) foreign(reflect.Value) lua.LGFunction { panic(noState) }

// outForeign is out for a value of gopher-lua's.
func (f *Fence) outForeign(v lua.LValue) lua.LValue {
	switch v.(type) {
	case lua.LNumber, lua.LString, lua.LBool, *lua.LNilType, *lua.LTable, *lua.LFunction, *lua.LUserData:
		return v
	}
	panic(noState)
}

// inForeign is in for a type of gopher-lua's.
func (f *Fence) inForeign(_ *lua.LState, v lua.LValue, t reflect.Type) reflect.Value {
	if of := reflect.ValueOf(v); of.Type().AssignableTo(t) {
		return of
	}
	panic(noState)
}
