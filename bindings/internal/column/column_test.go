package column

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// rowsOf are two numbers of each kind in a row, as a component lays them out.
type rowsOf struct {
	x64, v64 float64
	x32, v32 float32
}

// special are numbers at which an operation goes wrong first.
var special = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.1, -2.5, 1e300, -1e300, 1e-320, math.MaxFloat64, math.MaxFloat32,
	math.Inf(1), math.Inf(-1), math.NaN(), 1 << 53, 16777217,
}

// words are the operations as a loop over one row says them.
var words = map[string]func(x, v float64) float64{
	"fill": func(_, v float64) float64 { return v },
	"copy": func(_, v float64) float64 { return v },
	"add":  func(x, v float64) float64 { return x + v + 0 },
	"sub":  func(x, v float64) float64 { return x - v + 0 },
	"mul":  func(x, v float64) float64 { return float64(x*v) + 0 },
	"div":  func(x, v float64) float64 { return x/v + 0 },
	"min": func(x, v float64) float64 {
		if v < x {
			return v
		}
		return x
	},
	"max": func(x, v float64) float64 {
		if v > x {
			return v
		}
		return x
	},
}

// drawn are rows of which some numbers are special.
func drawn(r *rand.Rand, n int) []rowsOf {
	number := func() float64 {
		if r.IntN(3) == 0 {
			return special[r.IntN(len(special))]
		}
		return (r.Float64() - 0.5) * 1000
	}
	rows := make([]rowsOf, n)
	for i := range rows {
		rows[i] = rowsOf{number(), number(), float32(number()), float32(number())}
	}
	return rows
}

// sides are the ways to lay out what changes and the operand: the columns of rows, and for
// the operand a constant and the changed column itself, too.
type side struct {
	name string
	of   func(rows []rowsOf) Floats
}

const stride = unsafe.Sizeof(rowsOf{})

func changed() []side {
	return []side{
		{"f64", func(rows []rowsOf) Floats { return Doubles(unsafe.Pointer(&rows[0].x64), stride) }},
		{"f32", func(rows []rowsOf) Floats { return Singles(unsafe.Pointer(&rows[0].x32), stride) }},
	}
}

func operands(r *rand.Rand) []side {
	k := special[r.IntN(len(special))]
	return append(changed(),
		side{"other f64", func(rows []rowsOf) Floats { return Doubles(unsafe.Pointer(&rows[0].v64), stride) }},
		side{"other f32", func(rows []rowsOf) Floats { return Singles(unsafe.Pointer(&rows[0].v32), stride) }},
		side{"constant", func([]rowsOf) Floats { return Constant(&k) }},
	)
}

// store puts a result into a row as its kind keeps it.
func store(n Floats, i int, v float64) {
	if n.single {
		*row[float32](n, i) = float32(v)
	} else {
		*row[float64](n, i) = v
	}
}

// equal compares bits, where any NaN is like any other.
func equal(a, b []rowsOf) error {
	same := func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
	}
	for i := range a {
		if !same(a[i].x64, b[i].x64) || !same(a[i].v64, b[i].v64) || !same(float64(a[i].x32), float64(b[i].x32)) || !same(float64(a[i].v32), float64(b[i].v32)) {
			return fmt.Errorf("row %d: %v, the model has %v", i, a[i], b[i])
		}
	}
	return nil
}

// TestOperationsAreTheirWords runs each operation over all pairs of layouts, and beside it a
// loop that reads both sides, computes, and stores.
func TestOperationsAreTheirWords(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		rows := drawn(r, 1+r.IntN(40))
		for name, change := range Operations {
			for _, x := range changed() {
				for _, v := range operands(r) {
					got, want := append([]rowsOf{}, rows...), append([]rowsOf{}, rows...)
					change(x.of(got), v.of(got), len(rows))
					for i := range want {
						store(x.of(want), i, words[name](x.of(want).Row(i), v.of(want).Row(i)))
					}
					if err := equal(got, want); err != nil {
						t.Fatalf("seed %d, %s of %s by %s: %v", seed, name, x.name, v.name, err)
					}
				}
			}
		}
	}
}

// TestMaddAndClampAreTheirWords does the same for the operations with two operands.
func TestMaddAndClampAreTheirWords(t *testing.T) {
	madd := func(x, v, k float64) float64 { return x + float64(v*k) + 0 }
	clamp := func(x, low, high float64) float64 { return words["max"](words["min"](x, high), low) }
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		rows := drawn(r, 1+r.IntN(40))
		for _, x := range changed() {
			for _, v := range operands(r) {
				for _, k := range operands(r) {
					check := func(name string, run func(x, v, k Floats, copies *[2][]float64), word func(x, v, k float64) float64) {
						got, want := append([]rowsOf{}, rows...), append([]rowsOf{}, rows...)
						run(x.of(got), v.of(got), k.of(got), new([2][]float64))
						for i := range want {
							store(x.of(want), i, word(x.of(want).Row(i), v.of(want).Row(i), k.of(want).Row(i)))
						}
						if err := equal(got, want); err != nil {
							t.Fatalf("seed %d, %s of %s by %s and %s: %v", seed, name, x.name, v.name, k.name, err)
						}
					}
					n := len(rows)
					check("madd", func(x, v, k Floats, copies *[2][]float64) { Madd(x, v, k.Wide(&copies[1], n), n) }, madd)
					check("clamp", func(x, v, k Floats, copies *[2][]float64) {
						Clamp(x, v.Wide(&copies[0], n), k.Wide(&copies[1], n), n)
					}, clamp)
				}
			}
		}
	}
}

// TestFoldsAreTheirWords compares sums and bounds with loops in the same order.
func TestFoldsAreTheirWords(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		rows := drawn(r, 1+r.IntN(40))
		var copies []float64
		for _, x := range operands(r) {
			n := x.of(rows)
			for i, wide := 0, n.Wide(&copies, len(rows)); i < len(rows); i++ {
				if v := wide.Row(i); math.Float64bits(v) != math.Float64bits(n.Row(i)) && v == v {
					t.Fatalf("seed %d, %s, wide: row %d is %v", seed, x.name, i, v)
				}
			}
			sum, least, most := 0.0, math.Inf(1), math.Inf(-1)
			for i := range rows {
				sum += n.Row(i)
				least, most = words["min"](least, n.Row(i)), words["max"](most, n.Row(i))
			}
			for name, pair := range map[string][2]float64{
				"sum": {n.Sum(len(rows)), sum}, "lowest": {n.Lowest(len(rows)), least}, "highest": {n.Highest(len(rows)), most},
			} {
				if math.Float64bits(pair[0]) != math.Float64bits(pair[1]) && pair[1] == pair[1] {
					t.Fatalf("seed %d, %s of %s: %v, the model has %v", seed, name, x.name, pair[0], pair[1])
				}
			}
		}
	}
}

// BenchmarkColumns times rows of two f32 at a stride of 24 bytes.
func BenchmarkColumns(b *testing.B) {
	rows := drawn(rand.New(rand.NewPCG(1, 1)), 680)
	x, v := changed()[1].of(rows), operands(rand.New(rand.NewPCG(1, 1)))[3].of(rows)
	low, high := -10.0, 10.0
	report := func(name string, run func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rows)), "ns/row")
		})
	}
	report("add", func() { Operations["add"](x, v, len(rows)) })
	report("madd", func() { Madd(x, v, Constant(&low), len(rows)) })
	report("clamp", func() { Clamp(x, Constant(&low), Constant(&high), len(rows)) })
}
