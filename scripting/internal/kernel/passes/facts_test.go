package passes

import (
	"math"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// number reads local i.
func number(i int) *ir.Expr { return &ir.Expr{Op: ir.Get, Type: ir.Num, Local: i} }

func binary(op ir.Op, t ir.Type, args ...*ir.Expr) *ir.Expr {
	return &ir.Expr{Op: op, Type: t, Args: args}
}

// order is what a comparison of two numbers comes to.
func order(op ir.Op, a, b float64) truth {
	switch op {
	case ir.Lt:
		return a < b
	case ir.Le:
		return a <= b
	case ir.Eq:
		return a == b
	}
	return a != b
}

// has reports whether a number is among those that an interval leaves.
func (v interval) has(x float64) bool {
	if x != x {
		return v.nan
	}
	return x >= v.low && x <= v.high && (!v.whole || x == math.Trunc(x))
}

// around are the numbers beside those that comparisons are made with.
func around(edges []float64) (list []float64) {
	for _, c := range edges {
		list = append(list, c, math.Nextafter(c, math.Inf(1)), math.Nextafter(c, math.Inf(-1)), c+1, c-1)
	}
	return append(list, math.NaN(), math.Copysign(0, -1), math.MaxFloat64, math.Inf(1), math.Inf(-1))
}

// TestComparisonsBound takes every comparison of a local with a number, either way
// round, as it holds and as it does not: what is known then leaves all numbers for
// which that is so, and of the others none, where one interval can tell them apart.
func TestComparisonsBound(t *testing.T) {
	edges := []float64{0, 1, -1, 2.5, 255, 1 << 53, math.Inf(1), math.Inf(-1)}
	for _, op := range []ir.Op{ir.Lt, ir.Le, ir.Eq, ir.Ne} {
		for form := range 8 {
			above, holds, negated := form&1 != 0, truth(form&2 != 0), form&4 != 0
			for _, c := range edges {
				args := []*ir.Expr{number(0), ir.Constant(c)}
				if above {
					args[0], args[1] = args[1], args[0]
				}
				cond, claim := binary(op, ir.Bool, args...), holds
				if negated {
					cond, claim = binary(ir.Not, ir.Bool, cond), !holds
				}
				k := noFacts(nil)
				k.learn(cond, claim)
				v, known := k.spans[0]
				one := op == ir.Ne == bool(holds) // all but one number: no interval
				if known == one && op != ir.Lt && op != ir.Le || !known && !one {
					t.Errorf("%v, form %d, %v: known is %t", op, form, c, known)
				}
				for _, x := range around(edges) {
					a, b := x, c
					if above {
						a, b = b, a
					}
					switch so := order(op, a, b) == holds; {
					case !known:
					case so && !v.has(x):
						t.Errorf("%v, form %d, %v: %v is left out of %+v", op, form, c, x, v)
					case !so && v.has(x) && !math.IsInf(c, 0):
						t.Errorf("%v, form %d, %v: %v is left in %+v", op, form, c, x, v)
					}
				}
			}
		}
	}
}

// TestBoundsOfArithmetic computes with all whole numbers of small intervals: none
// comes to lie outside of what is said of the result, and for sums, differences and
// products both ends are reached.
func TestBoundsOfArithmetic(t *testing.T) {
	const most = 3
	remain := func(a, b float64) float64 { return a - math.Floor(a/b)*b }
	for al := -most; al <= most; al++ {
		for ah := al; ah <= most; ah++ {
			for bl := -most; bl <= most; bl++ {
				for bh := bl; bh <= most; bh++ {
					a, b := interval{float64(al), float64(ah), true, false}, interval{float64(bl), float64(bh), true, false}
					check := func(name string, v interval, tight bool, compute func(a, b float64) float64) {
						low, high := math.Inf(1), math.Inf(-1)
						for x := a.low; x <= a.high; x++ {
							for y := b.low; y <= b.high; y++ {
								r := compute(x, y)
								if low, high = min(low, r), max(high, r); !v.has(r) {
									t.Fatalf("%v %s %v is %v, not in %+v", x, name, y, r, v)
								}
							}
						}
						if tight && (low != v.low || high != v.high) {
							t.Fatalf("%+v %s %+v: %+v, want %v to %v", a, name, b, v, low, high)
						}
					}
					op := func(op ir.Op) interval { return exact(binary(op, ir.Num), a, b) }
					check("+", op(ir.Add), true, func(a, b float64) float64 { return a + b })
					check("-", op(ir.Sub), true, func(a, b float64) float64 { return a - b })
					check("*", op(ir.Mul), true, func(a, b float64) float64 { return a * b })
					check("%", rest(a, b), false, remain)
					if v := rest(a, b); bl > 0 && (v.nan || !v.whole || v.high != b.high-1) {
						t.Fatalf("%+v %% %+v: %+v", a, b, v)
					}
				}
			}
		}
	}
}

// TestBoundsOfWhatIsNotExact holds that nothing is said of numbers that rounding, or
// the infinite, may make something else.
func TestBoundsOfWhatIsNotExact(t *testing.T) {
	inf := math.Inf(1)
	for name, v := range map[string]interval{
		"inf * 0":                 exact(binary(ir.Mul, ir.Num), interval{1, inf, true, false}, interval{0, 0, true, false}),
		"inf - inf":               exact(binary(ir.Sub, ir.Num), interval{inf, inf, true, false}, interval{inf, inf, true, false}),
		"0.5 * 2":                 exact(binary(ir.Mul, ir.Num), interval{0.5, 0.5, false, false}, interval{2, 2, true, false}),
		"nan + 1":                 exact(binary(ir.Add, ir.Num), interval{0, 1, true, true}, interval{1, 1, true, false}),
		"f32 sum":                 exact(binary(ir.Add, ir.Num32), interval{0, 1 << 24, true, false}, interval{0, 1, true, false}),
		"narrow":                  within(interval{0, 1<<24 + 1, true, false}, mostOf(ir.Num32)),
		"inf % 3":                 rest(interval{0, inf, true, false}, interval{3, 3, true, false}),
		"1 % inf":                 rest(interval{0, 1, true, false}, interval{3, inf, true, false}),
		"nan % 3":                 rest(interval{0, 1, true, true}, interval{3, 3, true, false}),
		"3 % nan":                 rest(interval{0, 1, true, false}, interval{3, 3, true, true}),
		"0.5 % 3":                 rest(interval{0, 1, false, false}, interval{3, 3, true, false}),
		"3 % (1, 2.5)":            rest(interval{0, 3, true, false}, interval{1, 2.5, false, false}),
		"3 % (0 to 1)":            rest(interval{0, 3, true, false}, interval{0, 1, true, false}),
		"3 % (-2 to 5)":           rest(interval{0, 3, true, false}, interval{-2, 5, true, false}),
		"a captured not-a-number": (&prover{}).of(ir.Constant(math.NaN()), true),
	} {
		if v != everything() {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestBoundsOfChoices takes all choices for being less, and greater, between two
// locals that may be not-a-number or not.
func TestBoundsOfChoices(t *testing.T) {
	sample := []float64{-2, -1, 0, 1, 2, math.NaN()}
	var spans []interval
	for low := -2.0; low <= 2; low++ {
		for high := low; high <= 2; high++ {
			spans = append(spans, interval{low: low, high: high}, interval{low: low, high: high, nan: true})
		}
	}
	f := &ir.Func{Locals: []ir.Local{{Name: "a", Type: ir.Num}, {Name: "b", Type: ir.Num}}}
	for _, a := range spans {
		for _, b := range spans {
			p := &prover{f: f, facts: noFacts(nil)}
			p.facts.spans[0], p.facts.spans[1] = a, b
			for form := range 8 {
				op := []ir.Op{ir.Lt, ir.Le, ir.Eq, ir.Ne}[form>>1]
				args := []*ir.Expr{number(form & 1), number(1 - form&1)}
				v := p.of(binary(ir.Pick, ir.Num, number(0), number(1), binary(op, ir.Bool, args...)), true)
				for _, x := range sample {
					for _, y := range sample {
						l, r, chosen := x, y, y
						if form&1 != 0 {
							l, r = y, x
						}
						if order(op, l, r) {
							chosen = x
						}
						if a.has(x) && b.has(y) && !v.has(chosen) {
							t.Fatalf("form %d: %v of %+v and %v of %+v: %v is not in %+v", form, x, a, y, b, chosen, v)
						}
					}
				}
			}
		}
	}
}

// TestWhatLooksOutsideIsNotRemembered: a condition that has looked at the world, drawn
// a number or assigned a local may go another way when it is asked again.
func TestWhatLooksOutsideIsNotRemembered(t *testing.T) {
	outside := []ir.Op{ir.Tee, ir.Random, ir.Draw, ir.Touched, ir.Alive, ir.Record, ir.Find, ir.Fetch, ir.Step, ir.Load, ir.Here, ir.Ask, ir.Invoke, ir.Do}
	for op := ir.Const; op <= ir.Pick; op++ {
		cond := binary(ir.Not, ir.Bool, &ir.Expr{Op: op, Type: ir.Bool})
		if _, _, plain := describe(cond); plain == slices.Contains(outside, op) {
			t.Errorf("%v is remembered: %t", op, plain)
		}
	}
}
