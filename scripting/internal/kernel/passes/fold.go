package passes

import (
	"math"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file computes operations on constants, with the very float64 arithmetic that the
// machine has: Go's is IEEE 754, rounded once for each operation. It runs before narrow, so
// there are no float32 to fold.

// fold computes what is known. lower writes captured constants as numbers, so that a factor
// of a table of settings costs nothing for each row. It follows no algebra: x*0 is not 0 when x is
// infinite, and x+0 is not x when x is -0.
func fold(f *ir.Func) {
	ir.Walk(f.Body, func(s *ir.Stmt) {
		if s.Value != nil {
			foldExpr(s.Value)
		}
	})
}

// foldExpr folds a tree from its leaves on. A choice is decided before its operands would
// have to be known; two nots fall away.
func foldExpr(e *ir.Expr) {
	for _, a := range e.Args {
		foldExpr(a)
	}
	switch e.Op {
	case ir.And, ir.Or:
		foldLogic(e)
		return
	case ir.Pick:
		if cond := e.Args[2]; cond.Op == ir.Const {
			if cond.Value != 0 {
				*e = *e.Args[0]
			} else {
				*e = *e.Args[1]
			}
		}
		return
	case ir.Not:
		if inner := e.Args[0]; inner.Op == ir.Not {
			*e = *inner.Args[0]
			return
		}
	}
	if v, ok := compute(e); ok {
		*e = ir.Expr{Op: ir.Const, Type: e.Type, Value: v}
	}
}

// foldLogic drops an operand that decides, or does not matter. In front of one that
// decides, what does something stays: an expression further on may read what it sets.
func foldLogic(e *ir.Expr) {
	for i, a := range e.Args {
		if a.Op != ir.Const {
			continue
		}
		switch decides := (a.Value != 0) == (e.Op == ir.Or); {
		case !decides:
			*e = *e.Args[1-i]
		case i == 0 || !matters(e.Args[0]):
			*e = *a
		default:
			continue
		}
		return
	}
}

// compute evaluates an operation on constants. Not-a-number is left to the
// machine: its bits are not the same everywhere, and as a constant in the module it would
// have those of the machine that compiled it.
func compute(e *ir.Expr) (float64, bool) {
	var x [2]float64
	if len(e.Args) == 0 || len(e.Args) > 2 {
		return 0, false
	}
	for i, a := range e.Args {
		if a.Op != ir.Const {
			return 0, false
		}
		x[i] = a.Value
	}
	v, ok := arithmetic(e.Op, x[0], x[1])
	if !ok {
		v, ok = comparison(e.Op, x[0], x[1])
	}
	return v, ok && !math.IsNaN(v)
}

// arithmetic and comparison compute one operation; false for those of other kinds. Mod is not
// among them, because the host's function says what it is; nor are library functions, which
// may differ between machines.
func arithmetic(op ir.Op, a, b float64) (float64, bool) {
	switch op {
	case ir.Add:
		return a + b, true
	case ir.Sub:
		return a - b, true
	case ir.Mul:
		return a * b, true
	case ir.Div:
		return a / b, true
	case ir.Neg:
		return -a, true
	case ir.Zero:
		return a + 0, true
	case ir.Abs:
		return math.Abs(a), true
	case ir.Ceil:
		return math.Ceil(a), true
	case ir.Floor:
		return math.Floor(a), true
	case ir.Sqrt:
		return math.Sqrt(a), true
	}
	return 0, false
}

// comparison gives 1 or 0. Bools are compared as the numbers that they are.
func comparison(op ir.Op, a, b float64) (float64, bool) {
	var holds bool
	switch op {
	case ir.Lt:
		holds = a < b
	case ir.Le:
		holds = a <= b
	case ir.Eq:
		holds = a == b
	case ir.Ne:
		holds = a != b
	case ir.Not:
		holds = a == 0
	default:
		return 0, false
	}
	if holds {
		return 1, true
	}
	return 0, true
}
