package lower

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// settled returns what is left of `and`, `or` and `not` where the operand that
// decides is written out: the front end drops the rest, and what is dropped
// captures nothing.
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
