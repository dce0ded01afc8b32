package syntax

import "github.com/yuin/gopher-lua/ast"

// The walk over gopher-lua's tree that all repairs share. A rewrite of a node sees its
// parts rewritten already, and what it returns is not visited again: a repair whose
// result has the form that it looks for does not loop.

// stmtParts returns the places of a statement's own expressions and blocks, in
// the order in which they run.
func stmtParts(stmt ast.Stmt) (exprs []*ast.Expr, blocks []*[]ast.Stmt) {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		return append(slots(s.Lhs), slots(s.Rhs)...), nil
	case *ast.LocalAssignStmt:
		return slots(s.Exprs), nil
	case *ast.FuncCallStmt:
		return []*ast.Expr{&s.Expr}, nil
	case *ast.DoBlockStmt:
		return nil, []*[]ast.Stmt{&s.Stmts}
	case *ast.WhileStmt:
		return []*ast.Expr{&s.Condition}, []*[]ast.Stmt{&s.Stmts}
	case *ast.RepeatStmt:
		return []*ast.Expr{&s.Condition}, []*[]ast.Stmt{&s.Stmts}
	case *ast.IfStmt:
		return []*ast.Expr{&s.Condition}, []*[]ast.Stmt{&s.Then, &s.Else}
	case *ast.NumberForStmt:
		exprs = []*ast.Expr{&s.Init, &s.Limit}
		if s.Step != nil {
			exprs = append(exprs, &s.Step)
		}
		return exprs, []*[]ast.Stmt{&s.Stmts}
	case *ast.GenericForStmt:
		return slots(s.Exprs), []*[]ast.Stmt{&s.Stmts}
	case *ast.FuncDefStmt:
		return nil, []*[]ast.Stmt{&s.Func.Stmts}
	case *ast.ReturnStmt:
		return slots(s.Exprs), nil
	}
	return nil, nil
}

// exprParts returns the places of an expression's operands. The body of a
// function is not among them.
func exprParts(expr ast.Expr) []*ast.Expr {
	switch e := expr.(type) {
	case *ast.AttrGetExpr:
		return []*ast.Expr{&e.Object, &e.Key}
	case *ast.TableExpr:
		var parts []*ast.Expr
		for _, field := range e.Fields {
			if field.Key != nil {
				parts = append(parts, &field.Key)
			}
			parts = append(parts, &field.Value)
		}
		return parts
	case *ast.FuncCallExpr:
		callee := &e.Func
		if e.Func == nil {
			callee = &e.Receiver
		}
		return append([]*ast.Expr{callee}, slots(e.Args)...)
	case *ast.LogicalOpExpr:
		return []*ast.Expr{&e.Lhs, &e.Rhs}
	case *ast.RelationalOpExpr:
		return []*ast.Expr{&e.Lhs, &e.Rhs}
	case *ast.StringConcatOpExpr:
		return []*ast.Expr{&e.Lhs, &e.Rhs}
	case *ast.ArithmeticOpExpr:
		return []*ast.Expr{&e.Lhs, &e.Rhs}
	case *ast.UnaryMinusOpExpr:
		return []*ast.Expr{&e.Expr}
	case *ast.UnaryNotOpExpr:
		return []*ast.Expr{&e.Expr}
	case *ast.UnaryLenOpExpr:
		return []*ast.Expr{&e.Expr}
	}
	return nil
}

// slots returns where the expressions of a list are kept, so that they can be replaced.
func slots(list []ast.Expr) []*ast.Expr {
	out := make([]*ast.Expr, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// A rewriter replaces nodes from the leaves up. Each function may be nil.
type rewriter struct {
	expr  func(ast.Expr) ast.Expr
	stmt  func(ast.Stmt) []ast.Stmt         // one statement becomes any number
	block func(stmts []ast.Stmt) []ast.Stmt // after the statements in it
}

// rewriteBlock returns a new list; the statements in it are changed where they are.
func (r *rewriter) rewriteBlock(stmts []ast.Stmt) []ast.Stmt {
	out := make([]ast.Stmt, 0, len(stmts))
	for _, stmt := range stmts {
		r.rewriteStmt(stmt)
		if r.stmt == nil {
			out = append(out, stmt)
			continue
		}
		out = append(out, r.stmt(stmt)...)
	}
	if r.block != nil {
		out = r.block(out)
	}
	return out
}

// rewriteStmt rewrites the parts of a statement. A nil block means an else that is not
// there, and stays nil.
func (r *rewriter) rewriteStmt(stmt ast.Stmt) {
	exprs, blocks := stmtParts(stmt)
	for _, place := range exprs {
		*place = r.rewriteExpr(*place)
	}
	for _, place := range blocks {
		if *place != nil {
			*place = r.rewriteBlock(*place)
		}
	}
}

// rewriteExpr rewrites the parts of an expression, then the expression. The body of a
// function expression is visited here; that of a function statement is one of the
// statement's blocks.
func (r *rewriter) rewriteExpr(expr ast.Expr) ast.Expr {
	if fn, ok := expr.(*ast.FunctionExpr); ok {
		fn.Stmts = r.rewriteBlock(fn.Stmts)
	}
	for _, place := range exprParts(expr) {
		*place = r.rewriteExpr(*place)
	}
	if r.expr == nil {
		return expr
	}
	return r.expr(expr)
}

// oneValue marks an expression whose further values are dropped.
func oneValue(value ast.Expr) ast.Expr {
	switch value := value.(type) {
	case *ast.FuncCallExpr:
		value.AdjustRet = true
	case *ast.Comma3Expr:
		value.AdjustRet = true
	}
	return value
}
