// Package kernel compiles each functions of Lua systems into WebAssembly that
// works in place on the world's memory.
//
// There are five nouns.
//
//   - [ScriptFacts] are what the text of one file says about its each functions. They
//     live as long as the loaded file.
//   - A [Lowered] is one function of which the values of scripts are read, and nothing else is done.
//   - A [Translation] is one function as a module: its bytes, and its texts. It needs no
//     engine and no world.
//   - An [Engine] runs the kernels of one world, in that world's memory.
//   - A [Kernel] is a translation in an engine, ready to run over views of rows until Close. It
//     is the [rows.Kernel] that bindings run, and nothing lies between the two.
//
// # The packages
//
// Each imports only packages on its left:
//
//	ir ← lower ← passes ← vector ← wasm ← engine ← kernel
//
// [ir] is the intermediate form, with a text that can be read and written. lower
// makes it from the syntax tree, or says which line has no translation; passes
// improve it; vector finds what can be done for several rows or fields at once; wasm
// writes it as a module; engine compiles and calls that module.
//
// # The words
//
// The words of the glossaries in packages ecs and scripting hold here, too. The packages of
// the compiler have these besides.
//
//   - A kernel is the function that works on rows, in any form: [ir.Func], Translation,
//     module, Kernel. The function of the script that it was made from is the each
//     function. It need not be a system's: a script may give it to ecs.kernel.
//   - A module is a kernel as WebAssembly, and no module of Lua.
//   - A pass rewrites a kernel and leaves it a kernel that computes the same.
//   - Rows are numbered from 0 within a view. Lanes are values of rows, or of fields, in one
//     vector.
//   - A run is that of the system, as in package ecs. Within it a kernel is called for each
//     view, once or more often. What lies side by side in memory is adjacent; a span is
//     what the index of a loop lies between.
//   - A mark is the byte that an entity has while kernels run that both change entities
//     and look at them, see lower, marks.go.
//   - A note is a change of the world that a row asks for. The world makes it after the call.
//   - A [CompilerError] is a mistake of the compiler itself. What a script does that has no
//     translation is a [Refusal]; a branch that is left to the VM is a [Fallback].
//
// # Zeros
//
// Arithmetic of scripts never gives -0, on the VM or in a kernel, so that no result depends on
// which of the two ran. lower puts an [ir.Zero] around each operation that could give one, and
// package passes takes out those that nobody can see (zeros, follow).
//
// # Where code lives
//
//	functions translated; kernels made, ready               kernel
//	translations that hosts share                           translations
//	a run over views; lists copied into scratch memory      run
//	the engine; calls of the host; where scratch memory is  functions
//	mistakes of the compiler                                compiler_error
//
// # How it is judged
//
// Each package has a judge of its own beside it. lower and wasm have files of expected
// output for each rule. passes and wasm run kernels that are drawn at random, and
// compare them with an evaluator that only follows the tree; it is in package
// kerneltest, with what else the tests of several packages share.
//
// # A call, step by step
//
//  1. The system asks whether the kernel is Ready: captured variables are read, lists
//     are copied into scratch memory, and what the text names is what it was.
//  2. For each view it calls Run with a [rows.KernelCall]: the view, the row to begin with, fuel,
//     and the state of the random numbers. The limits of the call are the caller's: it gives
//     one portion of fuel at a time, counts what was used, and calls again until the rows
//     are done or one is the VM's. A kernel without loops
//     needs no fuel, and all rows of its view are done in one call.
//  3. Run puts these on the stack of an invoker of the engine, as [wasm.StackLayout] says, and
//     calls the module's one function. That is the only call into the module.
//  4. The instructions work on the columns in place, find other entities in the same
//     memory, and note changes in scratch memory. Only Lua's mathematics, components in
//     pools and parents are calls back into Go: see [World].
//  5. Run reads the results: the row at which the kernel stopped, the fuel that is
//     left, and variables. World.End makes the changes that were noted.
//  6. A row at which the kernel stopped is as it was. The caller has the VM run it, and
//     goes on after it. Done writes captured variables back.
//
// # Equal to the VM
//
// A kernel leaves the same bytes as the function that it was made from, called
// row by row: numbers are float64 until they are stored, an f32 field rounds
// once then. An operation that may fail for a row stops the kernel before that row
// has changed anything. The caller has the VM run the row, and so the error, its line
// and its words are the VM's own. One bit is left open: a host may put a signalling
// not-a-number into an f32 field, which Lua cannot. It may become the quiet one of the
// same contents on either path, in fields that the text assigns.
//
// Where a system asks for precision = "f32", float32 takes the place of float64 for
// what is computed with f32 fields, and "equal" holds among kernels, however rows
// go together; see passes for the rule.
//
// A value outside of the function is part of the kernel only where it cannot
// change. All others are looked at when a system runs: numbers are inputs. If a
// function or a component has been replaced, the kernel does not run that time, and
// bindings/internal/exec has another one made, in kernel_renewal.go. So it does if a list has
// another length, which is part of the kernel at first, and an input of the ones after that:
// Growing of [Signature] says so; where another kernel would take long, lists have all the room that
// there is, see Ample. Only the first part of a translation, [Lowered], reads values of
// scripts; where a kernel is large, the rest is done beside the ticks.
//
// Other entities are found by their handles in the same memory, by the tables
// that ecs.MemoryMap describes. Changes are noted in its scratch, and the host
// makes them, in order, when the kernel has stopped: the changes of a row at which it
// stops are not among them. A kernel that finds no room for another note stops,
// too, and goes on at that row when the host has made room.
//
// A row sees what rows before it have done, and the notes are not made yet. So a kernel
// that looks at what it changes marks the entities in the same memory, and stops at a
// row that looks at a marked one, or is one: see lower, marks.go.
//
// # Time
//
// The scheduler of Go cannot interrupt a kernel, and a collection waits for it.
// So a call is one view at most, whose length is bounded (see bindings/internal/view), and
// every loop that could be long takes fuel, as much as the VM would take instructions,
// from the same budget. bindings/internal/exec hands it out, in kernel.go.
package kernel
