package bindings

import lua "github.com/yuin/gopher-lua"

// charge counts work that the Lua machine does not see, in steps of about an
// instruction each, where the running call is metered. It raises an error in L
// when there was too much.
func charge(L *lua.LState, steps int) {
	if meter, ok := L.Context().(interface{ Charge(*lua.LState, int) }); ok {
		meter.Charge(L, steps)
	}
}
