package passes

import (
	"math"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// TestFoldComputes holds that each operation on constants is computed beforehand, to
// what a kernel would compute, unless that is not-a-number.
func TestFoldComputes(t *testing.T) {
	edges := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -2.5, 3, 1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	truths := map[ir.Op]bool{ir.Lt: true, ir.Le: true, ir.Eq: true, ir.Ne: true}
	check := func(op ir.Op, want float64, args ...float64) {
		kind := ir.Num
		if truths[op] {
			kind = ir.Bool
		}
		e := binary(op, kind)
		for _, a := range args {
			e.Args = append(e.Args, ir.Constant(a))
		}
		foldExpr(e)
		switch known := e.Op == ir.Const; {
		case known == math.IsNaN(want):
			t.Errorf("%v of %v, which is %v: computed is %t", op, args, want, known)
		case known && (math.Float64bits(e.Value) != math.Float64bits(want) || e.Type != kind):
			t.Errorf("%v of %v: %v, want %v", op, args, e.Value, want)
		}
	}
	for _, a := range edges {
		check(ir.Neg, -a, a)
		check(ir.Abs, math.Abs(a), a)
		check(ir.Zero, a+0, a)
		check(ir.Ceil, math.Ceil(a), a)
		check(ir.Floor, math.Floor(a), a)
		check(ir.Sqrt, math.Sqrt(a), a)
		for _, b := range edges {
			check(ir.Add, a+b, a, b)
			check(ir.Sub, a-b, a, b)
			check(ir.Mul, a*b, a, b)
			check(ir.Div, a/b, a, b)
			for op := range truths {
				want := 0.0
				if order(op, a, b) {
					want = 1
				}
				check(op, want, a, b)
			}
		}
	}
}
