// Package formula describes mathematical functions once, and writes each description as
// Go, as scalar WebAssembly and as vectors of two numbers. All three give the same bits
// on every machine.
//
// There are four nouns. A value is a number, an integer or a mask inside a description:
// Float, Int, Mask. A [Formula] is a function with a name: it takes numbers and makes
// results of them by operations that round once. A [Program] is the list of operations of
// one formula, or of several of the same arguments: what they have in common is there
// once, so that sin and cos of an angle share the reduction. [Code] is a program as
// instructions of WebAssembly.
//
// The order of operations is not that of the description: schedule.go puts those first which
// others wait for longest, and keeps few values alive at once.
//
// A description has no branches. It chooses by masks, and thus the same operations serve a
// number and a vector. What would need a branch is left out: a formula has a guard, a mask
// which says for which arguments its results hold. Where the guard is false the function of
// the same name in package ecs/detmath has the value, by a slower way; a formula without a
// guard is total. So a user of Code has this pattern:
//
//	results, guard = the code
//	if the guard is false: results = detmath's function of the arguments
//
// Why are results the same everywhere? IEEE 754 defines + - * / and the square root to the
// last bit, and the rest is arithmetic of integers. Two things could differ. A compiler of
// Go may make one instruction of a product and a sum, which rounds once where two would
// round twice; the Go of this package converts each product to float64, which forbids it.
// And a result that is not-a-number has a sign and a payload that depend on the machine, if
// an operation made it of numbers. No formula does that where its guard holds: a NaN comes
// only of a NaN among the arguments.
//
// # Where code lives
//
// A file knows those above it. The methods and constants are named where they are used.
//
//	operations, in Go and in WebAssembly       operation
//	what descriptions are made of              value, graph
//	the order of operations                    schedule
//	formulas, programs                         program
//	programs as Go                             source, branch
//	programs as instructions of WebAssembly    code
//	sin, cos, tan; asin, acos, atan            trigonometry, arc
//	exp, log, powers, sinh, cosh, tanh         exponential, power, hyperbolic
//	remainders                                 remainder
//	the list of formulas                       all
package formula
