package detmath_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/detmath"
)

var (
	arguments = flag.Int("detmath.arguments", 1500, "random arguments of each function that are judged in wide precision")
	seed      = flag.Uint64("detmath.seed", 1, "of the random arguments")
)

var (
	ofOne = map[string]func(float64) float64{
		"Sin": detmath.Sin, "Cos": detmath.Cos, "Tan": detmath.Tan, "Asin": detmath.Asin, "Acos": detmath.Acos, "Atan": detmath.Atan,
		"Sinh": detmath.Sinh, "Cosh": detmath.Cosh, "Tanh": detmath.Tanh, "Exp": detmath.Exp, "Log": detmath.Log, "Log10": detmath.Log10,
	}
	ofTwo = map[string]func(x, y float64) float64{"Pow": detmath.Pow, "Atan2": detmath.Atan2}
	// mathOne and mathTwo are for comparison.
	mathOne = map[string]func(float64) float64{
		"Sin": math.Sin, "Cos": math.Cos, "Tan": math.Tan, "Asin": math.Asin, "Acos": math.Acos, "Atan": math.Atan,
		"Sinh": math.Sinh, "Cosh": math.Cosh, "Tanh": math.Tanh, "Exp": math.Exp, "Log": math.Log, "Log10": math.Log10,
	}
	mathTwo = map[string]func(x, y float64) float64{"Pow": math.Pow, "Atan2": math.Atan2}
)

// bounds are the errors in units of the last place that the package doc promises.
var bounds = map[string]float64{"Atan2": 1.5}

// worst is the greatest error, and where it is.
type worst struct {
	ulps float64
	at   string
}

func (w *worst) note(ulps float64, x ...float64) {
	if !(ulps <= w.ulps) {
		w.ulps, w.at = ulps, fmt.Sprint(x)
	}
}

// TestAccuracy holds every function to its bound, and prints a table: with many arguments it
// is the one of the package doc.
func TestAccuracy(t *testing.T) {
	var table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(wideOne)) {
		random := rand.New(rand.NewPCG(*seed, 1))
		var own, other worst
		for i := range *arguments {
			x := argumentOf(random, i)
			if got := ofOne[name](x); !math.IsNaN(got) && x != 0 && !math.IsInf(x, 0) && got != 0 {
				want := wideOne[name](wide(x))
				own.note(ulps(got, want), x)
				other.note(ulps(mathOne[name](x), want), x)
			}
		}
		report(t, &table, name, own, other)
	}
	for _, name := range slices.Sorted(maps.Keys(wideTwo)) {
		random := rand.New(rand.NewPCG(*seed, 2))
		var own, other worst
		for i := range *arguments {
			x, y := argumentOf(random, i), argumentOf(random, i/8)
			got := ofTwo[name](x, y)
			if math.IsNaN(got) || x == 0 || y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) {
				continue
			}
			var want *big.Float
			if l := y * math.Log2(math.Abs(x)); name == "Pow" && math.Abs(l) > 1e4 {
				continue // TestLimits has those
			}
			want = wideTwo[name](wide(x), wide(y))
			own.note(ulps(got, want), x, y)
			other.note(ulps(mathTwo[name](x, y), want), x, y)
		}
		report(t, &table, name, own, other)
	}
	t.Logf("seed %d, %d arguments each; errors in units of the last place\n%s", *seed, *arguments, table.String())
}

func report(t *testing.T, table *strings.Builder, name string, own, other worst) {
	bound := bounds[name]
	if bound == 0 {
		bound = 1
	}
	fmt.Fprintf(table, "%-6s %6.3f at %s; package math %.3g at %s\n", name, own.ulps, own.at, other.ulps, other.at)
	if !(own.ulps <= bound) {
		t.Errorf("seed %d: %s is off by %.3f units at %s", *seed, name, own.ulps, own.at)
	}
}

// argumentOf draws from distributions that matter for a function.
func argumentOf(r *rand.Rand, i int) float64 {
	sign := math.Copysign(1, r.Float64()-0.5)
	switch i % 8 {
	case 0:
		return math.Float64frombits(r.Uint64()) // anything
	case 1:
		return sign * math.Ldexp(1+r.Float64(), -r.IntN(60))
	case 2:
		return sign * r.Float64()
	case 3:
		return float64(r.IntN(2001)-1000) * 0.25
	case 4: // near multiples of π/4
		return float64(r.IntN(1<<12)) * (math.Pi / 4) * (1 + float64(r.IntN(5)-2)*0x1p-52)
	case 5:
		return (r.Float64() - 0.5) * 12
	case 6: // near 1
		return sign * (1 + (r.Float64()-0.5)*math.Ldexp(1, -r.IntN(50)))
	}
	return (r.Float64() - 0.5) * 1500
}
