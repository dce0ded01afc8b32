// Package bridge has code that was written for gopher-lua work with scripts of package
// machine: functions of the kind lua.LGFunction, tables, userdata, values of gopher-luar.
//
// A [Bridge] joins one machine with one state of gopher-lua, in which no script runs. Values
// without an identity are copied. Of those with one, each side has its own, and the bridge
// knows which belong together:
//
//   - Once a table is lent it has its content in the [lua.LTable] from then on, and the machine's
//     table asks that one ([machine.Foreign]). So both sides see each other's changes at
//     once, however long the host keeps it. What is in a table is lent with it.
//   - Tables of the runtime's own, which [Options].Reserved tells, keep their content: the
//     host gets a mirror of one, and what it changes there is written back when its call ends.
//   - For a function of one side the other has one that calls it. Errors pass through as
//     they are; what the bridge has passed on comes back as the same error.
//   - What gopher-lua has as userdata has its metatable there; for one of the machine's there
//     is a metatable that asks the machine.
//   - Coroutines are refused, on either way, and so is a yield across the bridge.
//
// Neither side keeps the other's values: the bridge holds them by weak pointers, and a value
// that comes again after one side has let go of it is made anew, of the same content.
//
// # Where code lives
//
//	the bridge, calls of the host's functions  bridge
//	values, on either way                      values
//	tables with their content in gopher-lua    tables
//	tables of the runtime's own                mirrors
//	functions of scripts, errors               functions
//	who belongs to whom                        links
package bridge
