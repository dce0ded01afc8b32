//go:build !machine

package stdlib

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// times lists the functions of the table os. Both return the time of the simulation: the
// real time would make each run different, and would tell a script about the machine.
func (lib *Library) times() []unbound {
	return []unbound{
		{"clock", func(a args) int { return a.results(lua.LNumber(lib.opts.Clock())) }},
		{"time", func(a args) int {
			if a.Get(1) != lua.LNil {
				a.fail(1, "only the time of the simulation is known")
			}
			return a.results(lua.LNumber(math.Floor(lib.opts.Clock())))
		}},
	}
}
