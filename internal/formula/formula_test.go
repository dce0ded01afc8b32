package formula_test

import (
	"bytes"
	"cmp"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/detmath"
	"github.com/perigee-ecs/perigee/internal/formula"
)

var (
	rounds = flag.Int("formula.rounds", 20_000, "random arguments for each formula")
	seed   = flag.Uint64("formula.seed", 1, "of the random arguments")
)

// TestGeneratedFilesAreCurrent holds what is generated to the descriptions.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	want, err := formula.Source()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../ecs/detmath/formulas.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("ecs/detmath/formulas.go is not what the descriptions give: run go generate ./ecs/detmath")
	}
}

// one and two are the functions of detmath by the names of their formulas.
var (
	one = map[string]func(float64) float64{
		"Sin": detmath.Sin, "Cos": detmath.Cos, "Tan": detmath.Tan, "Asin": detmath.Asin, "Acos": detmath.Acos, "Atan": detmath.Atan,
		"Sinh": detmath.Sinh, "Cosh": detmath.Cosh, "Tanh": detmath.Tanh, "Exp": detmath.Exp, "Log": detmath.Log, "Log10": detmath.Log10,
	}
	two = map[string]func(x, y float64) float64{
		"Pow": detmath.Pow, "Atan2": detmath.Atan2, "Mod": detmath.Mod, "Modulo": detmath.Modulo,
	}
)

// call returns the results of detmath; nil for a part that is not exported.
func call(name string, x []float64) []float64 {
	switch {
	case name == "Sincos":
		s, c := detmath.Sincos(x[0])
		return []float64{s, c}
	case one[name] != nil:
		return []float64{one[name](x[0])}
	case two[name] != nil:
		return []float64{two[name](x[0], x[1])}
	}
	return nil
}

// TestAllFormsAgree compares Go, scalar WebAssembly and vectors, bit by bit, wherever the
// guard holds. The guards of the two WebAssembly forms have to agree everywhere.
func TestAllFormsAgree(t *testing.T) {
	m := newMachine(t)
	for i, f := range formula.All {
		t.Run(f.Name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(*seed, uint64(i)))
			held := 0
			for range *rounds / 2 {
				rows := [2][]float64{arguments(random, f.Params), arguments(random, f.Params)}
				scalar, ok := m.run(t, i, false, rows)
				vector, okVector := m.run(t, i, true, rows)
				if ok != okVector {
					t.Fatalf("seed %d: %s(%g): guard %v of scalars, %v of vectors", *seed, f.Name, rows, ok, okVector)
				}
				for row, x := range rows {
					if !ok[row] {
						continue
					}
					held++
					if f.Of == "Pow" && !formula.OrdinaryPower(x[1]) {
						continue
					}
					want := call(cmp.Or(f.Of, f.Name), x)
					if want == nil {
						want = scalar[row]
					}
					if !same(scalar[row], want) || !same(vector[row], want) {
						t.Fatalf("seed %d: %s(%g) is %x in Go, %x as scalar, %x as vector", *seed, f.Name, x, want, scalar[row], vector[row])
					}
				}
			}
			if held < *rounds/10 {
				t.Errorf("the guard held for %d of %d arguments only", held, *rounds)
			}
		})
	}
}

// TestGuardsComeEarly holds that code asks soon whether the formula holds, as the description
// says it first.
func TestGuardsComeEarly(t *testing.T) {
	for _, name := range []string{"Sin", "Cos", "Sincos", "Tan", "Asin", "Atan2", "Log", "Log10"} {
		f, _ := formula.Find(name)
		c := f.Program().Vector([]int{0, 1}[:f.Params], f.Params)
		if c.Guard < 0 || c.Early == 0 || c.Early > 40 {
			t.Errorf("the guard of %s is known after %d of %d instructions", name, c.Early, len(c.List))
		}
	}
}

// same reports whether numbers are the same bit by bit; all that are not-a-number are alike.
func same(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) && (a[i] == a[i] || b[i] == b[i]) {
			return false
		}
	}
	return true
}

// special are arguments at which something changes.
var special = []float64{
	0, math.Copysign(0, -1), 1, -1, 2, -2, 0.5, -0.5, 3, 10, math.Pi, math.Pi / 2, math.Pi / 4, -math.Pi,
	1 << 19, 1<<19 + 1, 1e15, 1e22, 1e300, -1e300, math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324,
	0x1p-1022, 0x1.fffffffffffffp-1023, 0x1p-1000, 0x1p1000, math.Inf(1), math.Inf(-1), math.NaN(),
	709.78, 709.79, 710.4, 710.5, -745.1, -745.2, -746, 710, 711, 1e-10, 1e-300, 360, 0.1, 6.3, 7.0 / 16, 11.0 / 16, 19.0 / 16, 39.0 / 16,
	0.625, 22, 1 << 25, 1<<25 + 1, 0x1p53, 0x1p64, 0x1p31, 6381956970095103 * 0x1p797, math.Sqrt2, math.Sqrt2 / 2,
	1.0000000000000002, 0.9999999999999999, 2.2250738585072014e-308,
}

func arguments(r *rand.Rand, n int) (x []float64) {
	for range n {
		x = append(x, argument(r))
	}
	return x
}

// argument draws from several distributions.
func argument(r *rand.Rand) float64 {
	switch r.IntN(9) {
	case 0:
		return math.Float64frombits(r.Uint64())
	case 1:
		return special[r.IntN(len(special))]
	case 2:
		return float64(r.IntN(2001) - 1000)
	case 3: // near multiples of π/2
		return float64(r.IntN(1<<20)) * (math.Pi / 2) * (1 + float64(r.IntN(5)-2)*0x1p-52)
	case 4:
		return (r.Float64() - 0.5) * math.Ldexp(1, r.IntN(64)-32)
	case 5:
		return r.Float64() * math.Ldexp(1, r.IntN(2000)-1000)
	case 6:
		return (r.Float64() - 0.5) * 20
	case 7:
		return r.Float64()*2 - 1
	}
	return (r.Float64() - 0.5) * 1500
}

// TestRemainderOfNothing: x % 0 is not a number, of which there is one pattern of bits in all
// forms, whatever the machine makes of a division by 0.
func TestRemainderOfNothing(t *testing.T) {
	want := math.Float64bits(math.NaN())
	for _, zero := range []float64{0, math.Copysign(0, -1)} {
		for _, x := range []float64{0, 1, -1, 5.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324} {
			if got := math.Float64bits(detmath.Modulo(x, zero)); got != want {
				t.Errorf("%g %% %g has the bits %#x, want %#x", x, zero, got, want)
			}
		}
	}
}
