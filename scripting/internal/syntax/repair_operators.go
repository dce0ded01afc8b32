package syntax

import "github.com/yuin/gopher-lua/ast"

// Operators that the host's functions stand in for. Their calls come last among the
// rewrites, so that no repair takes them for calls of the script.

// replaceConcat turns a .. b .. c into one call, of at most maxRun operands.
func replaceConcat(u *unit, stmts []ast.Stmt) []ast.Stmt {
	if u.opts.Concat == nil {
		return stmts
	}
	// A run leans to the right and is rewritten from the right, so each operator adds
	// its left operand to the call that was made of the rest.
	runs := map[ast.Expr]*ast.FuncCallExpr{}
	replace := rewriter{expr: func(expr ast.Expr) ast.Expr {
		concat, ok := expr.(*ast.StringConcatOpExpr)
		if !ok {
			return expr
		}
		call := runs[concat.Rhs]
		if call == nil {
			// AdjustRet says that it has one value: in a constructor, any number of
			// values would be items, and a call that is returned alone a tail call.
			call = at(&ast.FuncCallExpr{Func: u.load(u.opts.Concat, concat.Line()), Args: []ast.Expr{oneValue(concat.Rhs)}, AdjustRet: true}, 0)
			runs[call] = call
		}
		call.Args = append([]ast.Expr{concat.Lhs}, call.Args...)
		call.SetLine(concat.Line())
		return call
	}}
	return plainAssignments(replace.rewriteBlock(stmts))
}

// plainAssignments is what repairAssignments does for the calls that have come since.
func plainAssignments(stmts []ast.Stmt) []ast.Stmt {
	repair := rewriter{stmt: func(stmt ast.Stmt) []ast.Stmt {
		if assign, ok := stmt.(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 {
			assign.Rhs[0] = plainCall(assign.Rhs[0])
		}
		return []ast.Stmt{stmt}
	}}
	return repair.rewriteBlock(stmts)
}

// replacePop turns t[#t] = nil into a call, for names and fields of names.
func replacePop(u *unit, stmts []ast.Stmt) []ast.Stmt {
	if u.opts.Pop == nil {
		return stmts
	}
	replace := rewriter{stmt: func(stmt ast.Stmt) []ast.Stmt {
		if table := popped(stmt); table != nil {
			call := at(&ast.FuncCallExpr{Func: u.load(u.opts.Pop, stmt.Line()), Args: []ast.Expr{table}}, stmt.Line())
			return []ast.Stmt{at(&ast.FuncCallStmt{Expr: call}, stmt.Line())}
		}
		return []ast.Stmt{stmt}
	}}
	return replace.rewriteBlock(stmts)
}

// popped returns t if the statement is t[#t] = nil.
func popped(stmt ast.Stmt) ast.Expr {
	assign, ok := stmt.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil
	}
	_, isNil := assign.Rhs[0].(*ast.NilExpr)
	target, isField := assign.Lhs[0].(*ast.AttrGetExpr)
	if !isNil || !isField {
		return nil
	}
	length, isLength := target.Key.(*ast.UnaryLenOpExpr)
	if !isLength || !samePath(target.Object, length.Expr) {
		return nil
	}
	return target.Object
}

// samePath tells whether two expressions are the same name, or the same named
// field of the same path.
// A call is no path: each evaluation could give another table.
func samePath(a, b ast.Expr) bool {
	switch a := a.(type) {
	case *ast.IdentExpr:
		b, ok := b.(*ast.IdentExpr)
		return ok && a.Value == b.Value
	case *ast.AttrGetExpr:
		b, ok := b.(*ast.AttrGetExpr)
		return ok && samePath(a.Object, b.Object) && sameKey(a.Key, b.Key)
	}
	return false
}

// sameKey reports whether two keys are the same text.
func sameKey(a, b ast.Expr) bool {
	textA, ok := a.(*ast.StringExpr)
	textB, ok2 := b.(*ast.StringExpr)
	return ok && ok2 && textA.Value == textB.Value
}
