package vector

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

var roundSeed = flag.Uint64("round.seed", 1, "seed of the random numbers and graphs")

// tricky returns a float32 of which rounding may go wrong: any bits, values at the
// ends of the range, and those that lie near another one, or half of its last digit
// away.
func tricky(r *rand.Rand, near float32) float32 {
	edges := []float32{0, 1, -1, 0.5, 3, 300, 1 << 24, 1<<24 - 1, math.MaxFloat32, math.SmallestNonzeroFloat32, 0x1p-126,
		0x1p-75, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	v := math.Float32frombits(r.Uint32())
	switch r.IntN(6) {
	case 0:
		v = edges[r.IntN(len(edges))]
	case 1:
		v = math.Float32frombits(math.Float32bits(near) + uint32(r.IntN(9)) - 4)
	case 2: // an odd number of halves of the last digit
		exponent := int(math.Float32bits(near)>>23&0xFF) - 127 - 24
		v = float32(math.Ldexp(float64(2*r.IntN(64)+1), exponent))
	case 3:
		v = float32(r.NormFloat64() * 100)
	case 4: // few digits, and small
		v = math.Float32frombits(r.Uint32() & 0x81FFFFFF)
	}
	if r.IntN(2) == 0 {
		return -v
	}
	return v
}

// same reports whether two float32 are equal to the bit, but for the bits of a
// not-a-number, about which programs in scripting say more.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// differ looks for numbers for which two ways to compute come to different results.
func differ(seed uint64, tries int, double, single func(a, b, c float32) float32) (x [3]float32, found bool) {
	r := rand.New(rand.NewPCG(seed, 11))
	for range tries {
		x[0] = tricky(r, 1)
		x[1] = tricky(r, x[0])
		x[2] = tricky(r, x[1])
		if !same(double(x[0], x[1], x[2]), single(x[0], x[1], x[2])) {
			return x, true
		}
	}
	return x, false
}

// TestOneRounding holds the fact on which all rests, for each operation.
func TestOneRounding(t *testing.T) {
	for name, pair := range map[string][2]func(a, b, c float32) float32{
		"+":     {func(a, b, _ float32) float32 { return float32(float64(a) + float64(b)) }, func(a, b, _ float32) float32 { return a + b }},
		"-":     {func(a, b, _ float32) float32 { return float32(float64(a) - float64(b)) }, func(a, b, _ float32) float32 { return a - b }},
		"*":     {func(a, b, _ float32) float32 { return float32(float64(a) * float64(b)) }, func(a, b, _ float32) float32 { return a * b }},
		"/":     {func(a, b, _ float32) float32 { return float32(float64(a) / float64(b)) }, func(a, b, _ float32) float32 { return a / b }},
		"floor": {func(a, _, _ float32) float32 { return float32(math.Floor(float64(a))) }, func(a, _, _ float32) float32 { return floor32(a) }},
	} {
		if x, found := differ(*roundSeed, 2_000_000, pair[0], pair[1]); found {
			t.Errorf("seed %d: %s of %v", *roundSeed, name, x)
		}
	}
	// The square roots of all float32 of two exponents: the others are like them.
	for bits := uint32(0x3F800000); bits < 0x40800000; bits += 1 + bits%7 {
		a := math.Float32frombits(bits)
		root := float32(math.Sqrt(float64(a)))
		// The one whose square is nearest: half a digit below, half a digit above.
		low, high := float64(root)-float64(math.Nextafter32(root, 0)), float64(math.Nextafter32(root, 9))-float64(root)
		if lo, hi := float64(root)-low/2, float64(root)+high/2; lo*lo > float64(a) || hi*hi < float64(a) {
			t.Fatalf("square root of %v: %v", a, root)
		}
	}
}

// floor32 is the greatest whole float32 below, by its digits.
func floor32(v float32) float32 {
	whole := float32(int64(v))
	switch {
	case v != v || v >= 1<<24 || v <= -1<<24 || v == 0:
		return v
	case whole > v:
		return whole - 1
	case whole == 0 && v < 0:
		return float32(math.Copysign(0, -1))
	}
	return whole
}

// TestJudgeSees plants what is not the same, though it looks so.
func TestJudgeSees(t *testing.T) {
	for name, pair := range map[string][2]func(a, b, c float32) float32{
		"two sums":     {func(a, b, c float32) float32 { return float32(float64(a) + float64(b) + float64(c)) }, func(a, b, c float32) float32 { return a + b + c }},
		"0.1":          {func(a, _, _ float32) float32 { return float32(float64(a) * 0.1) }, func(a, _, _ float32) float32 { return a * 0.1 }},
		"compared sum": {func(a, b, c float32) float32 { return choose(float64(a)+float64(b) < float64(c)) }, func(a, b, c float32) float32 { return choose(a+b < c) }},
		"vanishing": {func(a, b, _ float32) float32 { return float32(float64(a)*float64(b) + 0) }, func(a, b, _ float32) float32 {
			product := a * b
			return product + 0
		}},
		"half": {func(a, _, _ float32) float32 { return float32(float64(a)*0.5 + 0) }, func(a, _, _ float32) float32 {
			product := a * 0.5
			return product + 0
		}},
	} {
		if _, found := differ(*roundSeed, 2_000_000, pair[0], pair[1]); !found {
			t.Errorf("%s: nothing was found", name)
		}
	}
}

func choose(first bool) float32 {
	if first {
		return 1
	}
	return 2
}

// rounded is what graphs of these tests are about: fields of several kinds.
func rounded() *ir.Func {
	f := &ir.Func{Columns: []ir.Column{{Name: "c", Stride: 64}}}
	for i, kind := range []schema.Kind{schema.F32, schema.F32, schema.F32, schema.U8, schema.I16, schema.F64, schema.Bool} {
		f.Fields = append(f.Fields, ir.Field{Local: i, Kind: kind, Offset: uint32(8 * i), Store: true})
		f.Locals = append(f.Locals, ir.Local{Name: string(rune('a' + i)), Type: ir.TypeOf(kind)})
	}
	return f
}

// grower makes random graphs.
type grower struct {
	r *rand.Rand
	f *ir.Func
	g *Graph
}

var growing = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 0.75, 2, -3, 300, 1000, 0.1, -0.1, 1.9, -2.5, 1 << 24, 1e30, 1e300, -1e300, 1e-40, -1e-300,
	0x1p-149, 0x1p-150, math.Inf(1), math.Inf(-1)}

func (w *grower) num(depth int) ID {
	g := w.g
	if depth == 0 {
		if w.r.IntN(3) == 0 {
			return g.uniform(ir.Constant(growing[w.r.IntN(len(growing))]))
		}
		return g.before(w.f, []int{0, 1, 2, 0, 1, 3, 4, 5}[w.r.IntN(8)])
	}
	x := func() ID { return w.num(depth - 1 - w.r.IntN(depth)) }
	binary := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Div}
	switch n := w.r.IntN(12); {
	case n < 5:
		return w.maybeZero(g.op(binary[w.r.IntN(4)], ir.Num, x(), x()))
	case n < 8:
		single := []ir.Op{ir.Neg, ir.Abs, ir.Floor, ir.Ceil, ir.Sqrt, ir.Zero}
		return w.maybeZero(g.op(single[w.r.IntN(len(single))], ir.Num, x()))
	case n < 11: // the least or the greatest
		a, b := x(), x()
		op := []ir.Op{ir.Lt, ir.Le, ir.Lt, ir.Le, ir.Eq, ir.Ne}[w.r.IntN(6)]
		if w.r.IntN(2) == 0 {
			return g.pick(ir.Num, g.op(op, ir.Bool, a, b), a, b)
		}
		return g.pick(ir.Num, g.op(op, ir.Bool, b, a), a, b)
	}
	return g.pick(ir.Num, w.truth(depth-1), x(), x())
}

func (w *grower) maybeZero(id ID) ID {
	if w.r.IntN(3) > 0 {
		return w.g.op(ir.Zero, ir.Num, id)
	}
	return id
}

func (w *grower) truth(depth int) ID {
	g := w.g
	if depth > 0 && w.r.IntN(4) == 0 {
		op := []ir.Op{ir.And, ir.Or, ir.Eq, ir.Ne}[w.r.IntN(4)]
		return g.op(op, ir.Bool, w.truth(depth-1), w.truth(depth-1))
	}
	if w.r.IntN(8) == 0 {
		return g.op(ir.Not, ir.Bool, g.before(w.f, 6))
	}
	op := []ir.Op{ir.Lt, ir.Le, ir.Eq, ir.Ne}[w.r.IntN(4)]
	return g.op(op, ir.Bool, w.num(depth), w.num(depth))
}

// evaluate computes all nodes of a graph for one row; truths are 0 and 1.
func evaluate(g *Graph, f *ir.Func, row []float64) []float64 {
	values := make([]float64, len(g.Nodes))
	for id := range g.Nodes {
		n := &g.Nodes[id]
		var x [3]float64
		for i, a := range n.Args {
			if a != none {
				x[i] = values[a]
			}
		}
		switch {
		case n.Leaf == Before:
			values[id] = row[n.Field]
		case n.Leaf == Uniform:
			values[id] = n.Source.Value
		default:
			values[id] = operate(n.Op, n.Type, x)
		}
	}
	return values
}

// operate computes one operation, in float32 if that is its type: the operands are
// float32 then, and so is the result.
func operate(op ir.Op, t ir.Type, x [3]float64) float64 {
	truth := func(b bool) float64 { return 2 - float64(choose(b)) }
	if t == ir.Num32 {
		a, b := float32(x[0]), float32(x[1])
		switch op {
		case ir.Add:
			return float64(a + b)
		case ir.Sub:
			return float64(a - b)
		case ir.Mul:
			return float64(a * b)
		case ir.Div:
			return float64(a / b)
		case ir.Zero:
			return float64(a + 0)
		case ir.Sqrt:
			return float64(float32(math.Sqrt(x[0])))
		}
	}
	switch op {
	case ir.Add:
		return x[0] + x[1]
	case ir.Sub:
		return x[0] - x[1]
	case ir.Mul:
		return x[0] * x[1]
	case ir.Div:
		return x[0] / x[1]
	case ir.Zero:
		return x[0] + 0
	case ir.Neg:
		return -x[0]
	case ir.Abs:
		return math.Abs(x[0])
	case ir.Floor:
		return math.Floor(x[0])
	case ir.Ceil:
		return math.Ceil(x[0])
	case ir.Sqrt:
		return math.Sqrt(x[0])
	case ir.Narrow:
		return float64(float32(x[0]))
	case ir.Widen:
		return x[0]
	case ir.Lt:
		return truth(x[0] < x[1])
	case ir.Le:
		return truth(x[0] <= x[1])
	case ir.Eq:
		return truth(x[0] == x[1])
	case ir.Ne:
		return truth(x[0] != x[1])
	case ir.And:
		return x[0] * x[1]
	case ir.Or:
		return max(x[0], x[1])
	case ir.Not:
		return 1 - x[0]
	case ir.Pick:
		if x[2] != 0 {
			return x[0]
		}
		return x[1]
	}
	panic(op)
}

// TestComparisonsInFloat32 holds which comparisons are of float32: each rule, and what
// just misses it.
func TestComparisonsInFloat32(t *testing.T) {
	f := rounded()
	for _, c := range []struct {
		name   string
		single bool
		cond   func(g *Graph, a, b ID, c func(float64) ID) ID
	}{
		{"fields", true, func(g *Graph, a, b ID, _ func(float64) ID) ID { return g.op(ir.Eq, ir.Bool, a, b) }},
		{"a field and an integer", true, func(g *Graph, a, _ ID, _ func(float64) ID) ID { return g.op(ir.Lt, ir.Bool, a, g.before(f, 3)) }},
		{"a field and a float64", false, func(g *Graph, a, _ ID, _ func(float64) ID) ID { return g.op(ir.Lt, ir.Bool, a, g.before(f, 5)) }},
		{"a float64 and a field", false, func(g *Graph, a, _ ID, _ func(float64) ID) ID { return g.op(ir.Lt, ir.Bool, g.before(f, 5), a) }},
		{"below no float32", true, func(g *Graph, a, _ ID, c func(float64) ID) ID { return g.op(ir.Lt, ir.Bool, a, c(0.1)) }},
		{"at most no float32", true, func(g *Graph, a, _ ID, c func(float64) ID) ID { return g.op(ir.Le, ir.Bool, a, c(0.1)) }},
		{"above no float32", true, func(g *Graph, a, _ ID, c func(float64) ID) ID { return g.op(ir.Lt, ir.Bool, c(0.1), a) }},
		{"equal to no float32", false, func(g *Graph, a, _ ID, c func(float64) ID) ID { return g.op(ir.Eq, ir.Bool, a, c(0.1)) }},
		{"below not-a-number", false, func(g *Graph, a, _ ID, c func(float64) ID) ID { return g.op(ir.Lt, ir.Bool, a, c(math.NaN())) }},
		{"a sum below no float32", false, func(g *Graph, a, b ID, c func(float64) ID) ID {
			return g.op(ir.Lt, ir.Bool, g.op(ir.Add, ir.Num, a, b), c(0.1))
		}},
		{"a sum below zero", true, func(g *Graph, a, b ID, c func(float64) ID) ID {
			return g.op(ir.Lt, ir.Bool, g.op(ir.Add, ir.Num, a, b), c(0))
		}},
		{"a sum that is zero", true, func(g *Graph, a, b ID, c func(float64) ID) ID {
			return g.op(ir.Eq, ir.Bool, c(0), g.op(ir.Add, ir.Num, a, b))
		}},
		{"a sum below one", false, func(g *Graph, a, b ID, c func(float64) ID) ID {
			return g.op(ir.Lt, ir.Bool, g.op(ir.Add, ir.Num, a, b), c(1))
		}},
		{"a product below zero", false, func(g *Graph, a, b ID, c func(float64) ID) ID {
			return g.op(ir.Lt, ir.Bool, g.op(ir.Mul, ir.Num, a, b), c(0))
		}},
		{"three quarters below zero", true, func(g *Graph, a, _ ID, c func(float64) ID) ID {
			return g.op(ir.Lt, ir.Bool, g.op(ir.Mul, ir.Num, a, c(0.75)), c(0))
		}},
	} {
		g := &Graph{known: map[key]ID{}, Final: map[int]ID{}}
		a, b := g.before(f, 0), g.before(f, 1)
		g.Rare = c.cond(g, a, b, func(v float64) ID { return g.uniform(ir.Constant(v)) })
		g.Final[2] = g.op(ir.Add, ir.Num, a, b)
		to, _ := round(f, g)
		cond := &to.Nodes[to.Rare]
		for _, operand := range cond.Args[:2] {
			if single := to.Nodes[operand].Type == ir.Num32; single != c.single {
				t.Errorf("%s: an operand is a float32: %t, want %t", c.name, single, c.single)
			}
		}
	}
}

// TestRoundedGraphs computes random graphs as they are, and as round writes them:
// what is stored, and the conditions, must be the same.
func TestRoundedGraphs(t *testing.T) {
	f := rounded()
	r := rand.New(rand.NewPCG(*roundSeed, 12))
	native, total := 0, 0
	for range 4000 {
		w := &grower{r, f, &Graph{known: map[key]ID{}, Final: map[int]ID{}}}
		w.g.Rare = w.truth(2)
		w.g.Final[0], w.g.Final[1] = w.num(2), w.num(3)
		w.g.Final[5] = w.num(2)
		single, wide := round(f, w.g)
		total += 2
		if single == nil {
			continue
		}
		native += 2 - len(wide)
		for range 150 {
			row := []float64{0, 0, 0, float64(r.IntN(256)), float64(r.IntN(65536) - 32768), r.NormFloat64(), float64(r.IntN(2))}
			for i := range 3 {
				row[i] = float64(tricky(r, float32(row[max(i-1, 0)])))
			}
			before, after := evaluate(w.g, f, row), evaluate(single, f, row)
			if before[w.g.Rare] != after[single.Rare] {
				t.Fatalf("seed %d, %v: a condition is %v", *roundSeed, row, after[single.Rare])
			}
			for i := range 2 {
				id, stored := single.Final[i]
				want, got := float32(before[w.g.Final[i]]), float32(row[i])
				if stored {
					got = float32(after[id])
				}
				if !same(want, got) {
					t.Fatalf("seed %d, %v: field %d is %v, want %v\n%+v\n%+v", *roundSeed, row, i, got, want, w.g.Nodes, single.Nodes)
				}
			}
			if want, got := before[w.g.Final[5]], after[single.Final[5]]; want != got && want == want {
				t.Fatalf("seed %d, %v: a float64 is %v, want %v", *roundSeed, row, got, want)
			}
		}
	}
	t.Logf("%d of %d fields in float32", native, total)
	if native < total/5 {
		t.Error("too few to say much")
	}
}
