package lower

import (
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// What a loop costs is what the VM needs for a turn at the very least, in its
// instructions: a call must never be cut as a kernel that the VM would have
// finished. So of a branch the cheaper arm counts, and nothing counts that the front end
// may leave out.
//
// Why not exactly what each arm takes? A kernel that counts in its arms cannot choose
// between values without a jump. Why not the mean? See above.

// never is more than any turn takes.
const never = 1 << 30

// turn returns what a turn takes that leads to another one: the jump back, the
// condition and the body.
//
// It counts the way that is cheaper, to the end of the body or out of it by a goto, for a
// goto may lead to the end of the body: continue is written so. It is at least 1, because a
// loop without cost would never end.
func (l *lowerer) turn(stmts []syntax.Stmt, cond syntax.Expr) int {
	through, away := l.least(stmts)
	n := 1 + min(through, away)
	if cond != nil {
		n += l.leastOf(cond)
	}
	if n >= never {
		return 1 // none leads to another one
	}
	return n
}

// least returns what statements take where they are left at their end, and where a goto
// leaves them; never if that cannot be. Ways that leave by return or break are aside. Inner
// loops are not entered, so all loops of a function together take O(text).
func (l *lowerer) least(stmts []syntax.Stmt) (through, away int) {
	through, away = 0, never
	for _, s := range stmts {
		n, jump := l.leastStmt(s)
		away = min(away, through+jump)
		if through += n; through >= never {
			return never, away
		}
	}
	return through, away
}

// A statement that is not listed counts nothing. An inner loop counts what it takes to come
// to its first turn, as it may have none.
func (l *lowerer) leastStmt(s syntax.Stmt) (through, away int) {
	switch s := s.(type) {
	case *syntax.Local:
		return l.leastAll(s.Exprs), never
	case *syntax.LocalFunction:
		return l.leastOf(s.Func), never
	case *syntax.Assign:
		return l.leastAll(s.Lhs) + l.leastAll(s.Rhs), never
	case *syntax.CallStmt:
		return l.leastOf(s.Call), never
	case *syntax.Do:
		return l.least(s.Body)
	case *syntax.If:
		return l.leastIf(s)
	case *syntax.Return, *syntax.Break:
		return never, never
	case *syntax.Goto:
		return never, 0
	case *syntax.While:
		if isTrue, known := syntax.Truth(s.Condition); known && isTrue {
			return 0, 0 // it is left from inside, wherever to
		}
		return l.leastOf(s.Condition), 0
	case *syntax.NumberFor:
		return 2 + l.leastOf(s.Init) + l.leastOf(s.Limit), 0
	case *syntax.GenericFor:
		return 2, 0
	}
	return 0, 0
}

// leastIf takes the cheaper arm, for each of the two ways by itself. A condition that is
// written out takes nothing.
func (l *lowerer) leastIf(s *syntax.If) (through, away int) {
	if isTrue, known := syntax.Truth(s.Condition); known {
		if isTrue {
			return l.least(s.Then)
		}
		return l.least(s.Else)
	}
	cond := l.leastOf(s.Condition)
	through, away = l.least(s.Then)
	through2, away2 := l.least(s.Else)
	return cond + min(through, through2), cond + min(away, away2)
}

// leastAll returns what it takes to know the values of a list, one after the other.
func (l *lowerer) leastAll(list []syntax.Expr) int {
	n := 0
	for _, e := range list {
		n += l.leastOf(e)
	}
	return n
}

// leastOf returns what it takes to know the value of an expression.
//
// A name or a constant counts nothing: it may be in a register, or an operand of the
// instruction. Of and and or the first operand counts alone.
func (l *lowerer) leastOf(e syntax.Expr) int {
	e = settled(e)
	own := 0
	if l.moves(e) {
		own = 1
	}
	switch e := e.(type) {
	case *syntax.Arithmetic:
		return own + l.leastOf(e.Lhs) + l.leastOf(e.Rhs)
	case *syntax.Comparison:
		return own + l.leastOf(e.Lhs) + l.leastOf(e.Rhs)
	case *syntax.Minus:
		return own + l.leastOf(e.Expr)
	case *syntax.Not:
		return l.leastOf(e.Expr)
	case *syntax.Logical:
		return l.leastOf(e.Lhs)
	case *syntax.Index:
		n := l.leastOf(e.Object) + l.leastOf(e.Key)
		if l.moves(e.Key) {
			n++
		}
		return n
	case *syntax.Call:
		n := 1 + l.leastAll(e.Args)
		if _, inTable := e.Func.(*syntax.Index); inTable {
			n++
		}
		return n
	}
	return 0
}

// moves reports whether an expression is surely computed when its turn comes: it has
// something of the function itself in it, which no form of it has as a constant.
func (l *lowerer) moves(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Name:
		return !l.fn.captures(l.script.names.Variable(e))
	case *syntax.Arithmetic:
		return l.moves(e.Lhs) || l.moves(e.Rhs)
	case *syntax.Comparison:
		return l.moves(e.Lhs) || l.moves(e.Rhs)
	case *syntax.Minus:
		return l.moves(e.Expr)
	case *syntax.Index:
		return l.moves(e.Object) || l.moves(e.Key)
	case *syntax.Call:
		return true
	}
	return false
}

// copying returns what the VM charges, at the very least, for long values that a turn copies to
// change the world: on the way that is cheaper, and not where a part of the turn may be left.
// What ecs.set copies depends on the entity.
func (l *lowerer) copying(turn []*ir.Stmt) (steps int64) {
	for _, s := range turn {
		switch s.Kind {
		case ir.If:
			steps += min(l.copying(s.Body), l.copying(s.Else))
		case ir.Set:
			s.Value.Walk(func(e *ir.Expr) {
				if e.Op == ir.Do && l.f.HostCalls[e.HostCall].Op != "set" {
					steps += l.f.HostCalls[e.HostCall].Copied() / 8
				}
			})
		}
	}
	return steps
}
