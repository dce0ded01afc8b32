package passes

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// This file removes statements. What other passes have decided, as constants in conditions
// and locals that became constants, is left in the tree by them; dead cleans up after them,
// and has no knowledge of its own.

// dead removes what has no effect: branches not taken, statements after a
// Leave, blocks that nobody leaves, assignments to locals that are read nowhere. Few
// expressions have effects; dropping another is always right, because an operation cannot
// fail: where Lua would raise an error, lower has written a Stop. Loops stay, they may have
// no end.
//
// An assignment that is dropped may have been the only reader of another local, so it goes
// on until nothing more falls.
func dead(f *ir.Func) {
	f.Body = reach(f.Body)
	for {
		// What is read, and what is a result whether it is read or not.
		read := map[int]bool{}
		ir.Exprs(f.Body, func(e *ir.Expr) {
			if e.Op == ir.Get {
				read[e.Local] = true
			}
		})
		for i := range f.Fields {
			read[f.Fields[i].Local] = true
		}
		for i := range f.Inputs {
			read[f.Inputs[i].Local] = true
		}
		body, dropped := sweep(f.Body, read)
		if f.Body = body; !dropped {
			return
		}
	}
}

// reach cuts what control never comes to. Inner lists come first, so that an If whose arms
// both leave is seen to leave.
func reach(stmts []*ir.Stmt) []*ir.Stmt {
	var out []*ir.Stmt
	for _, s := range stmts {
		s.Body, s.Else = reach(s.Body), reach(s.Else)
		switch {
		case s.Kind == ir.If && s.Value.Op == ir.Const && s.Value.Value != 0:
			out = append(out, s.Body...)
		case s.Kind == ir.If && s.Value.Op == ir.Const:
			out = append(out, s.Else...)
		case s.Kind == ir.Block && dissolves(s):
			out = append(out, s.Body...)
		default:
			out = append(out, s)
		}
		if len(out) > 0 && out[len(out)-1].Leaves() {
			return out
		}
	}
	return out
}

// dissolves reports whether nothing leaves a block any more, once a last
// statement that does only that is gone.
func dissolves(s *ir.Stmt) bool {
	if n := len(s.Body); n > 0 && s.Body[n-1].Kind == ir.Leave && s.Body[n-1].Label == s.Label {
		s.Body = s.Body[:n-1]
	}
	left := false
	ir.Walk(s.Body, func(in *ir.Stmt) { left = left || in.Kind == ir.Leave && in.Label == s.Label })
	return !left
}

// sweep drops assignments to what is not read, and branches with nothing left. A block
// without statements has no Leave either.
func sweep(stmts []*ir.Stmt, read map[int]bool) (out []*ir.Stmt, dropped bool) {
	for _, s := range stmts {
		var a, b bool
		s.Body, a = sweep(s.Body, read)
		s.Else, b = sweep(s.Else, read)
		dropped = dropped || a || b
		switch {
		case s.Kind == ir.Set && !read[s.Local] && !matters(s.Value),
			s.Kind == ir.If && len(s.Body)+len(s.Else) == 0 && !matters(s.Value),
			s.Kind == ir.Block && len(s.Body) == 0:
			dropped = true
		default:
			out = append(out, s)
		}
	}
	return out, dropped
}

// hasTee reports whether an expression sets a local that others may read.
func hasTee(e *ir.Expr) bool {
	return e.Any(func(e *ir.Expr) bool { return e.Op == ir.Tee })
}

// matters reports whether evaluating an expression does more than give its value: then it
// must be evaluated as often as it stands there, and neither dropped, shared nor decided.
func matters(e *ir.Expr) bool {
	return e.Any(func(e *ir.Expr) bool { return e.Op == ir.Tee || e.Effect() })
}
