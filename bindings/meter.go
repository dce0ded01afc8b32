package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// called begins a call of one of our functions, and charges for that.
func (m *Module) called(L *lua.LState, name string) *args {
	value.Take(L, value.StepsPerCall)
	return &args{m, L, name}
}

// tested charges the archetypes and rows that a look at a query has tested since it had
// tested so many.
func (a *args) tested(r request, before uint64) {
	value.Charge(a.L, int(r.Tested()-before)*value.StepsPerTest)
}
