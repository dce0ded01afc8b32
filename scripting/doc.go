// Package scripting is the front door of Perigee for a Go program: a Host loads
// a folder of Lua scripts, runs their systems in a world's schedule beside the
// Go ones, and swaps them for new versions while the world runs.
//
//	w := ecs.NewWorld()
//	host, err := scripting.New(w, scripting.Options{})
//	err = host.Load(os.DirFS("scripts"))
//	for { err = host.Step(1.0 / 60) }
//
// There are three nouns.
//
//   - A [Host] joins a world, one Lua state and a folder.
//   - A module is one file of the folder. It runs once, in an environment of its
//     own, and declares; others see only what it returns, through require.
//   - A [Reload] is the verdict over a set of changed files: taken as a whole
//     between two ticks, or refused as a whole while the old ones run on. What is
//     tried declares beside what is live. One thing is not undone when it is
//     refused: where its top level calls a function of a module that stays, and
//     that changes variables of its own.
//
// # What may fail
//
// Nothing that a script does ends the host. Faults come as [*Error]: from Load
// all at once, in a [*LoadError]; from running systems through Step and
// Options.OnError; one that says that a limit was reached is [ErrLimit], too, and
// names it. A system that fails leaves no trace of the tick in which it
// failed; after some failures in a row it is parked, and a reload of its file
// frees it. An each function that fails for an entity leaves no trace of that
// entity's turn, and only that entity is parked: see [bindings.ScriptError].
//
// # What runs where
//
// An each function that only computes is compiled and works in place on the
// world's memory; all else runs on the Lua machine, and leaves the same bytes
// where both are possible. [Host.Kernels] says which systems are compiled, and
// for the others which line stands in the way. What a script has given to
// ecs.kernel runs when another of its functions, or the host by [Host.RunKernel],
// calls it.
//
// # Lifetimes
//
// A Host belongs to the goroutine that owns the world; only Stage may be called
// from others. Close ends the Lua state; the world stays.
package scripting
