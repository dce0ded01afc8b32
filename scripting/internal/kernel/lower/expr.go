package lower

import (
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

func (l *lowerer) operator(e ast.Expr) *ir.Expr {
	switch e := e.(type) {
	case *ast.ArithmeticOpExpr:
		if v, ok := literal(e); ok {
			return ir.Constant(v)
		}
		return l.arithmetic(e)
	case *ast.RelationalOpExpr:
		return l.comparison(e)
	case *ast.UnaryMinusOpExpr:
		if v, ok := literal(e); ok {
			return ir.Constant(v)
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
	list := l.sides(lhs, rhs, func(e ast.Expr) val { return val{expr: l.number(e, what)} })
	return [2]*ir.Expr{list[0].expr, list[1].expr}
}
