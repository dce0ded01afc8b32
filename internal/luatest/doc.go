// Package luatest writes random programs in Lua and compares what implementations of the
// language do with them.
//
// There are five nouns. A [Program] is the program of a seed. It ends soon, prints what it
// computes, and touches nothing whose result is left open: the order of pairs, addresses,
// time. A cell is a rule of the language at a place: an expression or a statement where it
// can stand, an operator between operands of two types, a mistake with a value that has a
// name. All cells are the matrix; each program is written to reach some of them, and prints
// their numbers, so a [Reach] knows what really was executed. A [Runner] is an
// implementation, and a [Comparison] runs programs in two of them. Where they differ,
// [Shrink] makes the program small.
//
// Not every implementation understands every program: PUC Lua 5.1 has no goto, and yields
// neither across pcall nor across metamethods, so these programs are compared with others.
//
// # Where code lives
//
//	the program of a seed, its prelude       program
//	texts of rules, random statements        rules
//	expressions and their places             expressions
//	statements and their contexts            statements
//	operators, mistakes                      operators
//	the matrix, what was reached             matrix
//	comparing, known differences             compare, normal
//	small programs                           shrink
package luatest
