// Package lower turns the syntax tree of an each function into a kernel, or
// says which token stands in the way.
//
// There are six nouns.
//
//   - [ScriptFacts] are what one file's text says about its functions: which locals
//     around them never change, and whether the text leaves the library alone. They
//     are found once, beside the tick.
//   - A [Signature] is what only a loaded script knows: the layout of the query's
//     components and what the function captures.
//   - [Resolved] is what a name outside of the function stands for: a number that
//     stays, a place that is read in each run, a thing to be named to the host.
//   - A [Function] is one that the each function calls.
//   - A [Refusal] is the reason why there is no kernel.
//   - A [Precedent] is what a function has come to in one host, for others whose values are the same.
//
// # What is translated
//
// Every local has one type, known from the text: a number, a boolean, the place
// of a name in an enum; and it may be nil for some rows. An operation that would
// raise an error in Lua for all rows is a refusal here. What may go wrong for
// single rows makes the kernel stop at that row: a nil in arithmetic, an index
// outside of an array, an integer field that gets a fraction, a loop without an
// end, a change that the world would refuse. Lua itself has the last word then, so
// no kernel ever raises an error, and a needless stop costs time and nothing else.
// So it has where a branch has no translation at all: then the kernel stops for rows
// that come to it.
//
// What Lua computes is computed in the same order, with the same operations, on
// the same float64 values. What cannot be an expression, because it reads or
// changes the world or must run only sometimes, becomes statements before the
// expression that needs its value; operands that stand to the left of it are kept
// in locals first. Where a value is a number or false, depending on the row, it is
// kept as a list of arms until an `or` gives it an end.
//
// Functions are put in the place of their calls. So a kernel has bounds for its size, and
// the kernels of a load share a [CompileBudget]: what the work comes to is known before it is
// done, and grows with the text, whatever functions call each other.
//
// # Where code lives
//
//	a kernel, from its signature             lower, signature
//	the texts of refusals                    signature
//	what the text says about its functions   script
//	names: locals, captured values, fields   names, tables, lists, strings
//	statements, branches, loops              stmt, loops, loop_cost
//	expressions                              expr, logic, literals, value
//	functions in place of their calls        calls, library
//	rows: fields read and stored             rows, stores
//	ecs.get and other entities               entity_access, marks
//	ecs.add and other changes                api
//	branches that are left to the VM         fallback
//	what fails for each row                  mistakes
//	the bounds of a kernel and of a load     size
//	what was lowered for another host        precedent
package lower
