package detmath_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/detmath"
)

// The benchmarks compare with package math, over arguments that games have.

func BenchmarkUnary(b *testing.B) {
	x := benchArguments(-10, 10)
	positive := benchArguments(0.001, 100)
	fraction := benchArguments(-1, 1)
	for _, name := range slices.Sorted(maps.Keys(ofOne)) {
		list := x
		switch name {
		case "Log", "Log10":
			list = positive
		case "Asin", "Acos":
			list = fraction
		}
		for kind, f := range map[string]func(float64) float64{"det": ofOne[name], "math": mathOne[name]} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				var sum float64
				for i := range b.N {
					sum += f(list[i&1023])
				}
				sink = sum
			})
		}
	}
	b.Run("Sincos/det", func(b *testing.B) {
		for i := range b.N {
			s, c := detmath.Sincos(x[i&1023])
			sink += s + c
		}
	})
	b.Run("Sincos/math", func(b *testing.B) {
		for i := range b.N {
			s, c := math.Sincos(x[i&1023])
			sink += s + c
		}
	})
}

func BenchmarkBinary(b *testing.B) {
	x, y := benchArguments(0.1, 50), benchArguments(-8, 8)
	for _, c := range []struct {
		name      string
		det, math func(x, y float64) float64
		x, y      []float64
	}{
		{"Pow", detmath.Pow, math.Pow, x, y},
		{"Atan2", detmath.Atan2, math.Atan2, y, benchArguments(-9, 9)},
		{"Mod", detmath.Mod, math.Mod, benchArguments(-1000, 1000), []float64{2 * math.Pi}},
		{"Modulo", detmath.Modulo, math.Mod, benchArguments(-1000, 1000), []float64{2 * math.Pi}},
		{"ModFar", detmath.Mod, math.Mod, benchArguments(1e15, 1e16), []float64{2 * math.Pi}},
		{"ModFarthest", detmath.Mod, math.Mod, benchArguments(1e307, 1e308), []float64{0x1.9p-1060}},
	} {
		for kind, f := range map[string]func(x, y float64) float64{"det": c.det, "math": c.math} {
			b.Run(c.name+"/"+kind, func(b *testing.B) {
				var sum float64
				mask := len(c.y) - 1
				for i := range b.N {
					sum += f(c.x[i&1023], c.y[i&mask])
				}
				sink = sum
			})
		}
	}
}

var sink float64

func benchArguments(low, high float64) []float64 {
	r := rand.New(rand.NewPCG(1, 1))
	list := make([]float64, 1024)
	for i := range list {
		list[i] = low + r.Float64()*(high-low)
	}
	return list
}
