package ir

import "slices"

// This file walks trees, and says of operations and statements what follows from their kind
// alone. Passes that need to know what holds at a place walk with package passes, flow.go.

// Walk calls visit for every statement, outer before inner and in the order of the text. It
// reads Body and Else after visit has returned: visit may replace them, and what it puts
// there is walked.
func Walk(stmts []*Stmt, visit func(*Stmt)) {
	for _, s := range stmts {
		visit(s)
		Walk(s.Body, visit)
		Walk(s.Else, visit)
	}
}

// Exprs calls visit for every expression in the statements, outer before inner. visit may
// rewrite what it is given; the operands that it leaves there are visited next.
func Exprs(stmts []*Stmt, visit func(*Expr)) {
	Walk(stmts, func(s *Stmt) {
		if s.Value != nil {
			s.Value.Walk(visit)
		}
	})
}

// Any reports whether something holds for an expression in the statements. It looks no
// further than the first.
func Any(stmts []*Stmt, holds func(*Expr) bool) bool {
	return slices.ContainsFunc(stmts, func(s *Stmt) bool {
		return s.Value != nil && s.Value.Any(holds) || Any(s.Body, holds) || Any(s.Else, holds)
	})
}

// Any reports whether something holds for e or one of its operands.
func (e *Expr) Any(holds func(*Expr) bool) bool {
	return holds(e) || slices.ContainsFunc(e.Args, func(a *Expr) bool { return a.Any(holds) })
}

// Walk calls visit for e and its operands, outer before inner.
func (e *Expr) Walk(visit func(*Expr)) {
	visit(e)
	for _, a := range e.Args {
		a.Walk(visit)
	}
}

// Size returns how many nodes e has, itself included; 0 for nil.
func (e *Expr) Size() int {
	if e == nil {
		return 0
	}
	n := 1
	for _, a := range e.Args {
		n += a.Size()
	}
	return n
}

// First returns the number of the operand that is evaluated first, and surely. Whoever
// follows what has a value at a place, or what surely has run, begins there. The others
// follow in order; where e is lazy, they may be left out.
func (e *Expr) First() int {
	if e.Lazy && e.Op == Pick {
		return 2
	}
	return 0
}

// Assignments calls visit for every assignment to a local: of statements first, then
// those inside of expressions. It is no walk in the order in which they run, and so fit
// only for what does not depend on that order, as "all values that a local ever gets".
func Assignments(stmts []*Stmt, visit func(local int, value *Expr)) {
	Walk(stmts, func(s *Stmt) {
		if s.Kind == Set {
			visit(s.Local, s.Value)
		}
	})
	Exprs(stmts, func(e *Expr) {
		switch e.Op {
		case Tee:
			visit(e.Local, e.Args[0])
		case Sincos:
			visit(e.Local, e)
			visit(e.Cosine, e)
		}
	})
}

// Assigned returns the locals that the statements assign, on whatever path: those of which
// nothing is known after the statements, and at the begin of the next turn of a loop.
func Assigned(stmts []*Stmt) map[int]bool {
	set := map[int]bool{}
	Assignments(stmts, func(local int, _ *Expr) { set[local] = true })
	return set
}

// Arithmetic reports whether an operation takes numbers of either precision, all
// of one, and computes or compares in it.
func (op Op) Arithmetic() bool {
	return op >= Add && op <= Zero && op != Mod || op == Lt || op == Le
}

// Heavy reports whether evaluating e costs more than a jump. Such an operand is worth being
// lazy; for all others a choice without a jump is faster, and can be part of a vector.
func (e *Expr) Heavy() bool {
	return e.Any(func(e *Expr) bool { return e.Op == Call || e.Op == Mod || e.Op == Sincos })
}

// Assigns reports whether e itself gives a local a value.
func (e *Expr) Assigns() bool { return e.Op == Tee || e.Op == Sincos }

// External reports whether e itself reads or changes what is not the kernel's:
// then its place in the order of things matters.
func (e *Expr) External() bool {
	switch e.Op {
	case Random, Draw, Touched, Alive, Record, Find, Fetch, Step, Load, Here, Ask, Invoke, Do:
		return true
	}
	return false
}

// Effect reports whether evaluating e itself changes what is not the kernel's, or says
// what the kernel has changed: then it is evaluated as often as it stands there, and
// in its place.
func (e *Expr) Effect() bool {
	return e.Op == Random || e.Op == Draw || e.Op == Do || e.Op == Touched
}

// Leaves reports whether control never comes after a statement. A Block is not looked into:
// one of its Leaves may lead to its end.
func (s *Stmt) Leaves() bool {
	switch s.Kind {
	case Leave, Loop, Stop:
		return true
	case If:
		return len(s.Body) > 0 && len(s.Else) > 0 && s.Body[len(s.Body)-1].Leaves() && s.Else[len(s.Else)-1].Leaves()
	}
	return false
}

// Where returns a Place constant, Nowhere or Unclear.
func Where(v float64) *Expr { return &Expr{Op: Const, Type: Place, Value: v} }

// Constant returns a Num constant.
func Constant(v float64) *Expr { return &Expr{Op: Const, Type: Num, Value: v} }

// Nobody returns the Handle of no entity.
func Nobody() *Expr { return &Expr{Op: Const, Type: Handle} }

// Truth returns a Bool constant.
func Truth(v bool) *Expr {
	e := &Expr{Op: Const, Type: Bool}
	if v {
		e.Value = 1
	}
	return e
}
