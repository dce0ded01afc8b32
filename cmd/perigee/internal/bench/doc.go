// Package bench measures the system that stands for all of them, side by side
// in one process: integrate and bounce. Position and Velocity are two float64
// each; every tick moves each entity by its velocity and turns the velocity
// where the position lies outside of the box.
//
// There are three nouns. A contender is one way to write the system. An entry
// is a contender with its entities, ready to be ticked. A [Result] is what one
// entry took.
//
// # What is measured
//
// The system's own run: the loop of "go slices" is timed by itself; all others
// are systems of a world, alone in its schedule, and their time is what the
// schedule reports for them, which is what a game sees in its statistics. It
// includes what the system owes per run: its commands, its version stamps, and
// for Lua the way into the VM and back.
//
// # Why the figures hold on a noisy machine
//
// Before anything is timed, all entries tick the same number of times and must
// agree on every bit of every position. Then they take turns: each round gives
// each entry one slot, with a garbage collection before it, and the minimum
// over the rounds counts. A disturbance that slows one slot slows that slot
// only; ratios are taken between minima.
package bench
