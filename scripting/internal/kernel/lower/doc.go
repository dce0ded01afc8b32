// Package lower turns the syntax tree of an each function into a kernel, or
// says which line stands in the way.
//
// There are four nouns.
//
//   - A [Script] is what one file's text says about its each functions: which
//     locals around them never change, and whether the text leaves the library
//     alone. It is made once, beside the tick.
//   - A [Signature] is what only a loaded script knows: the layout of the
//     query's components and the values of captured locals.
//   - A [Value] is one such value.
//   - A [Refusal] is the reason why there is no kernel.
//
// # What is translated
//
// Numbers and booleans. Every local has one type, known from the text, so an
// operation that would raise an error in Lua is a refusal here and no kernel
// ever raises one. What may go wrong for single rows, an integer field that gets
// a fraction or a loop without an end, makes the kernel stop at that row, and
// Lua itself has the last word.
//
// What Lua computes is computed in the same order, with the same operations, on
// the same float64 values. Where a value is a number or false, depending on the
// row, it is kept as a list of arms until an `or` gives it an end.
package lower
