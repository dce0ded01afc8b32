package bindings

import (
	gocontext "context"

	lua "github.com/yuin/gopher-lua"
)

// attach has a context count what runs on a thread, as the host does it.
func (m *Module) attach(L *lua.LState, ctx gocontext.Context) {
	if m.opts.Attach == nil {
		L.SetContext(ctx)
		return
	}
	m.opts.Attach(L, ctx)
}

// charge counts work that the Lua machine does not see, in steps of about an
// instruction each, where the running call is metered. It raises an error in L
// when there was too much.
func charge(L *lua.LState, steps int) {
	if meter, ok := L.Context().(interface{ Charge(*lua.LState, int) }); ok {
		meter.Charge(L, steps)
	}
}
