//go:build !machine

package stdlib

import (
	"maps"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/library/maths"
	lua "github.com/yuin/gopher-lua"
)

// The table math. The functions of one and of two numbers are in package maths.

// maths lists the functions of the table math.
func (lib *Library) maths() []unbound {
	entries := []unbound{
		{"frexp", frexp}, {"max", maximum}, {"min", minimum}, {"modf", modf},
		{"random", lib.random}, {"randomseed", lib.randomSeed},
	}
	one, two := maths.Functions()
	for _, name := range slices.Sorted(maps.Keys(one)) {
		entries = append(entries, unbound{name, unary(one[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(two)) {
		entries = append(entries, unbound{name, binary(two[name])})
	}
	return entries
}

// unary makes a function of the library of one that takes a number.
func unary(f func(float64) float64) func(args) int {
	return func(a args) int { return a.results(lua.LNumber(f(a.number(1)))) }
}

// binary makes a function of the library of one that takes two numbers.
func binary(f func(x, y float64) float64) func(args) int {
	return func(a args) int { return a.results(lua.LNumber(f(a.number(1), a.number(2)))) }
}

// frexp splits a number into a fraction from 0.5 up to 1 and a power of two.
func frexp(a args) int {
	fraction, exponent := math.Frexp(a.number(1))
	return a.results(lua.LNumber(fraction), lua.LNumber(exponent))
}

// modf is the function math.modf; see maths.Modf.
func modf(a args) int {
	whole, fraction := maths.Modf(a.number(1))
	return a.results(lua.LNumber(whole), lua.LNumber(fraction))
}

// maximum returns the largest argument, and the first one of equals. Not-a-number is
// returned only if it comes first: every comparison with it is false, here and in C.
func maximum(a args) int {
	best := a.number(1)
	for i := 2; i <= a.GetTop(); i++ {
		if v := a.number(i); v > best {
			best = v
		}
	}
	return a.results(lua.LNumber(best))
}

// minimum is maximum for the smallest argument.
func minimum(a args) int {
	best := a.number(1)
	for i := 2; i <= a.GetTop(); i++ {
		if v := a.number(i); v < best {
			best = v
		}
	}
	return a.results(lua.LNumber(best))
}

// random draws a fraction from 0 up to 1, or a whole number from a range that includes
// both ends. Each call draws exactly one number of the generator, so the same calls draw
// the same numbers.
func (lib *Library) random(a args) int {
	const fractions = 1 << 53
	fraction := float64(lib.opts.Random.Uint64()>>11) / fractions
	low, high := 1.0, 0.0
	switch a.GetTop() {
	case 0:
		return a.results(lua.LNumber(fraction))
	case 1:
		high = math.Floor(a.number(1))
	case 2:
		low, high = math.Floor(a.number(1)), math.Floor(a.number(2))
	default:
		raise(a.LState, "wrong number of arguments")
	}
	if !(low <= high) || math.IsInf(high-low, 0) {
		a.fail(a.GetTop(), "interval is empty")
	}
	return a.results(lua.LNumber(min(math.Floor(fraction*(high-low+1))+low, high)))
}

// randomSeed starts the generator anew, if the host has given one that allows it.
func (lib *Library) randomSeed(a args) int {
	generator, ok := lib.opts.Random.(interface{ Seed(uint64) })
	if !ok {
		raise(a.LState, "math.randomseed is not available: the random numbers of scripts come from the world's own generator")
	}
	generator.Seed(math.Float64bits(a.number(1)))
	return 0
}
