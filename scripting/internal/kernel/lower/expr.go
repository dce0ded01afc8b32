package lower

import (
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/yuin/gopher-lua/ast"
)

// binary makes an operation of two operands.
func binary(op ir.Op, a, b *ir.Expr) *ir.Expr {
	e := &ir.Expr{Op: op, Type: op.Gives(), Args: []*ir.Expr{a, b}}
	e.Lazy = (op == ir.And || op == ir.Or) && b.Heavy()
	return e
}

func unary(op ir.Op, a *ir.Expr) *ir.Expr {
	return &ir.Expr{Op: op, Type: op.Gives(), Args: []*ir.Expr{a}}
}

// zero makes the result of arithmetic what the Lua machine makes of it: it takes
// small whole numbers from a table, where -0 finds 0.
func zero(a *ir.Expr) *ir.Expr { return unary(ir.Zero, a) }

func not(a *ir.Expr) *ir.Expr { return unary(ir.Not, a) }

// pick makes: a if cond holds, else b.
func pick(cond, a, b *ir.Expr) *ir.Expr {
	return &ir.Expr{Op: ir.Pick, Type: a.Type, Args: []*ir.Expr{a, b, cond}, Lazy: a.Heavy() || b.Heavy()}
}

func (l *lowerer) value(e ast.Expr) val {
	e = settled(e)
	switch e := e.(type) {
	case *ast.NumberExpr:
		return val{expr: l.numeral(e)}
	case *ast.TrueExpr:
		return val{expr: ir.Truth(true)}
	case *ast.FalseExpr:
		return val{expr: ir.Truth(false)}
	case *ast.NilExpr:
		return val{isNil: true}
	case *ast.StringExpr:
		return val{text: &e.Value}
	case *ast.IdentExpr:
		return l.name(e)
	case *ast.AttrGetExpr:
		return l.attribute(e)
	case *ast.LogicalOpExpr:
		return l.logic(e)
	case *ast.UnaryNotOpExpr:
		return val{expr: not(l.condition(e.Expr))}
	case *ast.FunctionExpr:
		return l.closure(e)
	case *ast.FuncCallExpr:
		if list := l.calls(e); len(list) > 0 {
			return list[0]
		}
		return val{isNil: true}
	}
	return val{expr: l.operator(e)}
}

// numeral reads a number as the compiler of the Lua machine does; the front end
// has made numerals canonical.
func (l *lowerer) numeral(e *ast.NumberExpr) *ir.Expr {
	if i, err := strconv.ParseInt(e.Value, 0, 64); err == nil {
		return ir.Constant(float64(i))
	}
	v, err := strconv.ParseFloat(e.Value, 64)
	if err != nil {
		l.refuse(e.Line(), "the number %s", e.Value)
	}
	return ir.Constant(v)
}

func (l *lowerer) operator(e ast.Expr) *ir.Expr {
	switch e := e.(type) {
	case *ast.ArithmeticOpExpr:
		if v, ok := l.literal(e); ok {
			return l.constant(e, v)
		}
		return l.arithmetic(e)
	case *ast.RelationalOpExpr:
		return l.comparison(e)
	case *ast.UnaryMinusOpExpr:
		if v, ok := l.literal(e); ok {
			return l.constant(e, v)
		}
		return unary(ir.Neg, l.number(e.Expr, "minus"))
	case *ast.UnaryLenOpExpr:
		if s := l.spot(e.Expr); s != nil && s.field.Len > 0 && s.index == nil {
			l.need(s.row)
			return ir.Constant(float64(s.field.Len))
		}
		if t, ok := l.tableOf(e.Expr); ok {
			return l.given(e.Line(), t.Item(0)).expr
		}
	}
	l.refuse(e.Line(), "%s", nounOf(e))
	return ir.Constant(0)
}

// literal computes what is written in numbers alone, as the compiler of the Lua
// machine does: without the machine's way with -0.
func (l *lowerer) literal(e ast.Expr) (float64, bool) {
	switch e := e.(type) {
	case *ast.NumberExpr:
		return l.numeral(e).Value, true
	case *ast.UnaryMinusOpExpr:
		v, ok := l.literal(e.Expr)
		return -v, ok
	case *ast.LogicalOpExpr:
		if rest := settled(e); rest != e {
			return l.literal(rest)
		}
	case *ast.ArithmeticOpExpr:
		a, known := l.literal(e.Lhs)
		b, too := l.literal(e.Rhs)
		if known && too {
			return compute(e.Operator, a, b), true
		}
	}
	return 0, false
}

// settled returns what is left of `and`, `or` and `not` where the operand that
// decides is written out: the front end drops the rest, and what is dropped
// captures nothing.
func settled(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.LogicalOpExpr:
		first := settled(e.Lhs)
		isTrue, known := truth(first)
		switch {
		case !known:
		case isTrue == (e.Operator == "and"):
			return settled(e.Rhs)
		default:
			return first
		}
	case *ast.UnaryNotOpExpr:
		isTrue, known := truth(settled(e.Expr))
		switch {
		case !known:
		case isTrue:
			return &ast.FalseExpr{}
		default:
			return &ast.TrueExpr{}
		}
	}
	return e
}

// truth tells whether a literal counts as true; other expressions are unknown.
func truth(e ast.Expr) (isTrue, known bool) {
	switch e.(type) {
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		return true, true
	case *ast.FalseExpr, *ast.NilExpr:
		return false, true
	}
	return false, false
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

// constant makes a constant of what was written in numbers. The compiler of the Lua
// machine keeps 0 and -0 in one place, so which of them a function gets depends
// on the rest of it.
func (l *lowerer) constant(e ast.Expr, v float64) *ir.Expr {
	if v == 0 && math.Signbit(v) {
		l.refuse(e.Line(), "the constant -0")
	}
	return ir.Constant(v)
}

// nounOf names what has no translation.
func nounOf(e ast.Expr) string {
	switch e.(type) {
	case *ast.NilExpr:
		return "nil"
	case *ast.StringExpr:
		return "a string"
	case *ast.StringConcatOpExpr:
		return "string concatenation"
	case *ast.UnaryLenOpExpr:
		return "#"
	case *ast.TableExpr:
		return "a table"
	case *ast.Comma3Expr:
		return "..."
	}
	return "this expression"
}

func (l *lowerer) arithmetic(e *ast.ArithmeticOpExpr) *ir.Expr {
	operands := l.pair(e.Lhs, e.Rhs, "arithmetic on")
	a, b := operands[0], operands[1]
	if e.Operator == "^" {
		return zero(l.power(a, b))
	}
	op := map[string]ir.Op{"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "/": ir.Div, "%": ir.Mod}[e.Operator]
	if op == 0 {
		l.refuse(e.Line(), "the operator %s", e.Operator)
		return a
	}
	return zero(binary(op, a, b))
}

// pair translates two operands that must be numbers.
func (l *lowerer) pair(lhs, rhs ast.Expr, what string) [2]*ir.Expr {
	list := l.sequence([]ast.Expr{lhs, rhs}, func(e ast.Expr) []val { return one(l.number(e, what)) })
	return [2]*ir.Expr{list[0].expr, list[1].expr}
}
