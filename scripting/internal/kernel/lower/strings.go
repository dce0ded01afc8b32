package lower

import (
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// A variable that holds one of a few texts, all of them written out in the function,
// holds in the kernel what a field of an enum does: the place of its text among them.

// textsOf lists the texts that a variable is given. The place in this list is what the
// local holds. The list is the same at each call, because the text does not change. O(texts
// squared), which are few.
func textsOf(v *syntax.Variable) []string {
	texts := written(v.Value)
	for _, value := range v.Assigned {
		texts = append(texts, written(value)...)
	}
	var list []string
	for _, text := range texts {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// written lists the texts that an expression may give: x, "a" and c and "a" or "b". Of all
// other expressions it lists nothing.
func written(e syntax.Expr) []string {
	switch e := e.(type) {
	case *syntax.String:
		return []string{e.Value}
	case *syntax.Logical:
		return append(written(e.Lhs), written(e.Rhs)...)
	}
	return nil
}

// textOf makes of a text, or of a choice among some, a value for a variable. A text that
// the variable always has stays one.
//
// A parameter may get words that its own function does not write, so they are added at its
// end.
func (l *lowerer) textOf(of *syntax.Variable, v val) val {
	texts := textsOf(of)
	if !v.complete() && (v.text == nil || len(of.Assigned) == 0 || !slices.Contains(texts, *v.text)) {
		return v
	}
	for _, w := range v.words {
		if !slices.Contains(texts, w.text) { // of a parameter
			texts = append(texts, w.text)
		}
	}
	return val{pos: v.pos, expr: l.indexAmong(texts, v), names: texts}
}

// indexAmong returns the place of a text, or of a name of another list, among names.
//
// The words are conditions with a last one that always holds, so the chain of Picks begins
// at that one.
func (l *lowerer) indexAmong(names []string, v val) *ir.Expr {
	at := func(text string, pos syntax.Pos) *ir.Expr {
		place := slices.Index(names, text)
		if place < 0 {
			l.refuse(pos, "the unknown name %q", text)
		}
		return ir.Constant(float64(place))
	}
	switch {
	case v.text != nil:
		return at(*v.text, v.pos)
	case v.complete():
		last := v.words[len(v.words)-1]
		e := at(last.text, last.pos)
		for i := len(v.words) - 2; i >= 0; i-- {
			e = pick(v.words[i].cond, at(v.words[i].text, v.words[i].pos), e)
		}
		return e
	}
	return l.indexInto(names, v)
}

// indexInto returns the place among names of what has one among others. Rows in which it
// is not one of them are Lua's.
//
// A field of an enum may hold a byte beyond its names, if the host has put it there; such a
// row is the VM's.
func (l *lowerer) indexInto(names []string, v val) *ir.Expr {
	place := l.keep("name", l.definite(v))
	l.demand(binary(ir.Lt, again(place), ir.Constant(float64(len(v.names)))), "it may be none of the names")
	if slices.Equal(names, v.names) {
		return place
	}
	e := ir.Constant(0)
	for i, name := range v.names {
		here := binary(ir.Eq, again(place), ir.Constant(float64(i)))
		if to := slices.Index(names, name); to >= 0 {
			e = pick(here, ir.Constant(float64(to)), e)
		} else {
			l.demand(not(here), "it may be %q, which is not among the names", name)
		}
	}
	return e
}

// sameName is whether two values with names of different lists have the same one. It has a
// comparison for each pair of equal names: O(names of a × names of b) to write.
func sameName(a, b val) *ir.Expr {
	same := ir.Truth(false)
	for i, name := range a.names {
		if k := slices.Index(b.names, name); k >= 0 {
			both := binary(ir.And, binary(ir.Eq, again(a.expr), ir.Constant(float64(i))), binary(ir.Eq, again(b.expr), ir.Constant(float64(k))))
			same = binary(ir.Or, same, both)
		}
	}
	return same
}
