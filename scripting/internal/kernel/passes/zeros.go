package passes

import (
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// zeros takes out the Zeros that nobody can see: where the value is never -0, or
// where what is done with it does not depend on the sign of a zero.
func zeros(f *ir.Func) {
	ir.Walk(f.Body, func(s *ir.Stmt) {
		if s.Value != nil {
			stripZeros(s.Value, true)
		}
	})
}

// stripZeros works on a tree. visible says that the sign of a zero that comes
// out of it can be seen.
func stripZeros(e *ir.Expr, visible bool) {
	for e.Op == ir.Zero && (!visible || !mayBeMinusZero(e.Args[0])) {
		*e = *e.Args[0]
	}
	switch e.Op {
	case ir.Zero, ir.Abs, ir.Lt, ir.Le, ir.Eq, ir.Ne:
		visible = false
	case ir.Call, ir.Tee, ir.Do, ir.Ask:
		visible = true
	case ir.Div: // by -0 is something else than by 0
		stripZeros(e.Args[0], visible)
		stripZeros(e.Args[1], true)
		return
	}
	for _, a := range e.Args {
		stripZeros(a, visible)
	}
}

// mayBeMinusZero reports whether a value can be -0. A sum is -0 only if both of
// its operands are, a difference only if the first is.
func mayBeMinusZero(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const:
		return e.Value == 0 && math.Signbit(e.Value)
	case ir.Zero, ir.Abs:
		return false
	case ir.Add:
		return mayBeMinusZero(e.Args[0]) && mayBeMinusZero(e.Args[1])
	case ir.Sub:
		return mayBeMinusZero(e.Args[0])
	case ir.Mul: // a square has no sign
		return hasTee(e) || keyOf(e.Args[0], strconv.Itoa) != keyOf(e.Args[1], strconv.Itoa)
	case ir.Pick:
		return mayBeMinusZero(e.Args[0]) || mayBeMinusZero(e.Args[1])
	}
	return true
}
