// Package bench measures systems that games have, each written in several ways,
// side by side in one process: from the plain loop in Go to the function for each
// entity in Lua.
//
// There are four nouns. A workload is a system, or two that belong together, with
// the entities that it works on. A contender is one way to write workloads. An
// competitor is a contender with the entities of one workload, ready to be ticked. A
// [Result] is what one entry took.
//
// # The workloads
//
// [Workloads] names them. Each has a file in Go with its entities and its loops,
// which plain slices and the chunks of a query share where there is nothing to
// follow but memory, and a folder of Lua, with a folder for each way in which it is
// written. The function for each entity is one text: "lua each" runs it on the VM,
// "lua kernel" compiles it, and is an error where that is not possible. In
// single precision there is the kernel alone: the VM computes in double
// precision, whatever the script declares.
//
// # What is measured
//
// The systems' own runs: the loop of "go slices" is timed by itself; all others
// are systems of a world, alone in its schedule, and their time is what the
// schedule reports for them, which is what a game sees in its statistics. It
// includes what the systems owe per run: their commands, their version stamps, and
// for Lua the way into the VM and back. What keeps a workload going is not part of
// it: entities that take the place of those that died, and readers of events.
//
// # Why the figures hold on a noisy machine
//
// Before anything is timed, all entries tick the same number of times and must
// agree on every bit of every number that entities hold, and on what they sent.
// Then they take turns: each round gives each entry one slot, with a garbage
// collection before it, and the minimum over the rounds counts. A disturbance that
// slows one slot slows that slot only; ratios are taken between minima.
//
// Entities start from a generator that any language can repeat. Results carry the
// sum of all numbers after so many ticks: a program that is no part of this one
// shows with it that it measures the same.
//
// # Where code lives
//
//	what a workload is, and what many share   workload
//	their entities and loops in Go            move, flock, lives, changes, states, nbody
//	contenders, also those in Lua             scripts
//	the tables of both, measuring, comparing  compare
//	figures that are kept for later           baseline
package bench
