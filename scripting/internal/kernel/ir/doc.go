// Package ir is the form of a kernel between Lua and WebAssembly: small, typed,
// structured as both of them are.
//
// There are four nouns.
//
//   - A [Func] is one kernel: the columns it walks, the fields it loads and
//     stores for every row, its locals and its body.
//   - A [Stmt] assigns a local, branches, or leaves a block.
//   - An [Expr] is a tree; its operands are evaluated in the order of Args, but for
//     the lazy ones.
//   - A [Local] is a variable of one type. Each field has one. Its [Span], if it has one, is
//     the least and the greatest whole number that it holds.
//
// A Func belongs to one translation. The passes change it in place, one after the
// other, until it is a module.
//
// # What a kernel does
//
// For each row: every field is loaded into its local; the body runs until it
// ends or leaves block 0, which is the row itself; then every field with Store
// is checked, if it needs that, and stored. A row in which a check fails, or for
// which the fuel does not last, is left exactly as it was, and the kernel stops
// there: the caller decides what becomes of it.
//
// # Invariants
//
// [Check] holds what every package after lower may rely on: a local has a value on every way to a
// place that reads it, operands have the types that the operation takes, a Leave
// is inside the block that it names. It runs after lower and after the last pass.
//
// The text of a kernel says all of it but what belongs to the host. Read of
// package kerneltest makes a kernel of the text, and Read(f.String()).String() is
// f.String() again.
//
// # Why trees and not single assignments in a list?
//
// WebAssembly is a tree on a stack, and wazero's compiler makes its own
// graph. What we gain over it is little: work that is the same for all rows
// goes out of the loop, and what is known is computed here. Both are easy on
// trees.
//
// # Where code lives
//
//	kernels, statements, expressions, types   ir, walk
//	locals, sets of them, their names         locals, localset
//	what a kernel calls the host for          host
//	what is true of every kernel              check
//	the text of a kernel, and its key         text, key
//	how much work a row is                    work
//	which operations are formulas             formula
package ir
