// Package kernel compiles each functions of Lua systems into WebAssembly that
// works in place on the world's memory.
//
// There are three nouns.
//
//   - A [Script] is what the text of one file says about its each functions.
//   - A [Program] is one function translated: bytes, and texts of every stage.
//   - A [Kernel] is a program in an engine, ready to run over chunks.
//
// # The stages
//
// Each is a package, and imports only what is on its left:
//
//	ir ← lower ← passes ← vector ← wasm ← engine ← kernel
//
// [ir] is the form between them. lower makes it from the syntax tree, or says
// which line stands in the way; passes improve it; vector finds what can
// be done for several rows or fields at once; wasm writes it as a module;
// engine compiles and calls that.
//
// # Equal to the Lua machine
//
// A kernel leaves the same bytes as the function that it was made from, called
// row by row: numbers are float64 until they are stored, an f32 field rounds
// once then. What may fail for a row stops the kernel before that row has
// changed anything. The caller has Lua run the row, and so the error, its line
// and its words are Lua's own. One bit is left open: a signalling not-a-number
// that a host has put into an f32 field, which Lua cannot, may become the quiet
// one of the same contents on either path, in fields that the text assigns.
//
// Where a system asks for precision = "f32", float32 takes the place of float64 for
// what is computed with f32 fields, and "equal" holds among kernels, however rows
// go together; see passes for the rule.
//
// What is outside of the function is part of the kernel only where it cannot
// change. All else is looked at when a system runs: numbers are inputs, and for a
// function or a component that another has taken the place of, the kernel stands
// aside for that run.
//
// Other entities are found by their handles in the same memory, by the tables
// that ecs.MemoryMap describes. Changes are noted in its scratch, and the host
// makes them, in order, when the kernel has stopped: those of a row at which it
// stops are not among them. A kernel that finds no room for another note stops,
// too, and goes on at that row when the host has made room.
//
// A row sees what rows before it have done, which those notes are not. So a kernel that
// looks at what it changes marks the entities in the same memory, and stops at a row
// that looks at a marked one, or is one: see lower, marks.go.
//
// # Time
//
// The scheduler of Go cannot interrupt a kernel, and a collection waits for it.
// So a call is one chunk at most, and every loop that could be long takes fuel,
// as much as the Lua machine would take instructions, from the same budget.
package kernel
