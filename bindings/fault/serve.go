package fault

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
)

// serve has what the machine itself raises come from a source.
func serve(L *lua.LState, s Source) { lua.VM(L).Source = machineSource{s} }

// machineSource is a source as the machine asks it.
type machineSource struct{ Source }

// Part implements machine.Source.
func (s machineSource) Part(fn *lua.FunctionProto, pc int, part machine.Part) diag.Place {
	return s.Source.Part(fn, pc, Part(part))
}

// seen returns the place that a script sees of an error.
func seen(L *lua.LState) diag.Place { return (*machine.Thread)(L).Seen() }

// InCall returns the place of a part of the call of the running function of Go. A key of a
// table that the caller has got as a parameter is where the table is written, in the call
// of the caller or further out. Where the text does not say it, the place is that of the call.
func InCall(L *lua.LState, part Part) diag.Place {
	return (*machine.Thread)(L).InCall(machine.Part(part))
}
