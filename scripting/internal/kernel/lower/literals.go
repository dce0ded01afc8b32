package lower

import (
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// numeral is a number that is written out.
func (l *lowerer) numeral(e *syntax.Number) *ir.Expr {
	v, ok := numberOf(e)
	if !ok {
		l.refuse(e.Line(), "the number %s", e.Value)
	}
	return ir.Constant(v)
}

// numberOf reads a number as the compiler of the VM does: the front end has
// made numerals decimal, without zeros before them.
func numberOf(e *syntax.Number) (float64, bool) {
	v, err := strconv.ParseFloat(e.Value, 64)
	return v, err == nil
}

// literal computes what is written in numbers alone, as the compiler of the VM
// does: without the machine's way with -0.
func literal(e syntax.Expr) (float64, bool) {
	switch e := e.(type) {
	case *syntax.Number:
		return numberOf(e)
	case *syntax.Minus:
		v, ok := literal(e.Expr)
		return -v, ok
	case *syntax.Logical:
		if rest := settled(e); rest != e {
			return literal(rest)
		}
	case *syntax.Arithmetic:
		a, known := literal(e.Lhs)
		b, too := literal(e.Rhs)
		if known && too {
			return compute(e.Operator, a, b), true
		}
	}
	return 0, false
}

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

func compute(operator string, a, b float64) float64 {
	switch operator {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "^":
		return math.Pow(a, b)
	}
	m := math.Mod(a, b)
	if b > 0 && m < 0 || b < 0 && m > 0 {
		m += b
	}
	return m
}

// isNegativeZero reports whether an operator's operands are written out and come to -0.
func isNegativeZero(e syntax.Expr) bool {
	v, ok := literal(e)
	return ok && v == 0 && math.Signbit(v)
}

// noNegativeZero refuses a function in whose text -0 is a constant. The compiler of
// the VM keeps 0 and -0 in one place, so which of them any 0 in the text
// is depends on what stands before it, in branches without a translation too.
func (l *lowerer) noNegativeZero() {
	if l.err == nil && l.fn.negative != nil {
		l.refuse(l.fn.negative.Line(), "the constant -0")
		l.err.whole = true
	}
}
