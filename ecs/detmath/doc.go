// Package detmath has the functions of package math that a deterministic simulation needs,
// with the same bits on every machine.
//
// Package math does not promise that. Some of its functions are assembly, one of which asks
// the processor at run time whether it can fuse a product and a sum; and on arm64, and with
// GOAMD64=v3, the compiler fuses products and sums in the others. A fused operation rounds
// once where two would round twice: math.Exp gives another result for one argument of six
// on arm64. One such bit in a position, and two players see two games.
//
// A Go system that changes the world should call this package, and should write
// float64(x*y) + z where it multiplies and adds: the conversion forbids to fuse. The
// functions of math that need no replacement are those that are exact, or that IEEE 754
// defines to the last bit: Abs, Ceil, Copysign, Floor, Frexp, Ldexp, Max, Min, Modf, Round,
// RoundToEven, Sqrt and Trunc.
//
// All functions are total. Where there is no result, it is NaN; a NaN that an
// argument did not bring along has the bits of math.NaN().
package detmath

//go:generate go run ../../internal/formula/generate formulas.go
