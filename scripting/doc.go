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
//     between two ticks, or refused as a whole while the old ones run on. Host.Stage
//     rehearses the set first, beside the ticks and in a Lua state of its own; what
//     fails there never comes near what is live. A step has only to run the top
//     levels of what went well and to exchange the old for the new.
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
// world's memory; all else runs on the VM, and leaves the same bytes
// where both are possible. Functions over rows and batches that are not compiled are
// interpreted with their numbers in plain registers as far as they go, and by the
// interpreter from where they do not; nothing shows which of the two it was. [Host.Kernels] says which systems are compiled, and
// for the others which line stands in the way. What a script has given to
// ecs.kernel runs when another of its functions, or the host by [Host.RunKernel],
// calls it.
//
// # Lifetimes
//
// A Host belongs to the goroutine that owns the world; only Stage may be called
// from others. Which step takes a set over depends on when Stage is done: a program
// that must have the same run twice calls Stage on the goroutine of its steps.
// Close ends the Lua state; the world stays. A Stage that is under way then comes to
// its end for nothing.
package scripting
