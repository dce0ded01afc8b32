package library

import (
	"maps"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/scripting/internal/library/maths"
)

// The table math. All but the two of random numbers are pure.

// maths lists the functions of the table math.
func (lib *Library) maths() []builtin {
	entries := []builtin{
		native("frexp", frexp), folded("max", larger), folded("min", smaller), native("modf", modf),
		native("random", lib.random), native("randomseed", lib.randomSeed),
	}
	one, two := maths.Functions()
	for _, name := range slices.Sorted(maps.Keys(one)) {
		entries = append(entries, builtin{name, machine.NewPure(name, machine.Pure{One: one[name]}, unary(one[name]))})
	}
	for _, name := range slices.Sorted(maps.Keys(two)) {
		entries = append(entries, builtin{name, machine.NewPure(name, machine.Pure{Two: two[name]}, binary(two[name]))})
	}
	return entries
}

// unary makes a function of the library of one that takes a number.
func unary(f func(float64) float64) machine.Native {
	return func(c *machine.Call) { c.Push(machine.Number(f(args{c}.number(1)))) }
}

// binary makes a function of the library of one that takes two numbers.
func binary(f func(x, y float64) float64) machine.Native {
	return func(c *machine.Call) {
		a := args{c}
		c.Push(machine.Number(f(a.number(1), a.number(2))))
	}
}

// frexp splits a number into a fraction from 0.5 up to 1 and a power of two.
func frexp(c *machine.Call) {
	fraction, exponent := math.Frexp(args{c}.number(1))
	c.Push(machine.Number(fraction))
	c.Push(machine.Number(float64(exponent)))
}

// modf returns the whole part of a number and the rest.
func modf(c *machine.Call) {
	whole, fraction := maths.Modf(args{c}.number(1))
	c.Push(machine.Number(whole))
	c.Push(machine.Number(fraction))
}

// larger returns the larger number, and the first one of equals. Not-a-number is returned only
// if it comes first: every comparison with it is false, here and in C.
func larger(x, y float64) float64 {
	if y > x {
		return y
	}
	return x
}

// smaller is larger for the smaller number.
func smaller(x, y float64) float64 {
	if y < x {
		return y
	}
	return x
}

// folded makes a function of the library of one that takes two numbers, for as many as there are.
func folded(name string, f func(x, y float64) float64) builtin {
	return builtin{name, machine.NewPure(name, machine.Pure{Two: f, More: true}, func(c *machine.Call) {
		a := args{c}
		v := a.number(1)
		for i := 2; i <= a.Len(); i++ {
			v = f(v, a.number(i))
		}
		a.pushNumber(v)
	})}
}

// random draws a fraction from 0 up to 1, or a whole number from a range that includes
// both ends. Each call draws exactly one number of the generator, so the same calls draw
// the same numbers.
func (lib *Library) random(c *machine.Call) {
	const fractions = 1 << 53
	a := args{c}
	fraction := float64(lib.opts.Random.Uint64()>>11) / fractions
	low, high := 1.0, 0.0
	switch a.Len() {
	case 0:
		a.pushNumber(fraction)
		return
	case 1:
		high = math.Floor(a.number(1))
	case 2:
		low, high = math.Floor(a.number(1)), math.Floor(a.number(2))
	default:
		a.raise("wrong number of arguments")
	}
	if !(low <= high) || math.IsInf(high-low, 0) {
		a.fail(a.Len(), "interval is empty")
	}
	a.pushNumber(min(math.Floor(float64(fraction*(high-low+1)))+low, high))
}

// randomSeed starts the generator anew, if the host has given one that allows it.
func (lib *Library) randomSeed(c *machine.Call) {
	a := args{c}
	generator, ok := lib.opts.Random.(interface{ Seed(uint64) })
	if !ok {
		a.raise("math.randomseed is not available: the random numbers of scripts come from the world's own generator")
	}
	generator.Seed(math.Float64bits(a.number(1)))
	a.Return(0)
}
