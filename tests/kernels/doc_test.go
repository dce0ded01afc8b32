// Package kernels_test judges compiled each functions from outside, with programs
// that are written from the handbook: as designers write, and as an attacker
// would. It knows the public packages and nothing else of the project, and shares
// nothing with the generators beside the compiler. So a rule that both the
// compiler and those take for granted is asked for once more here.
//
// There are four nouns.
//
//   - A node is a piece of a program: a form with places for other nodes.
//   - A program is a tree of nodes, with the world that it begins in.
//   - A run is what a program did: after each tick the bytes of the world, its
//     events, errors, log lines, resources and random numbers.
//   - A difference is where the run with kernels and the run without part.
//
// A program that shows a difference is cut down, node by node, for as long as a
// difference is left, and only then printed.
package kernels_test
