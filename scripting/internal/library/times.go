package library

import (
	"math"

	"github.com/perigee-ecs/perigee/bindings/machine"
)

// times lists the functions of the table os. Both return the time of the simulation: the
// real time would make each run different, and would tell a script about the machine.
func (lib *Library) times() []builtin {
	return []builtin{
		native("clock", func(c *machine.Call) { c.Push(machine.Number(lib.opts.Clock())) }),
		native("time", func(c *machine.Call) {
			if !c.Arg(1).IsNil() {
				args{c}.fail(1, "only the time of the simulation is known")
			}
			c.Push(machine.Number(math.Floor(lib.opts.Clock())))
		}),
	}
}
