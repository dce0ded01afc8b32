package syntax

import (
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/ecs/detmath"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// What can be known of an expression without running it. Truth and Literal are asked by
// the resolver, the analysis of calls and the kernel compiler; all must agree with what
// the VM computes, or a kernel would compute something else than the VM.

// Truth tells whether an expression that is written out in literals counts as true;
// others are unknown.
func Truth(expr Expr) (isTrue, known bool) {
	switch e := expr.(type) {
	case *True, *Number, *String:
		return true, true
	case *False, *Nil:
		return false, true
	case *Arithmetic, *Minus:
		_, known = literal(e)
		return known, known
	case *Not:
		isTrue, known = Truth(e.Expr)
		return !isTrue, known
	case *Logical:
		isTrue, known = Truth(e.Lhs)
		if known && isTrue == (e.Operator == "and") {
			return Truth(e.Rhs)
		}
		return isTrue, known
	}
	return false, false
}

// Literal returns what an expression comes to that is written out in numbers. Its value
// is that which the VM computes, but for the bits of not-a-number.
// Names are never followed: for those of locals see Names.ValueOf.
func Literal(expr Expr) (float64, bool) {
	switch e := expr.(type) {
	case *Number:
		v, err := strconv.ParseFloat(e.Value, 64)
		return v, err == nil
	case *Minus:
		v, ok := Literal(e.Expr)
		return -v, ok
	case *Arithmetic:
		b, known := Literal(e.Rhs)
		if !known {
			return 0, false
		}
		a, known := Literal(e.Lhs)
		return Compute(e.Operator, a, b), known
	case *Logical:
		switch isTrue, known := Truth(e.Lhs); {
		case !known:
			return 0, false
		case isTrue == (e.Operator == "and"):
			return Literal(e.Rhs)
		}
		return Literal(e.Lhs)
	}
	return 0, false
}

// literal is Literal for what is computed when the script is compiled. Infinite values,
// and not-a-number, are left to the VM, as PUC Lua leaves division by zero.
func literal(expr Expr) (float64, bool) {
	v, ok := Literal(expr)
	return v, ok && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// Compute returns the result of an arithmetic operator (+, -, *, /, %, ^) on numbers as the VM computes
// it. A result of zero is 0, never -0: the VM takes small whole numbers from a table,
// where -0 finds 0.
func Compute(operator string, a, b float64) float64 {
	switch operator {
	case "+":
		return a + b + 0
	case "-":
		return a - b + 0
	case "*":
		return float64(a*b) + 0 // the conversion: some machines would round only once
	case "/":
		return a/b + 0
	case "^":
		return detmath.Pow(a, b) + 0
	}
	return detmath.Modulo(a, b) + 0
}

// computed lowers arithmetic on what is written out in numbers. It is nil for all else.
//
// Why not leave this to gopher-lua's compiler? It computes -0 where its VM, which does
// the same arithmetic when the script runs, computes 0.
func computed(e Expr) *ast.NumberExpr {
	if v, ok := literal(e); ok {
		return &ast.NumberExpr{Value: numeralOf(v)}
	}
	return nil
}

// negativeZero is a numeral that no text has: there, a minus stands before it.
// gopher-lua's compiler does not read it, see [loadNegativeZeros].
const negativeZero = "-0"

// loadNegativeZeros has -0 be a constant of its own.
func loadNegativeZeros(u *unit, stmts []ast.Stmt) []ast.Stmt {
	mark := rewriter{expr: func(expr ast.Expr) ast.Expr {
		if number, ok := expr.(*ast.NumberExpr); ok && number.Value == negativeZero {
			return u.load(lua.LNumber(math.Copysign(0, -1)), expr.Line())
		}
		return expr
	}}
	return mark.rewriteBlock(stmts)
}
