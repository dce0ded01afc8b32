package lower

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// This file is about expressions of which the text alone says what is left. The front end
// of the VM drops an operand that a literal rules out, so lowering must drop it as well: a
// name that is only mentioned there is not captured, and nobody could say what it stands
// for.

// settled returns what is left of `and`, `or` and `not` where the operand that
// decides is written out: the front end drops the rest, and what is dropped
// captures nothing.
//
// The result has no operator at its top that a literal decides. It is asked wherever an
// expression is translated, counted or judged, so that these see one tree: value, own,
// leastOf and sizes. The tree itself is never changed, as several kernels may be made of
// it.
func settled(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Logical:
		first := settled(e.Lhs)
		isTrue, known := syntax.Truth(first)
		switch {
		case !known:
		case isTrue == (e.Operator == "and"):
			return settled(e.Rhs)
		default:
			return first
		}
	case *syntax.Not:
		isTrue, known := syntax.Truth(e.Expr)
		switch {
		case !known:
		case isTrue:
			return &syntax.False{}
		default:
			return &syntax.True{}
		}
	}
	return e
}
