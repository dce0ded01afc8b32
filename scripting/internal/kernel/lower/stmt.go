package lower

import (
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/yuin/gopher-lua/ast"
)

// block translates a list with a scope of its own.
func (l *lowerer) block(stmts []ast.Stmt) {
	l.open()
	l.stmts(stmts)
	l.shut()
}

// stmts translates a list. Labels at its end are places to leave to; others
// would need jumps that a kernel does not have.
func (l *lowerer) stmts(stmts []ast.Stmt) {
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
		l.scope.labels[s.(*ast.LabelStmt).Name] = label
	}
	l.emit(&ir.Stmt{Kind: ir.Block, Label: label, Body: l.list(func() { l.each(stmts[:end]) })})
}

func isLabel(s ast.Stmt) bool {
	_, ok := s.(*ast.LabelStmt)
	return ok
}

func (l *lowerer) each(stmts []ast.Stmt) {
	for _, s := range stmts {
		if l.err != nil {
			return
		}
		l.stmt(s)
	}
}

// label gives out the number of a block; Row is the first.
func (l *lowerer) label() int {
	l.labels++
	return l.labels
}

func (l *lowerer) leave(label int) { l.emit(&ir.Stmt{Kind: ir.Leave, Label: label}) }

func (l *lowerer) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		l.declaration(s)
	case *ast.AssignStmt:
		l.assignment(s)
	case *ast.FuncCallStmt:
		l.value(s.Expr) // for what it refuses: all calls that are left have no effect
	case *ast.DoBlockStmt:
		l.block(s.Stmts)
	case *ast.IfStmt:
		l.branch(s)
	case *ast.ReturnStmt:
		for _, e := range s.Exprs {
			l.value(e)
		}
		l.leave(ir.Row)
	case *ast.BreakStmt:
		if n := len(l.breaks); n > 0 {
			l.leave(l.breaks[n-1])
		}
	case *ast.GotoStmt:
		l.jump(s)
	case *ast.LabelStmt:
		l.refuse(s.Line(), "a label in the middle of a block")
	default:
		l.loop(s)
	}
}

func (l *lowerer) loop(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.WhileStmt:
		l.while(s)
	case *ast.RepeatStmt:
		l.repeat(s)
	case *ast.NumberForStmt:
		l.counted(s)
	case *ast.GenericForStmt:
		l.refuse(s.Line(), "for … in")
	case *ast.FuncDefStmt:
		l.refuse(s.Line(), "a function inside the function")
	default:
		l.refuse(s.Line(), "this statement")
	}
}

func (l *lowerer) jump(s *ast.GotoStmt) {
	for sc := l.scope; sc != nil; sc = sc.outer {
		if label, ok := sc.labels[s.Label]; ok {
			l.leave(label)
			return
		}
	}
	l.refuse(s.Line(), "a goto that does not lead to the end of a block around it")
}

func (l *lowerer) branch(s *ast.IfStmt) {
	if isTrue, known := truth(settled(s.Condition)); known {
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
		Body: l.list(func() { l.block(s.Then) }),
		Else: l.list(func() { l.block(s.Else) }),
	})
}

// declaration is local a, b = …
func (l *lowerer) declaration(s *ast.LocalAssignStmt) {
	if s.LastLine() != 0 {
		l.refuse(s.Line(), "a function inside the function")
		return
	}
	values := l.values(s.Exprs, len(s.Names), s.Line())
	if l.err != nil {
		return // there is nothing that the names could stand for
	}
	fresh := make([]int, len(s.Names))
	for i, e := range values {
		fresh[i] = l.f.NewLocal(s.Names[i], e.Type)
		l.set(fresh[i], e)
	}
	for i, name := range s.Names {
		l.scope.names[name] = binding{isLocal, fresh[i]}
	}
}

// values translates a list of expressions and returns the first n; what is
// beyond is looked at for what Lua would refuse.
func (l *lowerer) values(exprs []ast.Expr, n, line int) []*ir.Expr {
	if len(exprs) < n {
		for _, e := range exprs {
			l.plain(e) // a call that gives several values has a reason of its own
		}
		l.refuse(line, "a variable that begins as nil")
		return nil
	}
	out := make([]*ir.Expr, 0, n)
	for i, e := range exprs {
		if v := l.plain(e); i < n && v != nil {
			out = append(out, v)
		}
	}
	if l.err != nil {
		return nil
	}
	return out
}

// assignment evaluates all values first and then assigns, the last target
// first, as Lua does.
func (l *lowerer) assignment(s *ast.AssignStmt) {
	values := l.values(s.Rhs, len(s.Lhs), s.Line())
	if len(s.Lhs) > 1 {
		for i, e := range values {
			held := l.f.NewLocal("value", e.Type)
			l.set(held, e)
			values[i] = l.get(held)
		}
	}
	for i := len(values) - 1; i >= 0; i-- {
		l.assign(s.Lhs[i], values[i])
	}
}

func (l *lowerer) assign(target ast.Expr, e *ir.Expr) {
	local := l.target(target)
	if local < 0 {
		return
	}
	if l.f.Locals[local].Type != e.Type {
		l.refuse(target.Line(), "a variable that holds numbers and booleans in turn")
		return
	}
	l.set(local, e)
}

// target returns the local that an assignment changes, or -1.
func (l *lowerer) target(target ast.Expr) int {
	switch t := target.(type) {
	case *ast.IdentExpr:
		b, inside := l.lookup(t.Value)
		switch {
		case b.kind == isLocal:
			return b.index
		case inside:
			l.refuse(t.Line(), "an assignment to the parameter %q", t.Value)
		case l.fn.outer[t.Value] != nil:
			l.refuse(t.Line(), "an assignment to %q, a local of the script,", t.Value)
		default:
			l.refuse(t.Line(), "an assignment to the global %q", t.Value)
		}
	case *ast.AttrGetExpr:
		if term, name, ok := l.termField(t); ok {
			return l.field(term, name, t.Line())
		}
		l.refuse(t.Line(), "an assignment into a table")
	}
	return -1
}
