package syntax

import "github.com/yuin/gopher-lua/ast"

// Loops: the head of a generic for, and jumps to the first instruction of a body. The
// jumps out of loops are lowered as the compiler needs them, see jumps.go.

// repairGenericFor computes the three values of a generic for in front of it.
// Inside its head the compiler reckons with registers that are not in use yet,
// so that a call in an operand is overwritten, and it leaves out values when
// the list is not three long. One call of a plain function or method, which
// gives all three values, is compiled correctly.
func repairGenericFor(_ *unit, stmts []ast.Stmt) []ast.Stmt {
	repair := rewriter{stmt: func(stmt ast.Stmt) []ast.Stmt {
		loop, ok := stmt.(*ast.GenericForStmt)
		if !ok || len(loop.Exprs) == 1 && plainHead(loop.Exprs[0]) {
			return []ast.Stmt{stmt}
		}
		return inBlock(forTemporaries(loop), loop)
	}}
	return repair.rewriteBlock(stmts)
}

// plainHead tells whether an expression is a call whose callee contains no call.
func plainHead(expr ast.Expr) bool {
	call, ok := expr.(*ast.FuncCallExpr)
	if !ok || call.AdjustRet {
		return false
	}
	if call.Func == nil {
		return !containsCall(call.Receiver)
	}
	return !containsCall(call.Func)
}

// containsCall reports whether an expression contains a call,
// `...`, or a chain of `..`, which a later repair may make a call. Bodies of
// functions do not count, since nothing of them runs in the head.
func containsCall(expr ast.Expr) bool {
	switch expr.(type) {
	case *ast.FuncCallExpr, *ast.Comma3Expr, *ast.StringConcatOpExpr:
		return true
	}
	for _, part := range exprParts(expr) {
		if containsCall(*part) {
			return true
		}
	}
	return false
}

// forTemporaries spells out
//
//	local f, s, c = the list
//	for … in f, s, c, nil do
//
// The fourth value stands in for the last, which the compiler drops when the
// loop has fewer than three names.
func forTemporaries(loop *ast.GenericForStmt) []ast.Stmt {
	names := []string{"(function)", "(state)", "(control)"}
	local := at(&ast.LocalAssignStmt{Names: names, Exprs: loop.Exprs}, loop.Line())
	loop.Exprs = nil
	for _, name := range names {
		loop.Exprs = append(loop.Exprs, at(&ast.IdentExpr{Value: name}, loop.Line()))
	}
	loop.Exprs = append(loop.Exprs, at(&ast.NilExpr{}, loop.Line()))
	return []ast.Stmt{local, loop}
}

// repairLoopStarts puts a harmless instruction in front of a loop body or label
// whose first instruction might be a jump. The compiler shortens jumps to jumps,
// but takes the distance of one it has shortened before for a label.
func repairLoopStarts(_ *unit, stmts []ast.Stmt) []ast.Stmt {
	repair := rewriter{
		stmt: func(stmt ast.Stmt) []ast.Stmt {
			switch s := stmt.(type) {
			case *ast.WhileStmt:
				s.Stmts = startQuietly(s.Stmts, s)
			case *ast.RepeatStmt:
				s.Stmts = startQuietly(s.Stmts, s)
			case *ast.GenericForStmt:
				s.Stmts = startQuietly(s.Stmts, s)
			}
			return []ast.Stmt{stmt}
		},
		block: func(stmts []ast.Stmt) []ast.Stmt {
			out := make([]ast.Stmt, 0, len(stmts))
			for i, stmt := range stmts {
				out = append(out, stmt)
				if _, label := stmt.(*ast.LabelStmt); label && i+1 < len(stmts) && mayJump(stmts[i+1:]) {
					out = append(out, span(&ast.DoBlockStmt{Stmts: quiet(stmt)}, stmt.Line(), stmt.Line()))
				}
			}
			return out
		},
	}
	return repair.rewriteBlock(stmts)
}

// startQuietly puts a harmless instruction in front of a body that may begin with a
// jump.
func startQuietly(body []ast.Stmt, loop ast.Stmt) []ast.Stmt {
	if !mayJump(body) {
		return body
	}
	return append(quiet(loop), body...)
}

// quiet is a local that nothing reads.
func quiet(place ast.Stmt) []ast.Stmt {
	return []ast.Stmt{at(&ast.LocalAssignStmt{Names: []string{"(start)"}, Exprs: []ast.Expr{}}, place.Line())}
}

// mayJump tells whether the first instruction of a block may be a jump.
// Conditions are no danger: the literal ones are gone, and all others begin
// with the evaluation of something.
func mayJump(stmts []ast.Stmt) bool {
	if len(stmts) == 0 {
		return true
	}
	switch s := stmts[0].(type) {
	case *ast.BreakStmt, *ast.GotoStmt, *ast.LabelStmt:
		return true
	case *ast.DoBlockStmt:
		return mayJump(s.Stmts)
	case *ast.WhileStmt:
		_, known := truth(s.Condition)
		return known && mayJump(s.Stmts)
	case *ast.RepeatStmt:
		return mayJump(s.Stmts)
	}
	return false
}
