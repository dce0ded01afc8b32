package passes

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

var soundSeed = flag.Uint64("sound.seed", 1, "seed of the random expressions whose bounds are held against values")

// scene is a kernel with some locals, what is known of them, and values that they
// may then have.
type scene struct {
	guarder
	values [][]float64 // by local
}

// scenes of five locals: two of which a branch has told something, two of whole
// numbers within a span, and a field of 8 bits.
func newScene(r *rand.Rand) *scene {
	f := &ir.Func{Spans: map[int]ir.Span{}}
	for range 5 {
		f.Locals = append(f.Locals, ir.Local{Name: "l", Type: ir.Num})
	}
	f.Fields = []ir.Field{{Local: 4, Kind: schema.U8}}
	s := &scene{guarder: guarder{prover: prover{f: f, single: map[int]*ir.Expr{}, facts: noFacts(nil)}}}
	ends := []float64{-3, -1, 0, 1, 2, 2.5, 7, 255, 1 << 24, 1<<24 + 1, 1 << 53, math.Inf(1), math.Inf(-1)}
	pair := func() (low, high float64) {
		a, b := ends[r.IntN(len(ends))], ends[r.IntN(len(ends))]
		return min(a, b), max(a, b)
	}
	for local := range 2 {
		low, high := pair()
		v := interval{low: low, high: high, nan: r.IntN(2) == 0}
		s.facts.spans[local] = v
		s.values = append(s.values, inside(v))
	}
	for local := 2; local < 4; local++ {
		low, high := pair()
		if low, high = math.Trunc(low), math.Trunc(high); math.IsInf(low, 0) || math.IsInf(high, 0) {
			low, high = -2, 5
		}
		f.Spans[local], s.single[local] = ir.Span{Low: low, High: high}, ir.Constant(0)
		s.values = append(s.values, inside(interval{low, high, true, false}))
	}
	s.values = append(s.values, []float64{0, 1, 17, 254, 255})
	return s
}

// inside are numbers that an interval has: its ends, what is beside them, and some
// in the middle.
func inside(v interval) (list []float64) {
	for _, x := range []float64{v.low, v.high, v.low + 1, v.high - 1, (v.low + v.high) / 2, v.low + 0.5, math.Nextafter(v.low, v.high), 0, math.Copysign(0, -1), 3, math.NaN()} {
		if v.has(x) {
			list = append(list, x)
		}
	}
	return list
}

// number makes an expression of numbers.
func (s *scene) number(r *rand.Rand, depth int) *ir.Expr {
	if depth == 0 || r.IntN(5) == 0 {
		if r.IntN(3) == 0 {
			return ir.Constant([]float64{0, 1, -1, 2, 3, 2.5, 100, 1 << 24, 1 << 53, math.Inf(1), math.NaN(), math.Copysign(0, -1)}[r.IntN(12)])
		}
		return number(r.IntN(len(s.values)))
	}
	a := s.number(r, depth-1)
	switch ops := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Mod, ir.Floor, ir.Ceil, ir.Zero, ir.Neg, ir.Abs, ir.Narrow, ir.Pick, ir.Pick}; ops[r.IntN(len(ops))] {
	case ir.Floor:
		return binary(ir.Floor, ir.Num, a)
	case ir.Ceil:
		return binary(ir.Ceil, ir.Num, a)
	case ir.Zero:
		return binary(ir.Zero, ir.Num, a)
	case ir.Neg:
		return binary(ir.Neg, ir.Num, a)
	case ir.Abs:
		return binary(ir.Abs, ir.Num, a)
	case ir.Narrow:
		return binary(ir.Widen, ir.Num, binary(ir.Narrow, ir.Num32, a))
	case ir.Pick:
		b := s.number(r, depth-1)
		if r.IntN(2) == 0 { // as math.min and math.max have it, and nearly so
			l, m := a, b
			if r.IntN(2) == 0 {
				l, m = m, l
			}
			if r.IntN(4) == 0 {
				m = s.number(r, 0)
			}
			return binary(ir.Pick, ir.Num, a, b, binary([]ir.Op{ir.Lt, ir.Lt, ir.Le, ir.Eq}[r.IntN(4)], ir.Bool, l, m))
		}
		return binary(ir.Pick, ir.Num, a, b, s.condition(r, depth-1))
	case ir.Mod:
		return binary(ir.Mod, ir.Num, a, s.number(r, depth-1))
	case ir.Mul:
		return binary(ir.Mul, ir.Num, a, s.number(r, depth-1))
	case ir.Sub:
		return binary(ir.Sub, ir.Num, a, s.number(r, depth-1))
	}
	return binary(ir.Add, ir.Num, a, s.number(r, depth-1))
}

// condition makes an expression of truths.
func (s *scene) condition(r *rand.Rand, depth int) *ir.Expr {
	if depth > 0 {
		switch r.IntN(5) {
		case 0:
			return binary(ir.Not, ir.Bool, s.condition(r, depth-1))
		case 1:
			return binary(ir.And, ir.Bool, s.condition(r, depth-1), s.condition(r, depth-1))
		case 2:
			return binary(ir.Or, ir.Bool, s.condition(r, depth-1), s.condition(r, depth-1))
		}
	}
	op := []ir.Op{ir.Lt, ir.Le, ir.Eq, ir.Ne}[r.IntN(4)]
	a := s.number(r, depth)
	if op == ir.Eq && r.IntN(2) == 0 {
		return binary(op, ir.Bool, binary(ir.Floor, ir.Num, number(r.IntN(5))), number(r.IntN(5)))
	}
	return binary(op, ir.Bool, a, s.number(r, depth))
}

// value computes an expression as a kernel does; a truth is 0 or 1.
func value(e *ir.Expr, locals []float64) float64 {
	args := make([]float64, len(e.Args))
	for i, a := range e.Args {
		args[i] = value(a, locals)
	}
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	switch e.Op {
	case ir.Const:
		return e.Value
	case ir.Get:
		return locals[e.Local]
	case ir.Add:
		return args[0] + args[1]
	case ir.Sub:
		return args[0] - args[1]
	case ir.Mul:
		return args[0] * args[1]
	case ir.Mod:
		m := math.Mod(args[0], args[1])
		if m*args[1] < 0 {
			m += args[1]
		}
		return m
	case ir.Floor:
		return math.Floor(args[0])
	case ir.Ceil:
		return math.Ceil(args[0])
	case ir.Zero:
		return args[0] + 0
	case ir.Neg:
		return -args[0]
	case ir.Abs:
		return math.Abs(args[0])
	case ir.Narrow:
		return float64(float32(args[0]))
	case ir.Widen:
		return args[0]
	case ir.Not:
		return 1 - args[0]
	case ir.And:
		return args[0] * args[1]
	case ir.Or:
		return max(args[0], args[1])
	case ir.Pick:
		if args[2] != 0 {
			return args[0]
		}
		return args[1]
	}
	return is(bool(order(e.Op, args[0], args[1])))
}

// TestWhatIsKnownIsSo holds random expressions against values: what is said to bound
// them bounds them, and conditions that are said to be decided go that way.
func TestWhatIsKnownIsSo(t *testing.T) {
	r := rand.New(rand.NewPCG(*soundSeed, 0))
	bounded, decided := 0, 0
	for range 30000 {
		s := newScene(r)
		e, cond := s.number(r, r.IntN(4)), s.condition(r, r.IntN(3))
		v := s.of(e, true)
		holds, known := s.decide(cond)
		if v != everything() {
			bounded++
		}
		if known {
			decided++
		}
		for range 12 {
			locals := make([]float64, len(s.values))
			for i, list := range s.values {
				locals[i] = math.NaN()
				if len(list) > 0 {
					locals[i] = list[r.IntN(len(list))]
				} else if !s.facts.spans[i].nan {
					known = false // nothing is there to hold it against
				}
			}
			if x := value(e, locals); !v.has(x) {
				t.Fatalf("%v of %v is %v, not in %+v; known %+v, %+v", keyOf(e, byNumber), locals, x, v, s.facts.spans, s.f.Spans)
			}
			if so := truth(value(cond, locals) != 0); known && so != holds {
				t.Fatalf("%v: %v of %v is decided to be %v; known %+v, %+v", keyOf(cond, byNumber), so, locals, holds, s.facts.spans, s.f.Spans)
			}
		}
	}
	if bounded < 8000 || decided < 1500 {
		t.Errorf("%d expressions were bounded and %d conditions decided: too few to judge by", bounded, decided)
	}
}

// TestComparisonsAreDecidedWhereTheyCanBe takes all small intervals of whole numbers:
// a comparison is decided just where all pairs agree.
func TestComparisonsAreDecidedWhereTheyCanBe(t *testing.T) {
	const most = 3
	for _, op := range []ir.Op{ir.Lt, ir.Le, ir.Eq, ir.Ne} {
		for code := range 4096 {
			low := [2]float64{float64(code & 7), float64(code >> 3 & 7)}
			high := [2]float64{low[0] + float64(code>>6&most), low[1] + float64(code>>8&most)}
			g := guarder{prover: prover{f: &ir.Func{Locals: make([]ir.Local, 2)}, facts: noFacts(nil)}}
			g.facts.spans[0], g.facts.spans[1] = interval{low: low[0], high: high[0]}, interval{low: low[1], high: high[1]}
			some, all := false, true
			for x := low[0]; x <= high[0]; x++ {
				for y := low[1]; y <= high[1]; y++ {
					so := bool(order(op, x, y))
					some, all = some || so, all && so
				}
			}
			holds, known := g.decide(binary(op, ir.Bool, number(0), number(1)))
			if known != (all || !some) || known && bool(holds) != all {
				t.Fatalf("%v of %v..%v and %v..%v: known %v, holds %v; all %v, some %v", op, low[0], high[0], low[1], high[1], known, holds, all, some)
			}
		}
	}
}

// TestWholeNumbersAreTheirFloor: that is what an index of an array is asked for.
func TestWholeNumbersAreTheirFloor(t *testing.T) {
	f := &ir.Func{Locals: make([]ir.Local, 3), Fields: []ir.Field{{Local: 0, Kind: schema.U8}, {Local: 1, Kind: schema.U8}, {Local: 2, Kind: schema.F64}}}
	g := guarder{prover: prover{f: f, facts: noFacts(nil)}}
	for name, c := range map[string]struct {
		floor, of int
		known     bool
	}{
		"a whole number":    {0, 0, true},
		"another one":       {0, 1, false},
		"any number":        {2, 2, false},
		"one of any number": {2, 0, false},
	} {
		holds, known := g.decide(binary(ir.Eq, ir.Bool, binary(ir.Floor, ir.Num, number(c.floor)), number(c.of)))
		if known != c.known || known && !bool(holds) {
			t.Errorf("%s: known %t, holds %t", name, known, holds)
		}
	}
}
