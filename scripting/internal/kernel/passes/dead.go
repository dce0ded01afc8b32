package passes

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// dead removes what has no effect: branches not taken, statements behind a
// Leave, assignments to locals that are read nowhere. Expressions have no
// effects, so dropping one is always right; loops stay, they may have no end.
func dead(f *ir.Func) {
	f.Body = reach(f.Body)
	for {
		read := map[int]bool{}
		ir.Exprs(f.Body, func(e *ir.Expr) {
			if e.Op == ir.Get {
				read[e.Local] = true
			}
		})
		for i := range f.Fields {
			read[i] = true
		}
		body, dropped := sweep(f.Body, read)
		if f.Body = body; !dropped {
			return
		}
	}
}

// reach cuts what control never comes to.
func reach(stmts []*ir.Stmt) []*ir.Stmt {
	var out []*ir.Stmt
	for _, s := range stmts {
		s.Body, s.Else = reach(s.Body), reach(s.Else)
		if s.Kind == ir.If && s.Value.Op == ir.Const {
			taken := s.Else
			if s.Value.Value != 0 {
				taken = s.Body
			}
			out = append(out, taken...)
		} else {
			out = append(out, s)
		}
		if len(out) > 0 && leaves(out[len(out)-1]) {
			return out
		}
	}
	return out
}

// leaves reports whether control never comes behind a statement.
func leaves(s *ir.Stmt) bool {
	switch s.Kind {
	case ir.Leave, ir.Loop:
		return true
	case ir.If:
		return len(s.Body) > 0 && len(s.Else) > 0 && leaves(s.Body[len(s.Body)-1]) && leaves(s.Else[len(s.Else)-1])
	}
	return false
}

// sweep drops assignments to what is not read, and branches with nothing left.
func sweep(stmts []*ir.Stmt, read map[int]bool) (out []*ir.Stmt, dropped bool) {
	for _, s := range stmts {
		var a, b bool
		s.Body, a = sweep(s.Body, read)
		s.Else, b = sweep(s.Else, read)
		dropped = dropped || a || b
		switch {
		case s.Kind == ir.Set && !read[s.Local] && !hasTee(s.Value),
			s.Kind == ir.If && len(s.Body)+len(s.Else) == 0 && !hasTee(s.Value),
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
	found := false
	e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.Tee })
	return found
}
