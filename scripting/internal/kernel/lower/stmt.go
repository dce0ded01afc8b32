package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file translates statements, and decides what control flow a kernel can have. The IR
// leaves blocks outwards and jumps nowhere else. So a goto is possible where its label ends
// a block around it, which is how Lua says continue, and a return leaves the block of the
// row, or of the call.

// block translates the statements of a block. Labels that are declared in it are not seen
// after it.
func (l *lowerer) block(stmts []syntax.Stmt) {
	around := l.goals
	l.stmts(stmts)
	l.goals = around
}

// stmts translates a list. Labels at its end are places to leave to; others
// would need jumps that a kernel does not have.
func (l *lowerer) stmts(stmts []syntax.Stmt) {
	end := len(stmts)
	for end > 0 && isLabel(stmts[end-1]) {
		end--
	}
	if end == len(stmts) {
		l.each(stmts)
		return
	}
	label := l.label()
	for _, s := range stmts[end:] {
		l.goals = &goal{l.goals, s.(*syntax.Label).Name, label}
	}
	l.emit(&ir.Stmt{Kind: ir.Block, Label: label, Body: l.list(func() { l.each(stmts[:end]) })})
}

func isLabel(s syntax.Stmt) bool {
	_, ok := s.(*syntax.Label)
	return ok
}

// each translates statements one after the other, up to the first refusal. An if by which
// some rows leave makes the statements after it optional: they become a branch that can be
// given up, see rest.
func (l *lowerer) each(stmts []syntax.Stmt) {
	for i, s := range stmts {
		if l.err != nil {
			return
		}
		begin := len(l.out)
		l.stmt(s)
		if _, isIf := s.(*syntax.If); isIf && l.err == nil && i+1 < len(stmts) && leaves(l.out[begin:]) {
			l.rest(stmts[i+1:])
			return
		}
	}
}

// label gives out the number of a block; Row is the first. A Leave names its block by it,
// and no two blocks of a kernel have the same.
func (l *lowerer) label() int {
	l.labels++
	return l.labels
}

// leave notes that some row may have left, from which on nothing is unconditional, see
// mistakes.go.
func (l *lowerer) leave(label int) {
	l.left = true
	l.emit(&ir.Stmt{Kind: ir.Leave, Label: label})
}

// The line is that of the each function, also while a function that it calls is translated:
// reasons and texts are about the text of the system.
//
// A return in the each function has its values evaluated, for what they do, and then
// dropped.
func (l *lowerer) stmt(s syntax.Stmt) {
	if l.call == nil {
		l.line = s.Line()
	}
	switch s := s.(type) {
	case *syntax.Local:
		l.declaration(s)
	case *syntax.LocalFunction:
		l.localFunction(s.Name, s.Func)
	case *syntax.Assign:
		l.assignment(s)
	case *syntax.CallStmt:
		if call, ok := s.Call.(*syntax.Call); ok {
			l.calls(call)
		}
	case *syntax.Do:
		l.block(s.Body)
	case *syntax.If:
		l.branch(s)
	case *syntax.Return:
		if l.call != nil {
			l.giveBack(s)
			return
		}
		l.expand(s.Exprs)
		l.leave(ir.Row)
	case *syntax.Break:
		if n := len(l.breaks); n > 0 {
			l.leave(l.breaks[n-1])
		}
	case *syntax.Goto:
		l.jump(s)
	case *syntax.Label:
		l.refuse(s.Position(), "a label in the middle of a block")
	default:
		l.loop(s)
	}
}

// loop translates loops, and refuses the statements that are left.
func (l *lowerer) loop(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.While:
		l.while(s)
	case *syntax.Repeat:
		l.repeat(s)
	case *syntax.NumberFor:
		l.counted(s)
	case *syntax.GenericFor:
		l.ipairs(s)
	case *syntax.FunctionStmt:
		l.refuse(s.Position(), "a function that is assigned")
	default:
		l.refuse(s.Position(), "this statement")
	}
}

// jump is goto. A label that is not among the goals stands before the goto or in the middle
// of a block, and would need a jump backwards or sideways.
func (l *lowerer) jump(s *syntax.Goto) {
	for g := l.goals; g != nil; g = g.outer {
		if g.name == s.Label {
			l.leave(g.label)
			return
		}
	}
	l.refuse(s.Position(), "a goto that does not lead to the end of a block around it")
}

// Both arms are optional, so a line without a translation costs the rows that come to it. A
// condition that is written out decides here, and nothing of the other arm is translated.
func (l *lowerer) branch(s *syntax.If) {
	if isTrue, known := syntax.Truth(s.Condition); known {
		taken := s.Else
		if isTrue {
			taken = s.Then
		}
		l.block(taken)
		return
	}
	cond := l.condition(s.Condition)
	l.emit(&ir.Stmt{
		Kind: ir.If, Value: cond,
		Body: l.optional(func() { l.block(s.Then) }),
		Else: l.optional(func() { l.block(s.Else) }),
	})
}

// declaration is local a, b = …
//
// All values are translated before any of the names is declared: in local x = x, the second
// x is another one.
func (l *lowerer) declaration(s *syntax.Local) {
	values := l.values(s.Exprs, len(s.Names))
	for i, name := range s.Names {
		l.declare(l.script.names.Variable(name), values[i])
	}
}

// values translates a list of expressions and returns n values, nil where there are fewer;
// what is beyond is looked at for what Lua would refuse. Values beyond n have been
// evaluated, because they may have something to do.
func (l *lowerer) values(exprs []syntax.Expr, n int) []val {
	out := l.expand(exprs)
	for len(out) < n {
		out = append(out, val{isNil: true, pos: placeOf(exprs)})
	}
	for _, v := range out[n:] {
		l.solid(v)
	}
	return out[:n]
}

// placeOf returns the place of the last expression of a list, which stands for values
// that the list does not have.
func placeOf(exprs []syntax.Expr) syntax.Pos {
	if len(exprs) == 0 {
		return syntax.Pos{}
	}
	return exprs[len(exprs)-1].Position()
}

// assignment evaluates all values first and then assigns, the last target
// first, as Lua does.
//
// With one target nothing can come between, so the value need not be held. With several,
// each value is held before the first store, as a, b = b, a must see both as they were. An
// index that is computed would have to be evaluated before the values, and is refused
// there.
func (l *lowerer) assignment(s *syntax.Assign) {
	if len(s.Lhs) == 1 {
		to := l.target(s.Lhs[0]) // an index comes before the value
		l.assign(to, l.values(s.Rhs, 1)[0])
		return
	}
	values := l.values(s.Rhs, len(s.Lhs))
	for i := range values {
		values[i] = l.hold(values[i])
	}
	for i := len(values) - 1; i >= 0; i-- {
		to := l.target(s.Lhs[i])
		if to.spot != nil && to.spot.index != nil && to.spot.index.Op != ir.Const {
			l.refuse(s.Lhs[i].Position(), "an assignment to several targets with an index that is not written out")
		}
		l.assign(to, values[i])
	}
}

// target is what an assignment changes: a variable, or a place in a row. Both are nil after
// a refusal.
type target struct {
	variable *binding
	spot     *spot
}

// The type of a variable is that of its first value, for good. A variable that is never nil
// has no local for presence: a value that may be nil makes the row the VM's, see definite.
//
// The value is held before its presence is stored, since either may read the variable that
// is assigned.
func (l *lowerer) assign(to target, v val) {
	switch {
	case l.err != nil:
		return
	case to.spot != nil:
		l.write(to.spot, v)
		return
	case v.isNil && to.variable.present >= 0:
		l.set(to.variable.present, ir.Truth(false))
		return
	}
	b := to.variable
	if b.names != nil && (v.text != nil || v.complete()) {
		v = val{pos: v.pos, expr: l.indexAmong(b.names, v), names: b.names}
	}
	if v = l.solid(v); l.err != nil {
		return
	}
	if b.present < 0 || v.isNil {
		v = val{pos: v.pos, expr: l.definite(v), names: v.names}
	}
	if t := l.f.Locals[b.local].Type; l.err == nil && (t != v.expr.Type || !slices.Equal(b.names, v.names)) {
		if b.blank {
			l.refuse(v.pos, "a variable that begins as nil and gets %s later", kept(v.expr.Type, v.names))
		} else {
			l.refuse(v.pos, "a variable that holds %s in turn", inTurn(t, b.names, v.expr.Type, v.names))
		}
	}
	if l.err != nil {
		return
	}
	if v.present != nil {
		v = l.hold(v) // it may read what is assigned here
	}
	l.set(b.local, v.expr)
	switch {
	case b.present >= 0 && v.present != nil:
		l.set(b.present, v.present)
	case b.present >= 0:
		l.set(b.present, ir.Truth(true))
	}
}

// kept says what a variable or a field holds. The words are part of refusals.
func kept(t ir.Type, names []string) string {
	switch {
	case names != nil:
		return "the names " + strings.Join(names, ", ")
	case t == ir.Bool:
		return "booleans"
	}
	return "numbers"
}

// inTurn says what two kinds of values are that one variable cannot hold, numbers first.
func inTurn(t ir.Type, names []string, u ir.Type, others []string) string {
	a, b := kept(t, names), kept(u, others)
	if b == "numbers" {
		a, b = b, a
	}
	return a + " and " + b
}

// target returns what an assignment changes.
//
// An index is translated here, and so before the value in an assignment with one target.
// For a variable from outside the input's local is what is assigned; the host writes it
// back after the run.
func (l *lowerer) target(e syntax.Expr) target {
	switch t := e.(type) {
	case *syntax.Name:
		b := l.lookup(t)
		switch {
		case b != nil && b.kind == isLocal:
			return target{variable: b}
		case b != nil:
			l.refuse(t.Position(), "an assignment to %q, which is a parameter or more than a number,", t.Value)
		case l.script.names.Variable(t) != nil:
			return l.stored(l.outer(t), t.Position(), fmt.Sprintf("%q, a local of the script", t.Value))
		default:
			l.refuse(t.Position(), "an assignment to the global %q", t.Value)
		}
	case *syntax.Index:
		if s := l.spot(t); s != nil {
			return target{spot: s}
		}
		if v, ok := l.resolve(t); ok {
			return l.stored(v, t.Position(), v.Path)
		}
		l.refuse(t.Position(), "an assignment into a table")
	}
	return target{}
}
