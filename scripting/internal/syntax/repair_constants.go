package syntax

import "github.com/yuin/gopher-lua/ast"

// Conditions that are written out: the repair decides them, but for loops that never end, which
// repairLoopStarts looks after. The resolver leaves out the
// same branches, see Names.

// foldConstants decides and, or, not, if and while whose condition is a literal.
func foldConstants(_ *unit, stmts []ast.Stmt) []ast.Stmt {
	f := folding{}
	fold := rewriter{expr: f.expr, stmt: foldStmt}
	return fold.rewriteBlock(stmts)
}

// folding knows the literals that are what is left of an and or an or over an
// operand that would have decided otherwise: false of (false and 1), true of
// (true or nil).
//
// Why? PUC Lua reads a local that stands alone when the operator is computed,
// (false or v) too, but one behind the jump over such an operand at its place in
// the text: in (false and 1 or v) == f() before f can assign v.
type folding map[ast.Expr]bool

// expr folds an operator whose operands are folded already.
func (f folding) expr(expr ast.Expr) ast.Expr {
	folded := foldExpr(expr)
	e, ok := expr.(*ast.LogicalOpExpr)
	if !ok || folded == expr {
		return folded
	}
	if folded == e.Lhs {
		decided, _ := truth(e.Lhs)
		skipped, known := truth(e.Rhs)
		f[folded] = !known || skipped != decided
	} else if name, alone := folded.(*ast.IdentExpr); alone && f[e.Lhs] {
		again := at(&ast.IdentExpr{Value: name.Value}, name.Line())
		return at(&ast.LogicalOpExpr{Operator: "or", Lhs: name, Rhs: again}, e.Line()) // its value, read here
	}
	return folded
}

// truth tells whether a literal counts as true. Other expressions are unknown.
func truth(expr ast.Expr) (isTrue, known bool) {
	switch expr.(type) {
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		return true, true
	case *ast.FalseExpr, *ast.NilExpr:
		return false, true
	}
	return false, false
}

// foldExpr decides not, and and or over a literal; other expressions stay.
func foldExpr(expr ast.Expr) ast.Expr {
	switch e := expr.(type) {
	case *ast.UnaryNotOpExpr:
		isTrue, known := truth(e.Expr)
		switch {
		case known && isTrue:
			return at(&ast.FalseExpr{}, e.Line())
		case known:
			return at(&ast.TrueExpr{}, e.Line())
		}
	case *ast.LogicalOpExpr:
		isTrue, known := truth(e.Lhs)
		switch {
		case !known:
			return e
		case isTrue == (e.Operator == "and"):
			return oneValue(e.Rhs)
		}
		return e.Lhs
	}
	return expr
}

// foldStmt keeps the branch that an if takes, in a block of its own because of its
// locals, and drops a while that never runs.
func foldStmt(stmt ast.Stmt) []ast.Stmt {
	switch s := stmt.(type) {
	case *ast.IfStmt:
		isTrue, known := truth(s.Condition)
		switch {
		case known && isTrue:
			return inBlock(s.Then, s)
		case known:
			return inBlock(s.Else, s)
		}
	case *ast.WhileStmt:
		if isTrue, known := truth(s.Condition); known && !isTrue {
			return nil
		}
	}
	return []ast.Stmt{stmt}
}

// inBlock puts statements into a block of their own, at the place of another.
// There is no block where there are no statements.
func inBlock(stmts []ast.Stmt, place ast.Stmt) []ast.Stmt {
	if len(stmts) == 0 {
		return nil
	}
	return []ast.Stmt{span(&ast.DoBlockStmt{Stmts: stmts}, place.Line(), place.LastLine())}
}
