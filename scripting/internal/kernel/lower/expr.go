package lower

import (
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file translates expressions with one value of one type, and makes the nodes of the
// kernel that other files use. What gives a value that depends on the row, as and and or
// do, is in logic.go. A [val] is what an expression is on the way; an ir.Expr is what a
// kernel has of it.

// binary makes an operation of two operands.
//
// An operand that has much to do is not evaluated in vain: And and Or become lazy with it.
// Either way gives the same, for what reads or changes the world has become a statement
// before the expression, see sequence.
func binary(op ir.Op, a, b *ir.Expr) *ir.Expr {
	e := &ir.Expr{Op: op, Type: op.Gives(), Args: []*ir.Expr{a, b}}
	e.Lazy = (op == ir.And || op == ir.Or) && b.Heavy()
	return e
}

func unary(op ir.Op, a *ir.Expr) *ir.Expr {
	return &ir.Expr{Op: op, Type: op.Gives(), Args: []*ir.Expr{a}}
}

// zero makes the result of arithmetic what the VM makes of it: it takes small whole numbers
// from a table, where -0 finds 0. Each arithmetic operation is wrapped in it, see ir.Zero;
// a pass takes out those that make no difference.
func zero(a *ir.Expr) *ir.Expr { return unary(ir.Zero, a) }

// not, as all of these, takes its operand into the new node. A caller that needs the
// operand once more must use again.
func not(a *ir.Expr) *ir.Expr { return unary(ir.Not, a) }

// pick makes: a if cond holds, else b. The types of a and b are the same. It is lazy where
// one of them is dear; extreme and round take that back, since their conditions read what
// both operands leave.
func pick(cond, a, b *ir.Expr) *ir.Expr {
	return &ir.Expr{Op: ir.Pick, Type: a.Type, Args: []*ir.Expr{a, b, cond}, Lazy: a.Heavy() || b.Heavy()}
}

// value translates an expression that gives one value. A call gives its first one, or nil.
// Each value gets a place in the text, at which a refusal that comes later will point.
func (l *lowerer) value(e syntax.Expr) val {
	e = settled(e)
	v := l.unlocated(e)
	if v.pos == (syntax.Pos{}) {
		v.pos = e.Position()
	}
	return v
}

// unlocated is value without the place.
func (l *lowerer) unlocated(e syntax.Expr) val {
	switch e := e.(type) {
	case *syntax.True:
		return val{expr: ir.Truth(true)}
	case *syntax.False:
		return val{expr: ir.Truth(false)}
	case *syntax.Nil:
		return val{isNil: true}
	case *syntax.String:
		return val{text: &e.Value}
	case *syntax.Name:
		return l.name(e)
	case *syntax.Index:
		return l.attribute(e)
	case *syntax.Logical:
		return l.logic(e)
	case *syntax.Not:
		return val{expr: not(l.condition(e.Expr))}
	case *syntax.Function:
		return l.closure(e)
	case *syntax.Call:
		if list := l.calls(e); len(list) > 0 {
			return list[0]
		}
		return val{isNil: true}
	}
	return val{expr: l.operator(e)}
}

// operator translates what gives a number or a boolean whatever its operands hold, or
// refuses it. The length of an array field is known from its schema, and that of a list is
// an input, see Resolved.Item.
func (l *lowerer) operator(e syntax.Expr) *ir.Expr {
	if v, ok := syntax.Literal(e); ok {
		return ir.Constant(v)
	}
	switch e := e.(type) {
	case *syntax.Arithmetic:
		return l.arithmetic(e)
	case *syntax.Comparison:
		return l.comparison(e)
	case *syntax.Minus:
		return unary(ir.Neg, l.number(e.Expr, "minus"))
	case *syntax.Length:
		if s := l.spot(e.Expr); s != nil && s.field.Len > 0 && s.index == nil {
			l.need(s.row)
			return ir.Constant(float64(s.field.Len))
		}
		if t, ok := l.tableOf(e.Expr); ok {
			return l.given(e.Position(), t.Item(0)).expr
		}
	}
	l.refuseFor(e.Position(), insteadOf(e), "%s", nounOf(e))
	return ir.Constant(0)
}

// insteadOf says what to write for what has no translation; empty for most.
func insteadOf(e syntax.Expr) string {
	switch e.(type) {
	case *syntax.Concat:
		return "emit an event with the numbers, and make the text where it is read"
	case *syntax.Table:
		return "make it once outside of the function, or use locals for what is in it"
	}
	return ""
}

// nounOf names what has no translation. The words are what follows "line 3, column 5:" in a
// refusal.
func nounOf(e syntax.Expr) string {
	switch e.(type) {
	case *syntax.Nil:
		return "nil"
	case *syntax.String:
		return "a string"
	case *syntax.Concat:
		return "string concatenation"
	case *syntax.Length:
		return "# of anything but a list or an array field"
	case *syntax.Table:
		return "a table that is made here"
	case *syntax.Vararg:
		return "..."
	}
	return "this expression"
}

// arithmetic translates a binary operation on numbers. A string is refused, whatever is in
// it.
func (l *lowerer) arithmetic(e *syntax.Arithmetic) *ir.Expr {
	operands := l.pair(e.Lhs, e.Rhs, inArithmetic)
	a, b := operands[0], operands[1]
	if e.Operator == "^" {
		return zero(l.power(a, b))
	}
	op := map[string]ir.Op{"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "/": ir.Div, "%": ir.Mod}[e.Operator]
	if op == 0 {
		l.refuse(e.Position(), "the operator %s", e.Operator)
		return a
	}
	return zero(binary(op, a, b))
}

// pair translates two operands that must be numbers.
func (l *lowerer) pair(lhs, rhs syntax.Expr, what string) [2]*ir.Expr {
	list := l.sides(lhs, rhs, func(e syntax.Expr) val { return val{expr: l.number(e, what)} })
	return [2]*ir.Expr{list[0].expr, list[1].expr}
}

// sides translates the operands of an operator. In a + f(), the VM reads a local
// a where it stands, after the call, and all else before it.
//
// Without the exchange, a call that assigns a local of the function would be seen too late:
// the kernel would have read a before the call. Only a call can assign between the two
// reads, so without one the order makes no difference.
func (l *lowerer) sides(lhs, rhs syntax.Expr, translate func(syntax.Expr) val) [2]val {
	list := func(e syntax.Expr) []val { return []val{translate(e)} }
	if l.own(lhs) && calls(rhs) {
		out := l.sequence([]syntax.Expr{rhs, lhs}, list)
		return [2]val{out[1], out[0]}
	}
	out := l.sequence([]syntax.Expr{lhs, rhs}, list)
	return [2]val{out[0], out[1]}
}

// calls reports whether an expression calls anything. It is about the text, and does not
// ask whether the call could assign anything.
func calls(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Call:
		return true
	case *syntax.Index:
		return calls(e.Object) || calls(e.Key)
	}
	return slices.ContainsFunc(syntax.Operands(e), calls)
}

// own reports whether an operand is the name of a local of the function that is being read,
// not of one around it. The VM has such a local in a register, and what lies around the
// function it must fetch, at the place where the name stands. An and or an or that is
// settled to a name counts as that name.
func (l *lowerer) own(e syntax.Expr) bool {
	if op, ok := e.(*syntax.Logical); ok {
		return !astray(op.Lhs) && settled(op) == settled(op.Rhs) && l.own(op.Rhs)
	}
	id, ok := e.(*syntax.Name)
	if !ok {
		return false
	}
	b := l.lookup(id)
	return b != nil && b.kind == isLocal && l.script.names.Variable(id).Function == l.fn.expr.ID
}

// astray reports whether a literal is what is left of an and or an or over an operand
// that would have decided otherwise: behind it, a name is read at its place in the text,
// see package syntax.
func astray(e syntax.Expr) bool {
	op, ok := e.(*syntax.Logical)
	if !ok {
		return false
	}
	decided, known := syntax.Truth(op.Lhs)
	if !known || decided != (op.Operator == "or") {
		return astray(op.Rhs)
	}
	skipped, known := syntax.Truth(op.Rhs)
	return !known || skipped != decided
}
