// Package maths has the pure functions of the table math: all but those of random numbers.
// It knows no values of Lua, so compilers of scripts call them directly.
package maths

import (
	"math"

	"github.com/perigee-ecs/perigee/ecs/detmath"
	"github.com/perigee-ecs/perigee/internal/numbers"
)

// Functions returns the functions of math that take one number and those that take two.
// They return one number and do nothing else, so a compiler of Lua may call them directly.
func Functions() (unary map[string]func(float64) float64, binary map[string]func(x, y float64) float64) {
	unary = map[string]func(float64) float64{
		"abs": math.Abs, "acos": detmath.Acos, "asin": detmath.Asin, "atan": detmath.Atan, "ceil": math.Ceil,
		"cos": detmath.Cos, "cosh": detmath.Cosh, "deg": degrees, "exp": detmath.Exp, "floor": math.Floor,
		"log": detmath.Log, "log10": detmath.Log10, "rad": radians, "sin": detmath.Sin, "sinh": detmath.Sinh,
		"sqrt": math.Sqrt, "tan": detmath.Tan, "tanh": detmath.Tanh,
	}
	binary = map[string]func(x, y float64) float64{"atan2": detmath.Atan2, "fmod": detmath.Mod, "pow": detmath.Pow, "ldexp": ldexp}
	return unary, binary
}

// degrees divides, as PUC Lua does: to multiply by 180/π would round differently.
func degrees(x float64) float64 { return x / (math.Pi / 180) }

// radians multiplies by π/180, as PUC Lua does.
func radians(x float64) float64 { return x * (math.Pi / 180) }

// ldexp is x · 2^exponent.
func ldexp(x, exponent float64) float64 { return math.Ldexp(x, numbers.Truncate(exponent)) }

// Modf returns the whole part of a number and the rest, which is 0 for infinity, as in C.
func Modf(x float64) (whole, fraction float64) {
	if math.IsInf(x, 0) {
		return x, math.Copysign(0, x)
	}
	return math.Modf(x)
}
