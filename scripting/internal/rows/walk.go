package rows

import "github.com/yuin/gopher-lua/ast"

// walker visits every expression of a tree through the place that holds it, so
// that a visitor can put another there.
type walker struct {
	// expr sees an expression before its parts; false leaves the parts out.
	expr func(slot *ast.Expr) bool
	// assign sees the targets of assignments, before expr does; may be nil.
	assign func(slot *ast.Expr)
	// declare sees the names of locals and parameters; may be nil.
	declare func(name string)
	// inside is how many functions are around the place, below the tree's own.
	inside int
}

func (w *walker) names(names ...string) {
	if w.declare != nil {
		for _, name := range names {
			w.declare(name)
		}
	}
}

func (w *walker) block(stmts []ast.Stmt) {
	for _, s := range stmts {
		w.stmt(s)
	}
}

func (w *walker) list(exprs []ast.Expr) {
	for i := range exprs {
		w.visit(&exprs[i])
	}
}

func (w *walker) targets(exprs []ast.Expr) {
	if w.assign != nil {
		for i := range exprs {
			w.assign(&exprs[i])
		}
	}
	w.list(exprs)
}

func (w *walker) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		w.list(s.Rhs)
		w.targets(s.Lhs)
	case *ast.LocalAssignStmt:
		w.names(s.Names...)
		w.list(s.Exprs)
	case *ast.FuncCallStmt:
		w.visit(&s.Expr)
	case *ast.DoBlockStmt:
		w.block(s.Stmts)
	case *ast.WhileStmt:
		w.visit(&s.Condition)
		w.block(s.Stmts)
	case *ast.RepeatStmt:
		w.block(s.Stmts)
		w.visit(&s.Condition)
	case *ast.IfStmt:
		w.visit(&s.Condition)
		w.block(s.Then)
		w.block(s.Else)
	case *ast.ReturnStmt:
		w.list(s.Exprs)
	default:
		w.loopOrFunction(s)
	}
}

func (w *walker) loopOrFunction(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.NumberForStmt:
		w.names(s.Name)
		w.visit(&s.Init)
		w.visit(&s.Limit)
		if s.Step != nil {
			w.visit(&s.Step)
		}
		w.block(s.Stmts)
	case *ast.GenericForStmt:
		w.names(s.Names...)
		w.list(s.Exprs)
		w.block(s.Stmts)
	case *ast.FuncDefStmt:
		w.funcName(s.Name)
		w.function(s.Func)
	}
}

// funcName visits function a.b.c() and function a.b:c() as assignments.
func (w *walker) funcName(name *ast.FuncName) {
	if name.Func != nil {
		if w.assign != nil {
			w.assign(&name.Func)
		}
		w.visit(&name.Func)
	}
	if name.Receiver != nil {
		w.visit(&name.Receiver)
		w.names("self")
	}
}

func (w *walker) function(f *ast.FunctionExpr) {
	w.inside++
	w.names(f.ParList.Names...)
	w.block(f.Stmts)
	w.inside--
}

func (w *walker) visit(slot *ast.Expr) {
	if !w.expr(slot) {
		return
	}
	switch e := (*slot).(type) {
	case *ast.AttrGetExpr:
		w.visit(&e.Object)
		w.visit(&e.Key)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if f.Key != nil {
				w.visit(&f.Key)
			}
			w.visit(&f.Value)
		}
	case *ast.FuncCallExpr:
		w.call(e)
	case *ast.FunctionExpr:
		w.function(e)
	default:
		w.operator(e)
	}
}

func (w *walker) call(e *ast.FuncCallExpr) {
	if e.Func != nil {
		w.visit(&e.Func)
	}
	if e.Receiver != nil {
		w.visit(&e.Receiver)
	}
	w.list(e.Args)
}

func (w *walker) operator(e ast.Expr) {
	switch e := e.(type) {
	case *ast.LogicalOpExpr:
		w.visit(&e.Lhs)
		w.visit(&e.Rhs)
	case *ast.RelationalOpExpr:
		w.visit(&e.Lhs)
		w.visit(&e.Rhs)
	case *ast.StringConcatOpExpr:
		w.visit(&e.Lhs)
		w.visit(&e.Rhs)
	case *ast.ArithmeticOpExpr:
		w.visit(&e.Lhs)
		w.visit(&e.Rhs)
	case *ast.UnaryMinusOpExpr:
		w.visit(&e.Expr)
	case *ast.UnaryNotOpExpr:
		w.visit(&e.Expr)
	case *ast.UnaryLenOpExpr:
		w.visit(&e.Expr)
	}
}

// Tables calls visit for all table constructors, in the order of the text.
func Tables(stmts []ast.Stmt, visit func(*ast.TableExpr)) {
	w := walker{expr: func(slot *ast.Expr) bool {
		if t, ok := (*slot).(*ast.TableExpr); ok {
			visit(t)
		}
		return true
	}}
	w.block(stmts)
}
