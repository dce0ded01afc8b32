package lower

import (
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file translates comparisons, not, and the operators that in Lua give one of their
// operands, and and or. So the type of what they give may depend on the row. A [val] has a form for
// each combination that scripts use, and andThen and orElse are the tables of what becomes
// of two of them. What has no form left is mixed: a condition may still ask for its truth,
// and solid refuses all other uses.

// condition translates what is only asked for its truth.
func (l *lowerer) condition(e syntax.Expr) *ir.Expr { return l.value(e).truth() }

// comparison has two operations for the four operators of order. Exchanging operands is right for
// not-a-number, too, where negating the other comparison would not be.
func (l *lowerer) comparison(e *syntax.Comparison) *ir.Expr {
	if e.Operator == "==" || e.Operator == "~=" {
		return l.equality(e)
	}
	operands := l.pair(e.Lhs, e.Rhs, "order with")
	a, b := operands[0], operands[1]
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

// equality is == and ~=. An Eq at the top becomes a Ne, which is its negation for
// not-a-number, too.
func (l *lowerer) equality(e *syntax.Comparison) *ir.Expr {
	list := l.sides(e.Lhs, e.Rhs, l.value)
	equal := l.equal(list[0], list[1], e.Position())
	if e.Operator != "~=" {
		return equal
	}
	if equal.Op == ir.Eq {
		equal.Op = ir.Ne
		return equal
	}
	return not(equal)
}

// equal compares two values as Lua does, without conversions: values of different types are
// never equal, and nil equals nil alone. The cases are in order, each for what those before
// it have left: nil, texts, names of enums, and values of one type, each of which may be
// nil for some rows.
//
// A name of an enum is a number in the kernel and a string in Lua. So two of them may be
// compared as numbers only if their lists of names are the same; sameName is for others.
func (l *lowerer) equal(a, b val, pos syntax.Pos) *ir.Expr {
	if b.isNil || b.text != nil {
		a, b = b, a
	}
	switch {
	case a.isNil && b.isNil:
		return ir.Truth(true)
	case a.isNil && (b.thing != nil && b.thing.Kind != Other || b.present != nil || b.isPlain() || b.row != nil):
		return not(both(b.present, nil))
	case a.text != nil && b.names != nil:
		return l.hasName(b, *a.text)
	case a.text != nil && b.text != nil: // both stay what they are, see given
		return ir.Truth(*a.text == *b.text)
	case a.text != nil && b.isPlain():
		return ir.Truth(false) // a number or a boolean
	}
	a, b = l.solid(a), l.solid(b)
	if l.err == nil && a.names != nil && b.names != nil && !slices.Equal(a.names, b.names) && a.present == nil && b.present == nil {
		return sameName(l.hold(a), l.hold(b))
	}
	if l.err == nil && (a.names == nil) != (b.names == nil) && (a.present == nil || b.present == nil) {
		return ir.Truth(false) // a text and a number
	}
	if l.err == nil && a.expr.Type == ir.Num && b.expr.Type == ir.Num && !slices.Equal(a.names, b.names) {
		l.refuse(pos, "a comparison of a name with something else")
	}
	if l.err != nil {
		return ir.Truth(false)
	}
	same := ir.Truth(false) // values of different types never are
	if a.expr.Type == b.expr.Type {
		same = binary(ir.Eq, a.expr, b.expr)
	}
	if a.present == nil && b.present == nil {
		return same
	}
	there := both(a.present, b.present)
	if a.present == nil || b.present == nil {
		return binary(ir.And, there, same)
	}
	return binary(ir.Or, binary(ir.And, there, same), not(binary(ir.Or, again(a.present), again(b.present))))
}

// hasName is whether a value of an enum is a name. A name that the list lacks equals
// nothing. That is no error in Lua, and no refusal here.
func (l *lowerer) hasName(v val, name string) *ir.Expr {
	at := slices.Index(v.names, name)
	if at < 0 {
		return ir.Truth(false)
	}
	same := binary(ir.Eq, v.expr, ir.Constant(float64(at)))
	if v.present == nil {
		return same
	}
	return binary(ir.And, again(v.present), same)
}

// logic is and or or. When the second operand has something to do before it has
// a value, that is done only if the first one asks for it.
//
// The second operand is translated into a list of its own to see whether it has statements.
// If it has, the first one is held in locals, because the branch that is written here must
// not evaluate it a second time.
func (l *lowerer) logic(e *syntax.Logical) val {
	join := orElse
	if e.Operator == "and" {
		join = andThen
	}
	a := l.value(e.Lhs)
	var b val
	l.maybe++
	emitted := l.list(func() { b = l.value(e.Rhs) })
	l.maybe--
	if len(emitted) == 0 || l.err != nil {
		return join(a, b)
	}
	a = l.hold(a)
	cond := a.truth()
	if e.Operator != "and" {
		cond = not(cond)
	}
	later, sets := l.later(b)
	if l.err != nil {
		return nothing()
	}
	l.emit(&ir.Stmt{Kind: ir.If, Value: cond, Body: append(emitted, sets...)})
	return join(a, later)
}

// later returns a value that statements give to locals, and these statements.
// Where they do not run, the locals are 0 and false.
//
// The zeros never show: what join makes of them depends on the truth of the first operand.
func (l *lowerer) later(b val) (later val, sets []*ir.Stmt) {
	put := func(name string, e *ir.Expr) *ir.Expr {
		if e == nil {
			return nil
		}
		local := l.f.NewLocal(name, e.Type)
		empty := ir.Constant(0)
		empty.Type = e.Type
		l.set(local, empty)
		sets = append(sets, &ir.Stmt{Kind: ir.Set, Local: local, Value: e})
		return l.get(local)
	}
	switch {
	case b.isChoice():
		last := len(b.arms) - 1
		number := b.arms[last].number
		for i := last - 1; i >= 0; i-- {
			number = pick(again(b.arms[i].cond), b.arms[i].number, number)
		}
		return val{arms: []arm{{put("second?", b.truth()), put("second", number)}}, vague: b.vague}, sets
	case b.mixed:
		return val{expr: put("second", b.expr), mixed: true}, sets
	case b.words != nil:
		for _, w := range b.words {
			later.words = append(later.words, word{put("second", w.cond), w.text, w.pos})
		}
		return later, sets
	}
	if b = l.solid(b); l.err != nil {
		return nothing(), nil
	}
	if b.isNil {
		b = val{expr: ir.Constant(0), present: ir.Truth(false)}
	}
	return val{expr: put("second", b.expr), present: put("second?", b.present), names: b.names}, sets
}

// onlyNil reports whether a value is false in no other way than by being nil. Numbers and
// rows count as true wherever they are.
func (v val) onlyNil() bool {
	return v.present != nil && (v.isType(ir.Num) || v.row != nil)
}

// mayBeNil reports whether a value that counts as false may be nil. What is not that is
// surely false where it counts as false. So the result becomes vague or mixed, and nothing
// takes it for a boolean.
func (v val) mayBeNil() bool {
	return v.present != nil || v.mixed || v.vague || v.words != nil || v.row != nil
}

// andThen is a and b.
//
// The first two groups of cases are those in which the text decides. In the others a
// decides for each row: cond is its truth, and b counts only where that holds.
func andThen(a, b val) val {
	switch {
	case a.isNil, a.isFalse():
		return a
	case a.sure(ir.Num), a.row != nil && a.present == nil, a.text != nil, a.thing != nil:
		return b
	}
	cond := a.truth()
	switch {
	case b.text != nil:
		return val{words: []word{{cond, *b.text, b.pos}}}
	case a.onlyNil() && b.isPlain(): // nil, or b
		b.present = both(cond, b.present)
		return b
	case a.onlyNil() && b.row != nil && b.present == nil, a.onlyNil() && b.isNil:
		return val{expr: binary(ir.And, cond, b.truth()), mixed: true}
	case b.sure(ir.Num) && b.names == nil:
		return val{arms: []arm{{cond, b.expr}}, vague: a.mayBeNil()}
	case b.isChoice() && len(b.arms) == 1:
		return val{arms: []arm{{binary(ir.And, cond, b.arms[0].cond), b.arms[0].number}}, vague: b.vague || a.mayBeNil()}
	case b.sure(ir.Bool):
		return val{expr: binary(ir.And, cond, b.expr), mixed: a.mayBeNil()}
	}
	return val{expr: binary(ir.And, cond, b.truth()), mixed: true}
}

// orElse is a or b.
//
// A choice that meets a number ends here: the arms become a chain of Picks, the first arm
// outermost.
func orElse(a, b val) val {
	switch {
	case a.isNil, a.isFalse():
		return b
	case a.sure(ir.Num), a.row != nil && a.present == nil, a.text != nil, a.thing != nil:
		return a
	case a.onlyNil() && a.isPlain() && b.isType(ir.Num) && slices.Equal(a.names, b.names):
		v := val{expr: pick(again(a.present), a.expr, b.expr), names: a.names}
		if b.present != nil {
			v.present = binary(ir.Or, again(a.present), again(b.present))
		}
		return v
	case a.onlyNil() && a.isPlain() && b.isNil:
		return a
	case a.words != nil && !a.complete() && b.text != nil:
		return val{words: append(a.words, word{text: *b.text, pos: b.pos})}
	case a.words != nil && !a.complete() && b.words != nil:
		return val{words: append(a.words, b.words...)}
	case a.isType(ir.Bool) && b.sure(ir.Bool):
		return val{expr: binary(ir.Or, both(a.present, a.expr), b.expr)}
	case a.present != nil || b.present != nil:
	case a.isChoice() && b.sure(ir.Num) && b.names == nil:
		e := b.expr
		for i := len(a.arms) - 1; i >= 0; i-- {
			e = pick(a.arms[i].cond, a.arms[i].number, e)
		}
		return val{expr: e}
	case a.isChoice() && b.isFalse():
		return val{arms: a.arms}
	case a.isChoice() && b.isChoice():
		return val{arms: append(a.arms, b.arms...), vague: b.vague}
	}
	return val{expr: binary(ir.Or, a.truth(), b.truth()), mixed: true}
}
