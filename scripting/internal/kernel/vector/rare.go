package vector

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// This file says what vectors cannot do, and leaves out the arms with such a thing. It
// decides no row: it only makes the guard, which says at run time which rows may go
// together.

// arm returns the arm of a branch that rows of vectors take, if that is known: the
// condition is, or the other arm does what vectors cannot do. Rows that come to
// that other arm go one by one. Whether they are few is not known here; where they are many,
// the loop soon tries vectors less often, see package wasm, vector_guard.go.
func (fl *flattener) arm(s *ir.Stmt, cond, not ID) (arm []*ir.Stmt, known bool) {
	if truth, ok := fl.g.constant(cond); ok && truth {
		return s.Body, true
	} else if ok {
		return s.Else, true
	}
	switch {
	case fl.hardest(s.Body) != "" && fl.hardest(s.Else) == "":
		fl.rare(cond, s.Body)
		return s.Else, true
	case fl.hardest(s.Else) != "" && fl.hardest(s.Body) == "":
		fl.rare(not, s.Else)
		return s.Body, true
	}
	return nil, false
}

// rare notes that rows for which a condition holds cannot go with others, where control
// comes to it at all. The report names the line of the first such arm.
func (fl *flattener) rare(cond ID, arm []*ir.Stmt) {
	g := fl.g
	g.Rare = g.op(ir.Or, ir.Bool, g.Rare, g.op(ir.And, ir.Bool, fl.path, cond))
	if line := arm[0].Line; g.Line == 0 {
		g.Line = line
	}
}

// hardest says what vectors cannot do of some statements, empty if nothing. A
// branch in them may be rare in turn.
func (fl *flattener) hardest(stmts []*ir.Stmt) string {
	for _, s := range stmts {
		if why := fl.hard(s); why != "" {
			return why
		}
		if s.Kind == ir.Block {
			if why := fl.hardest(s.Body); why != "" {
				return why
			}
		}
		// Of an If, one arm that vectors can do is enough: the other one becomes rare.
		if s.Kind == ir.If {
			if why := fl.hardest(s.Body); why != "" && fl.hardest(s.Else) != "" {
				return why
			}
		}
	}
	return ""
}

// hard says why a statement by itself is nothing for vectors, empty if it is.
func (fl *flattener) hard(s *ir.Stmt) (why string) {
	switch s.Kind {
	case ir.Loop:
		return "a loop"
	case ir.Stop:
		return "a row that may be Lua's: " + s.Why
	case ir.Set:
		if in := fl.f.InputOf(s.Local); in != nil {
			return "a variable of the script is assigned"
		}
	}
	if s.Value != nil {
		s.Value.Any(func(e *ir.Expr) bool { why = hardOp(e); return why != "" })
	}
	return why
}

// hardOp says why an operation is nothing for vectors, empty if it is.
func hardOp(e *ir.Expr) string {
	switch {
	case e.Op == ir.Call && e.Op.Formula(e.Name) == "":
		return "math." + e.Name + " is a function of the host"
	case e.Op == ir.Random || e.Op == ir.Draw:
		return "a random number"
	case e.Op == ir.Item:
		return "an item of a list"
	case e.Op == ir.Do:
		return "a change of the world"
	case e.External():
		return "a look at the world"
	}
	return ""
}
