package lower

import (
	"fmt"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Most of what has no translation is right in Lua, and only slower. Some of it is an error
// for each row: arithmetic on a field that is misspelt.
// Whoever reads a note about speed would not look for an error in it, so such a refusal has
// a [Mistake], which is reported as a problem.
//
// A mistake must be certain, because a false alarm costs more than a mistake that is
// reported when the system runs. So there is none where a row may pass by: in a branch, in
// a loop, after a branch or a return, and right of `and` and `or`. There is none in a
// function of another file either, whose author has other callers in mind.

// Mistake says why a statement fails for each row.
type Mistake struct {
	What string // the words of the error
	// Name is a name that does not exist, and Among are those that do; empty: the mistake is
	// about something else.
	Name  string
	Among []string
	// Nil is the operand that fails as long as it is nil, and nil where it cannot be anything
	// else. Only who knows all scripts knows whether one of them assigns it.
	Nil syntax.Expr
}

// unconditional reports whether each row comes to the place that is being translated.
func (l *lowerer) unconditional() bool {
	return l.maybe == 0 && l.loops == 0 && !l.left && len(l.fallbacks) == 0 && l.file() == ""
}

// mistaken gives the refusal a mistake, if what was translated has caused it.
func (l *lowerer) mistaken(before *Refusal, m Mistake) {
	if before == nil && l.err != nil && l.unconditional() {
		l.err.Mistake = &m
	}
}

// refuseTable refuses a name for a table, which is no operand whatever is in it.
func (l *lowerer) refuseTable(pos syntax.Pos, name string) {
	before := l.err
	l.refuse(pos, "%q as a whole", name)
	if before == nil {
		l.err.operand = "table"
	}
}

// wrongOperand judges the refusal of an operand of arithmetic. A refusal of something
// inside of the operand, such as an argument of a call, is not about the operand.
func (l *lowerer) wrongOperand(e syntax.Expr, before *Refusal) {
	if before != nil || l.err == nil || l.err.operand == "" {
		return
	}
	name, ok := pathOf(e)
	if !ok {
		return
	}
	m := Mistake{What: fmt.Sprintf("attempt to perform arithmetic on %q, a %s value", name, l.err.operand)}
	if id, isName := e.(*syntax.Name); isName && l.err.operand == "table" && l.lookup(id).kind == isContext {
		m.What += fmt.Sprintf(" (it is the context, with dt, time and tick: write %s.dt)", name)
	}
	if l.err.operand == "nil" {
		m.Nil, m.Among = e, l.err.among
		if index, ok := e.(*syntax.Index); ok {
			m.Name = index.Key.(*syntax.String).Value
		}
	}
	l.mistaken(before, m)
}

// pathOf returns a name with the fields after it, as in tuning.speed; false for all other
// expressions.
func pathOf(e syntax.Expr) (string, bool) {
	switch e := e.(type) {
	case *syntax.Name:
		return e.Value, true
	case *syntax.Index:
		if key, isKey := e.Key.(*syntax.String); isKey {
			path, ok := pathOf(e.Object)
			return path + "." + key.Value, ok
		}
	}
	return "", false
}
