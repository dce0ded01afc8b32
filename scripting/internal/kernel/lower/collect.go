package lower

import "github.com/yuin/gopher-lua/ast"

// collector finds the fields that a function names. It does not know scopes:
// a local that hides a parameter is refused, because the form of the function
// that Lua runs for the same rows is another then.
type collector struct{ l *lowerer }

func (c *collector) block(stmts []ast.Stmt) {
	for _, s := range stmts {
		c.stmt(s)
	}
}

func (c *collector) exprs(list ...ast.Expr) {
	for _, e := range list {
		c.expr(e)
	}
}

func (c *collector) declare(line int, names ...string) {
	for _, name := range names {
		if b, ok := c.l.lookup(name); ok && b.kind != isEntity {
			c.l.refuse(line, "a local with the name of the parameter %q", name)
		}
	}
}

func (c *collector) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		c.exprs(s.Rhs...)
		for _, target := range s.Lhs {
			c.target(target)
		}
	case *ast.LocalAssignStmt:
		c.declare(s.Line(), s.Names...)
		c.exprs(s.Exprs...)
	case *ast.FuncCallStmt:
		c.expr(s.Expr)
	case *ast.ReturnStmt:
		c.exprs(s.Exprs...)
	case *ast.IfStmt:
		c.expr(s.Condition)
		c.block(s.Then)
		c.block(s.Else)
	case *ast.DoBlockStmt:
		c.block(s.Stmts)
	case *ast.WhileStmt:
		c.expr(s.Condition)
		c.block(s.Stmts)
	case *ast.RepeatStmt:
		c.block(s.Stmts)
		c.expr(s.Condition)
	case *ast.NumberForStmt:
		c.declare(s.Line(), s.Name)
		c.exprs(s.Init, s.Limit)
		if s.Step != nil {
			c.expr(s.Step)
		}
		c.block(s.Stmts)
	}
}

// target is what an assignment changes.
func (c *collector) target(target ast.Expr) {
	if i := c.access(target); i >= 0 {
		c.l.f.Fields[i].Store = true
		return
	}
	c.expr(target)
}

// access returns the field that an expression names, or -1.
func (c *collector) access(e ast.Expr) int {
	get, ok := e.(*ast.AttrGetExpr)
	if !ok {
		return -1
	}
	term, name, ok := c.l.termField(get)
	if !ok {
		return -1
	}
	return c.l.field(term, name, get.Line())
}

func (c *collector) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		if c.access(e) < 0 {
			c.exprs(e.Object, e.Key)
		}
	case *ast.FuncCallExpr:
		c.exprs(e.Args...)
	default:
		c.exprs(operands(e)...)
	}
}

// termField recognises p.x where p is a component.
func (l *lowerer) termField(get *ast.AttrGetExpr) (term int, name string, ok bool) {
	id, isName := get.Object.(*ast.IdentExpr)
	key, isKey := get.Key.(*ast.StringExpr)
	if !isName || !isKey {
		return 0, "", false
	}
	b, _ := l.lookup(id.Value)
	return b.index, key.Value, b.kind == isTerm
}
