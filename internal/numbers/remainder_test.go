package numbers

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRemainder holds it to math.Mod, bit for bit.
func TestRemainder(t *testing.T) {
	check := func(x, y float64) {
		if got, want := Remainder(x, y), math.Mod(x, y); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("Remainder(%g, %g) is %g, not %g", x, y, got, want)
		}
	}
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, 3, 0.1, 5, -5, 1 << 53, 1<<53 - 1, math.Pi, 2 * math.Pi,
		math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 3 * math.SmallestNonzeroFloat64, 0x1p-1022, 0x1.fffffffffffffp-1023,
		1e308, 3e-308, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, x := range special {
		for _, y := range special {
			check(x, y)
		}
	}
	random := rand.New(rand.NewPCG(7, 7))
	for range 200_000 {
		x, y := math.Float64frombits(random.Uint64()), math.Float64frombits(random.Uint64())
		check(x, y)
		check(x, math.Ldexp(y, -random.IntN(2100)))
		check(float64(random.IntN(1000)), float64(random.IntN(100)))
		check(math.Ldexp(1, random.IntN(1023)), math.Ldexp(float64(random.Uint64()|1), -random.IntN(1100)))
		near := x / y
		check(math.Trunc(near)*y, y)
	}
}

func BenchmarkRemainder(b *testing.B) {
	for name, v := range map[string][2]float64{"small": {100, 6.28}, "middle": {1e9, 6.28}, "far": {1e308, 3e-308}} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				Remainder(v[0], v[1])
			}
		})
		b.Run(name+"/math", func(b *testing.B) {
			for range b.N {
				math.Mod(v[0], v[1])
			}
		})
	}
}
