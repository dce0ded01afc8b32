package lower

import (
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file is about what an expression is while it is translated. An ir.Expr has one type
// for all rows; a value of Lua need not. A [val] is the step between the two: it is
// combined by logic.go, given a local by declare, and made an ir.Expr by definite, which
// has the VM run the rows that do not fit.

// val is a Lua value of which the text does not tell all.
//
//   - plain: expr is its value, of one type; of an enum, the place of its name
//     among names.
//   - a choice: the number of the first arm whose condition holds, else false; of
//     a vague one, else false or nil.
//   - mixed: only its truth is known, in expr.
//   - words: the first text whose condition holds, else false.
//   - text, thing, row, context: what has no value of its own in a kernel.
//   - nil.
//
// A plain value or a row may be nil for some rows: where present is false.
type val struct {
	pos     syntax.Pos // where the text says it: what a reason about the value points at
	expr    *ir.Expr
	present *ir.Expr // nil: always
	names   []string
	arms    []arm
	mixed   bool
	vague   bool // of a choice: it may be nil where it is not a number
	isNil   bool
	text    *string
	loose   bool // of a text: it may be another in a later run
	words   []word
	thing   *Resolved
	row     *rowValue
	context bool
}

// arm is c and x, with x a number.
//
// Arms stand in the order in which they are asked.
type arm struct{ cond, number *ir.Expr }

// word is c and "x". The place is kept so that a refusal can point at the text itself.
type word struct {
	cond *ir.Expr // nil: true
	text string
	pos  syntax.Pos
}

// located gives a place to those of the values that have none of their own. A value may
// come from a call, which has a place, or be made by the translation itself.
func located(list []val, pos syntax.Pos) []val {
	for i := range list {
		if list[i].pos == (syntax.Pos{}) {
			list[i].pos = pos
		}
	}
	return list
}

// complete reports whether one of the words surely holds.
func (v val) complete() bool { return len(v.words) > 0 && v.words[len(v.words)-1].cond == nil }

// nothing stands for a value after a refusal. It has a type, so that translation can go on
// without a check at each step; Lower returns the refusal whatever is made of it.
func nothing() val { return val{expr: ir.Constant(0)} }

// The predicates ask for one form each. isPlain excludes the others that use expr for
// something else, so a new form with an expr belongs there.
func (v val) isChoice() bool { return v.arms != nil }

// isPlain reports whether the value is one in a kernel.
func (v val) isPlain() bool { return v.expr != nil && v.arms == nil && !v.mixed }

func (v val) isType(t ir.Type) bool { return v.isPlain() && v.expr.Type == t }

// sure reports whether the value is of that type for all rows.
func (v val) sure(t ir.Type) bool { return v.isType(t) && v.present == nil }

// isFalse reports whether the value is written as false.
func (v val) isFalse() bool {
	return v.sure(ir.Bool) && v.expr.Op == ir.Const && v.expr.Value == 0
}

// truth returns whether the value counts as true: all but nil and false do.
//
// It may be used for a value of any form. The result shares no node with the value, but what
// it has to compute is computed again, so a caller that needs the value as well has held it.
func (v val) truth() *ir.Expr {
	switch {
	case v.isNil:
		return ir.Truth(false)
	case v.words != nil:
		any := ir.Truth(false)
		for _, w := range v.words {
			any = binary(ir.Or, any, both(w.cond, nil))
		}
		return any
	case v.isChoice():
		any := again(v.arms[0].cond)
		for _, a := range v.arms[1:] {
			any = binary(ir.Or, any, again(a.cond))
		}
		return any
	case v.mixed:
		return again(v.expr)
	case v.expr == nil || v.expr.Type == ir.Num:
		return both(v.present, nil)
	}
	return both(v.present, v.expr)
}

// both is a and b, where nil is true.
func both(a, b *ir.Expr) *ir.Expr {
	switch {
	case a == nil && b == nil:
		return ir.Truth(true)
	case a == nil:
		return again(b)
	case b == nil:
		return again(a)
	}
	return binary(ir.And, again(a), again(b))
}

// hold keeps a value in locals, so that what is emitted next cannot change it.
//
// Constants stay, because passes see through them. Texts, things and rows need no local:
// nothing that a row does can change what they are.
func (l *lowerer) hold(v val) val {
	keep := func(e *ir.Expr) *ir.Expr {
		if e == nil || e.Op == ir.Const {
			return e
		}
		return l.keep("value", e)
	}
	v.expr, v.present = keep(v.expr), keep(v.present)
	v.words = slices.Clone(v.words)
	for i := range v.words {
		v.words[i].cond = keep(v.words[i].cond)
	}
	arms := v.arms
	v.arms = nil
	for _, a := range arms {
		v.arms = append(v.arms, arm{keep(a.cond), keep(a.number)})
	}
	return v
}

// sequence translates expressions in order. What one of them has to do before it
// has a value must not change those before it.
//
// Values are held only if a later expression has emitted something, so that plain
// arithmetic stays one tree. It is the place where the order of evaluation is kept: every
// list of operands that are all evaluated goes through it.
func (l *lowerer) sequence(exprs []syntax.Expr, translate func(syntax.Expr) []val) []val {
	var out []val
	for _, e := range exprs {
		var list []val
		emitted := l.list(func() { list = translate(e) })
		if len(emitted) > 0 {
			for i := range out {
				out[i] = l.hold(out[i])
			}
		}
		l.out = append(l.out, emitted...)
		out = append(out, list...)
	}
	return out
}

// expand translates a list of expressions; a call at its end gives all of its
// results.
//
// Calls in parentheses give one result, which Single says.
func (l *lowerer) expand(exprs []syntax.Expr) []val {
	left := len(exprs)
	return l.sequence(exprs, func(e syntax.Expr) []val {
		left--
		if call, ok := e.(*syntax.Call); ok && left == 0 && !call.Single {
			return located(l.calls(call), call.Pos)
		}
		return []val{l.value(e)}
	})
}

// numbers translates a list of which all must be numbers.
func (l *lowerer) numbers(exprs []syntax.Expr, what string) []*ir.Expr {
	var out []*ir.Expr
	for _, v := range l.expand(exprs) {
		out = append(out, l.asNumber(v, what))
	}
	return out
}

// definite has the VM run rows for which a value is nil. After a refusal
// the answer means nothing.
//
// The value is held before the demand, since the demand reads its presence and the result
// its content, at two places.
func (l *lowerer) definite(v val) *ir.Expr {
	v = l.solid(v)
	if v.isNil {
		l.refuse(v.pos, "nil")
	}
	if l.err != nil {
		return ir.Constant(0)
	}
	if v.present != nil {
		v = l.hold(v)
		l.demand(again(v.present), "a value may be nil")
	}
	return v.expr
}

// solid refuses what has no value of one type.
//
// After it, the value is plain or nil, or there is a refusal.
func (l *lowerer) solid(v val) val {
	switch {
	case v.isChoice() || v.mixed:
		l.refuse(v.pos, "a value that is a number for some rows and a boolean for others")
	case v.text != nil, v.words != nil:
		l.refuse(v.pos, "a string")
	case v.row != nil:
		l.refuseTable(v.pos, v.row.name)
	case v.thing != nil:
		l.refuse(v.pos, "%s", v.thing.Name)
	case v.expr == nil && !v.isNil:
		l.refuse(v.pos, "this expression")
	}
	return v
}

// inArithmetic is what a reason says of an operand of arithmetic.
const inArithmetic = "arithmetic on"

// number translates an operand that must be a number. Arithmetic on what is surely no
// number fails for each row, which is a mistake and not a matter of speed.
func (l *lowerer) number(e syntax.Expr, what string) *ir.Expr {
	before := l.err
	x := l.asNumber(l.value(e), what)
	if what == inArithmetic || what == "minus" {
		l.wrongOperand(settled(e), before)
	}
	return x
}

// asNumber is number for a value that has been translated already. what begins the reason,
// as in "arithmetic on a boolean".
func (l *lowerer) asNumber(v val, what string) *ir.Expr {
	x := l.definite(v)
	switch {
	case l.err != nil:
	case v.names != nil:
		l.refuse(v.pos, "%s a name of %s", what, strings.Join(v.names, ", "))
	case x.Type != ir.Num:
		l.refuse(v.pos, "%s a boolean", what)
	default:
		return x
	}
	return ir.Constant(0)
}

// declare binds a new variable to a value.
//
// A thing, a text or a row becomes another name for it and needs no local, as long as
// nothing assigns the variable: target refuses an assignment to such a binding. Everything
// else gets a local, and so is one value however often it is named.
func (l *lowerer) declare(of *syntax.Variable, v val) {
	v = l.textOf(of, v)
	b := &binding{kind: isLocal, present: -1, names: v.names}
	switch {
	case v.context:
		b.kind = isContext
	case v.row != nil:
		b.kind, b.row = isRow, v.row
	case v.thing != nil:
		b.kind, b.value = isValue, *v.thing
	case v.text != nil:
		b.kind, b.value = isValue, Resolved{Kind: Text, Name: *v.text, loose: v.loose}
	default:
		if v = l.solid(v); l.err != nil {
			delete(l.bindings, of) // there is nothing that the name could stand for, nor what an earlier call left
			return
		}
		l.variable(b, of, v)
	}
	l.bindings[of] = b
}

// variable makes the locals of a variable. One that begins as nil holds numbers.
//
// A variable that the text sets to nil somewhere gets the local for presence at once, even
// if its first value is never nil: it could not be added later, when uses have been
// translated.
func (l *lowerer) variable(b *binding, of *syntax.Variable, v val) {
	e, present := v.expr, v.present
	if v.isNil {
		e, present, b.blank = ir.Constant(0), ir.Truth(false), true
	}
	if present == nil && getsNil(of) {
		present = ir.Truth(true)
	}
	b.local = l.f.NewLocal(of.Name, e.Type)
	l.set(b.local, e)
	if present != nil {
		b.present = l.f.NewLocal(of.Name+"?", ir.Bool)
		l.set(b.present, present)
	}
}

// getsNil reports whether a variable is assigned nil. It sees a nil that is written out. A
// value that may be nil for other reasons makes the row the VM's where it is assigned, see
// assign.
func getsNil(v *syntax.Variable) bool {
	return slices.ContainsFunc(v.Assigned, func(value syntax.Expr) bool {
		_, isNil := value.(*syntax.Nil)
		return isNil
	})
}
