package lower

import (
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/yuin/gopher-lua/ast"
)

// val is a Lua value of which the text does not tell all.
//
//   - plain: expr is its value, of one type.
//   - a choice: the number of the first arm whose condition holds, else false.
//   - mixed: only its truth is known, in expr.
type val struct {
	expr  *ir.Expr
	arms  []arm
	mixed bool
}

// arm is c and x, with x a number.
type arm struct{ cond, number *ir.Expr }

func (v val) isChoice() bool { return v.arms != nil }

func (v val) isType(t ir.Type) bool { return v.arms == nil && !v.mixed && v.expr.Type == t }

// isFalse reports whether the value is written as false.
func (v val) isFalse() bool {
	return v.isType(ir.Bool) && v.expr.Op == ir.Const && v.expr.Value == 0
}

// truth returns whether the value counts as true: all but nil and false do.
func (v val) truth() *ir.Expr {
	if v.isChoice() {
		any := v.arms[0].cond
		for _, a := range v.arms[1:] {
			any = binary(ir.Or, any, a.cond)
		}
		return any
	}
	if v.expr.Type == ir.Num {
		return ir.Truth(true)
	}
	return v.expr
}

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

// condition translates what is only asked for its truth.
func (l *lowerer) condition(e ast.Expr) *ir.Expr { return l.value(e).truth() }

// plain translates an expression whose value is needed. After a refusal the
// answer means nothing.
func (l *lowerer) plain(e ast.Expr) *ir.Expr {
	v := l.value(e)
	if v.isChoice() || v.mixed {
		l.refuse(e.Line(), "a value that is a number for some rows and a boolean for others")
		return ir.Constant(0)
	}
	return v.expr
}

// number translates an operand that must be a number.
func (l *lowerer) number(e ast.Expr, what string) *ir.Expr {
	x := l.plain(e)
	if x.Type != ir.Num {
		l.refuse(e.Line(), "%s a boolean", what)
		return ir.Constant(0)
	}
	return x
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
	case *ast.IdentExpr:
		return val{expr: l.name(e)}
	case *ast.AttrGetExpr:
		return val{expr: l.attribute(e)}
	case *ast.LogicalOpExpr:
		a, b := l.value(e.Lhs), l.value(e.Rhs)
		if e.Operator == "and" {
			return andThen(a, b)
		}
		return orElse(a, b)
	case *ast.UnaryNotOpExpr:
		return val{expr: not(l.condition(e.Expr))}
	case *ast.FuncCallExpr:
		return val{expr: l.call(e)}
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
			return l.known(e, v)
		}
		return l.arithmetic(e)
	case *ast.RelationalOpExpr:
		return l.comparison(e)
	case *ast.UnaryMinusOpExpr:
		if v, ok := l.literal(e); ok {
			return l.known(e, v)
		}
		return unary(ir.Neg, l.number(e.Expr, "minus"))
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

// known makes a constant of what was written in numbers. The compiler of the Lua
// machine keeps 0 and -0 in one place, so which of them a function gets depends
// on the rest of it.
func (l *lowerer) known(e ast.Expr, v float64) *ir.Expr {
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
	case *ast.FunctionExpr:
		return "a function inside the function"
	case *ast.Comma3Expr:
		return "..."
	}
	return "this expression"
}

func (l *lowerer) arithmetic(e *ast.ArithmeticOpExpr) *ir.Expr {
	a, b := l.number(e.Lhs, "arithmetic on"), l.number(e.Rhs, "arithmetic on")
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

func (l *lowerer) comparison(e *ast.RelationalOpExpr) *ir.Expr {
	if e.Operator == "==" || e.Operator == "~=" {
		return l.equality(e)
	}
	a, b := l.number(e.Lhs, "order with"), l.number(e.Rhs, "order with")
	switch e.Operator {
	case "<":
		return binary(ir.Lt, a, b)
	case ">":
		return binary(ir.Lt, b, a)
	case "<=":
		return binary(ir.Le, a, b)
	}
	return binary(ir.Le, b, a) // >=
}

func (l *lowerer) equality(e *ast.RelationalOpExpr) *ir.Expr {
	a, b := l.plain(e.Lhs), l.plain(e.Rhs)
	op := ir.Eq
	if e.Operator == "~=" {
		op = ir.Ne
	}
	if a.Type != b.Type { // never equal, whatever they are
		return ir.Truth(op == ir.Ne)
	}
	return binary(op, a, b)
}

// andThen is a and b.
func andThen(a, b val) val {
	if a.isType(ir.Num) {
		return b
	}
	cond := a.truth()
	switch {
	case b.isType(ir.Num):
		return val{arms: []arm{{cond, b.expr}}}
	case b.isType(ir.Bool):
		return val{expr: binary(ir.And, cond, b.expr)}
	case b.isChoice() && len(b.arms) == 1:
		return val{arms: []arm{{binary(ir.And, cond, b.arms[0].cond), b.arms[0].number}}}
	}
	return val{expr: binary(ir.And, cond, b.truth()), mixed: true}
}

// orElse is a or b.
func orElse(a, b val) val {
	switch {
	case a.isType(ir.Num):
		return a
	case a.isType(ir.Bool) && b.isType(ir.Bool):
		return val{expr: binary(ir.Or, a.expr, b.expr)}
	case a.isChoice() && b.isType(ir.Num):
		e := b.expr
		for i := len(a.arms) - 1; i >= 0; i-- {
			e = pick(a.arms[i].cond, a.arms[i].number, e)
		}
		return val{expr: e}
	case a.isChoice() && b.isFalse():
		return a
	case a.isChoice() && b.isChoice():
		return val{arms: append(a.arms, b.arms...)}
	}
	return val{expr: binary(ir.Or, a.truth(), b.truth()), mixed: true}
}
