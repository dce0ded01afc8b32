package detmath_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/detmath"
)

// TestSpecialValues holds the values at the ends: those of package math, which has C99's. NaN
// has one form.
func TestSpecialValues(t *testing.T) {
	ends := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1 << 53, 1<<53 - 1, 1 - 1<<53, math.Inf(1), math.Inf(-1), math.NaN(),
		math.MaxFloat64, -math.MaxFloat64, 1e300, -1e300, 1e19, -1e19, 2.5, -2.5,
	}
	check := func(name string, got, want float64, x ...float64) {
		t.Helper()
		if math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s%v is %g (%x), not %g", name, x, got, math.Float64bits(got), want)
		}
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, x := range ends {
		for name, f := range ofOne {
			want := mathOne[name](x)
			switch got := f(x); {
			case math.IsNaN(want):
				check(name, got, nan, x)
			case want == 0 || math.IsInf(want, 0):
				check(name, got, want, x)
			}
		}
		for _, y := range ends {
			want := math.Pow(x, y)
			switch {
			case math.IsNaN(want):
				check("Pow", detmath.Pow(x, y), nan, x, y)
			case want == 0 || math.IsInf(want, 0):
				check("Pow", detmath.Pow(x, y), want, x, y)
			}
			if x == 0 || y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) {
				check("Atan2", detmath.Atan2(y, x), math.Atan2(y, x), y, x)
			}
		}
	}
	check("Pow", detmath.Pow(0x1p-537, 2), 0x1p-1074)
	check("Pow", detmath.Pow(2, -1074), 0x1p-1074)
	check("Pow", detmath.Pow(2, -1075), 0)
	check("Pow", detmath.Pow(0x1p-1074, -0.5), 0x1p537)
	check("Exp", detmath.Exp(-745.2), 0)
	check("Exp", detmath.Exp(709.79), inf)
	check("Sinh", detmath.Sinh(710.48), inf)
	check("Log", detmath.Log(1), 0)
}

// TestWholePowersAreExact tries whole numbers as far as their powers are below 2^53, and the
// powers of ten that a float64 has.
func TestWholePowersAreExact(t *testing.T) {
	for base := -200.0; base <= 2000; base++ {
		exact := base
		for n := 1.0; math.Abs(exact) < 1<<53; n++ {
			if got := detmath.Pow(base, n); got != exact {
				t.Fatalf("Pow(%g, %g) is %g, not %g", base, n, got, exact)
			}
			if exact *= base; math.Abs(base) < 2 && n > 60 {
				break
			}
		}
	}
	for n, power := range []float64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15} {
		if got := detmath.Log10(power); got != float64(n) {
			t.Errorf("Log10(%g) is %g", power, got)
		}
	}
}

// TestSimplePowers holds what compilers put in the place of a power.
func TestSimplePowers(t *testing.T) {
	random := rand.New(rand.NewPCG(*seed, 6))
	for i := range 20_000 {
		x := argumentOf(random, i)
		for _, c := range []struct{ y, want float64 }{{2, x * x}, {1, x}, {-1, 1 / x}, {0.5, math.Sqrt(x)}, {0, 1}} {
			if got := detmath.Pow(x, c.y); visible(got) != visible(c.want) && !(c.y == 0.5 && (x == 0 || math.IsInf(x, 0))) {
				t.Fatalf("seed %d: Pow(%g, %g) is %g, not %g", *seed, x, c.y, got, c.want)
			}
		}
	}
}

// TestRemainders holds both remainders to package math, whose Mod is exact.
func TestRemainders(t *testing.T) {
	check := func(x, y float64) {
		t.Helper()
		want := math.Mod(x, y)
		if got := detmath.Mod(x, y); visible(got) != visible(want) {
			t.Fatalf("Mod(%g, %g) is %g, not %g", x, y, got, want)
		}
		if want < 0 && y > 0 || want > 0 && y < 0 {
			want += y
		}
		if want == 0 {
			want = 0
		}
		if got := detmath.Modulo(x, y); visible(got) != visible(want) {
			t.Fatalf("Modulo(%g, %g) is %g, not %g", x, y, got, want)
		}
	}
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, 3, 0.1, 5, -5, 1 << 53, 1<<53 - 1, math.Pi, 2 * math.Pi, 1 << 25, 1<<25 + 1,
		math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 3 * math.SmallestNonzeroFloat64, 0x1p-1022, 0x1.fffffffffffffp-1023,
		1e308, 3e-308, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, x := range special {
		for _, y := range special {
			check(x, y)
		}
	}
	random := rand.New(rand.NewPCG(*seed, 7))
	for range 50_000 {
		x, y := math.Float64frombits(random.Uint64()), math.Float64frombits(random.Uint64())
		check(x, y)
		check(x, math.Ldexp(y, -random.IntN(2100)))
		check(float64(random.IntN(1000)), float64(random.IntN(100)))
		check(math.Ldexp(1, random.IntN(1023)), math.Ldexp(float64(random.Uint64()|1), -random.IntN(1100)))
		check((random.Float64()-0.5)*math.Ldexp(1, random.IntN(60)), random.Float64()*7)
		check(math.Trunc(x/y)*y, y) // nearly a multiple
		whole := float64(random.IntN(1 << 26))
		check(whole*0.1, 0.1)
		check(math.Nextafter(whole*y, 0), y)
	}
}

// TestSymmetry holds f(-x) to ±f(x).
func TestSymmetry(t *testing.T) {
	random := rand.New(rand.NewPCG(*seed, 8))
	for i := range 20_000 {
		x := argumentOf(random, i)
		for _, name := range []string{"Sin", "Tan", "Asin", "Atan", "Sinh", "Tanh"} {
			if visible(ofOne[name](-x)) != visible(-ofOne[name](x)) {
				t.Fatalf("seed %d: %s(%g) is not odd", *seed, name, x)
			}
		}
		for _, name := range []string{"Cos", "Cosh"} {
			if visible(ofOne[name](-x)) != visible(ofOne[name](x)) {
				t.Fatalf("seed %d: %s(%g) is not even", *seed, name, x)
			}
		}
	}
}

// TestMonotony takes neighbouring numbers. A function that rises and is off by less than one
// unit may step down by one between two of them, never by more.
func TestMonotony(t *testing.T) {
	random := rand.New(rand.NewPCG(*seed, 9))
	for i := range 20_000 {
		x := argumentOf(random, i)
		next := math.Nextafter(x, math.Inf(1))
		for _, name := range []string{"Asin", "Atan", "Sinh", "Tanh", "Exp", "Log", "Log10"} {
			a, b := ofOne[name](x), ofOne[name](next)
			if b < math.Nextafter(a, math.Inf(-1)) {
				t.Fatalf("seed %d: %s falls from %v to %v after %v", *seed, name, a, b, x)
			}
		}
	}
}

// TestAtan2OfSubnormals: half of a subnormal number is not exact, and yet the angle is right.
func TestAtan2OfSubnormals(t *testing.T) {
	for _, v := range []float64{5e-324, 1e-323, 1.5e-323, 1e-310, 0x1p-1022, 0x1p-1021} {
		for _, u := range []float64{v, 2 * v, 3 * v} {
			want := math.Atan2(u*0x1p100, v*0x1p100)
			if got := detmath.Atan2(u, v); math.Abs(got-want) > 4e-16 {
				t.Errorf("Atan2(%v, %v) = %v, want %v", u, v, got, want)
			}
		}
	}
}

// TestAtan2WhereItIsWorst tries ratios a little above 1/4, whose angle is below 1/4: half a unit
// that the quotient is off by is a whole unit of the angle there. It is where a series that is
// too short is seen first.
func TestAtan2WhereItIsWorst(t *testing.T) {
	random := rand.New(rand.NewPCG(*seed, 10))
	var most worst
	for range 4 * *arguments {
		x := 1 - random.Float64()*0.06
		y := x * (0.25 + random.Float64()*0.0054)
		most.note(ulps(detmath.Atan2(y, x), wideTwo["Atan2"](wide(y), wide(x))), y, x)
	}
	if most.ulps > bounds["Atan2"] || most.ulps < 1 {
		t.Errorf("seed %d: Atan2 is off by %.3f units at %s", *seed, most.ulps, most.at)
	}
}
