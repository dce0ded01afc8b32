package rows

import "github.com/yuin/gopher-lua/ast"

// replace puts the locals in the place of the fields.
func replace(fn *ast.FunctionExpr, byName map[string]*param) {
	w := walker{expr: func(slot *ast.Expr) bool {
		p, name, line, ok := access(*slot, byName)
		if !ok || p.whole {
			return true
		}
		id := &ast.IdentExpr{Value: p.local(name)}
		id.SetLine(line)
		id.SetLastLine((*slot).LastLine())
		*slot = id
		return false
	}}
	w.block(fn.Stmts)
}

// finish gives the function its new parameters and makes every way out return
// the fields that it assigns.
func finish(fn *ast.FunctionExpr, params []*param) {
	names := fn.ParList.Names[:1:1]
	var results []string
	for _, p := range params {
		if p.whole {
			names = append(names, p.name)
			continue
		}
		for _, u := range p.uses {
			names = append(names, p.local(u.name))
			if u.assigned > 0 {
				results = append(results, p.local(u.name))
			}
		}
	}
	fn.ParList = &ast.ParList{Names: names}
	if len(results) > 0 {
		fn.Stmts = returns(fn.Stmts, results, fn.LastLine())
		if n := len(fn.Stmts); n == 0 || !isReturn(fn.Stmts[n-1]) {
			fn.Stmts = []ast.Stmt{blockOf(fn), returnOf(results, fn.LastLine())}
		}
	}
}

// blockOf makes a block of a function's body. Why not append the return to the
// body? A goto may lead to a label at the end of a block over the locals of
// that block, but not to one that a statement follows.
func blockOf(fn *ast.FunctionExpr) ast.Stmt {
	block := &ast.DoBlockStmt{Stmts: fn.Stmts}
	block.SetLine(fn.Line())
	block.SetLastLine(fn.LastLine())
	return block
}

func isReturn(s ast.Stmt) bool {
	_, ok := s.(*ast.ReturnStmt)
	return ok
}

func returnOf(results []string, line int) ast.Stmt {
	r := &ast.ReturnStmt{}
	r.SetLine(line)
	r.SetLastLine(line)
	for _, name := range results {
		id := &ast.IdentExpr{Value: name}
		id.SetLine(line)
		id.SetLastLine(line)
		r.Exprs = append(r.Exprs, id)
	}
	return r
}

// returns rewrites the return statements of a function's own blocks, not those
// of functions inside it. What the script returns is still evaluated.
func returns(stmts []ast.Stmt, results []string, line int) []ast.Stmt {
	var out []ast.Stmt
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			if len(s.Exprs) > 0 {
				keep := &ast.LocalAssignStmt{Names: []string{"(returned)"}, Exprs: s.Exprs}
				keep.SetLine(s.Line())
				keep.SetLastLine(0)
				out = append(out, keep)
			}
			out = append(out, returnOf(results, s.Line()))
			continue
		case *ast.DoBlockStmt:
			s.Stmts = returns(s.Stmts, results, line)
		case *ast.WhileStmt:
			s.Stmts = returns(s.Stmts, results, line)
		case *ast.RepeatStmt:
			s.Stmts = returns(s.Stmts, results, line)
		case *ast.IfStmt:
			s.Then, s.Else = returns(s.Then, results, line), returns(s.Else, results, line)
		case *ast.NumberForStmt:
			s.Stmts = returns(s.Stmts, results, line)
		case *ast.GenericForStmt:
			s.Stmts = returns(s.Stmts, results, line)
		}
		out = append(out, s)
	}
	return out
}
