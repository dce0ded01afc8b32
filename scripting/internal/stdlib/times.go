package stdlib

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// times is what a script may know of time: the simulation's.
func (lib *Library) times() []entry {
	return []entry{
		{"clock", func(a args) int { return a.results(lua.LNumber(lib.opts.Clock())) }},
		{"time", func(a args) int {
			if a.Get(1) != lua.LNil {
				a.fail(1, "only the time of the simulation is known")
			}
			return a.results(lua.LNumber(math.Floor(lib.opts.Clock())))
		}},
	}
}
