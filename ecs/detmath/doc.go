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
// # Errors and cost
//
// The greatest error that 250,000 arguments of each function have shown, in units of the last
// place (0.5 is the best that rounding allows), the bound that tests hold, and what a call
// takes beside the function of package math, in ns on one core of a server, arguments from
// -10 to 10:
//
//	          error  bound    call  package math
//	Sin        0.87      1       8      11
//	Cos        0.93      1       8      11
//	Sincos     0.93      1      13      12
//	Tan        0.89      1      22      12
//	Asin       0.85      1      12      14
//	Acos       0.86      1      11      14
//	Atan       0.82      1      15       9
//	Atan2      1.49    1.5      15      17
//	Sinh       0.90      1      25      17
//	Cosh       0.87      1      22      16
//	Tanh       0.79      1      23      18
//	Exp        0.87      1       9      18
//	Log        0.79      1       9      11
//	Log10      0.66      1      12      12
//	Pow        0.66      1      37      73
//	Mod           0      0       7      58
//	Modulo      0.5    0.5       7       -
//
// Package math is off by 2 units and more where angles are
// large, near the ends of Asin and Acos, and for subnormal numbers.
//
// # Methods
//
// What the functions compute is described in package internal/formula, from which formulas.go
// is generated, and kernels of Lua, too. Polynomials and reductions are those of fdlibm (Sun
// Microsystems, 1993), without its branches: Cody and Waite's reduction up to 2^19, beyond it
// Payne and Hanek's (1983); remainders of quotients up to 2^25 by halves of the divisor (Dekker
// 1971), beyond it in whole numbers; the ratio of tanh is that of Cephes (Moshier). The
// series of Atan2 and those of Pow are our own (Remez 1934).
//
// # Special values
//
// All functions are total. Where there is no result, it is NaN; a NaN that an
// argument did not bring along has the bits of math.NaN().
package detmath

//go:generate go run ../../internal/formula/generate formulas.go
