package rows

import "github.com/yuin/gopher-lua/ast"

// site is a place in the text where an each function is written out.
type site struct {
	fn    *ast.FunctionExpr
	table *ast.TableExpr    // of a system: it has a query and the function
	call  *ast.FuncCallExpr // of ecs.kernel: the function is an argument
}

// options returns the table that what belongs to the function goes into. A call
// without one gets one.
func (s *site) options() *ast.TableExpr {
	if s.table != nil {
		return s.table
	}
	last := len(s.call.Args) - 1
	if t, ok := s.call.Args[last].(*ast.TableExpr); ok {
		return t
	}
	t := &ast.TableExpr{}
	t.SetLine(s.fn.LastLine())
	t.SetLastLine(s.fn.LastLine())
	s.call.Args = append(s.call.Args, t)
	return t
}

// sites lists the each functions of a tree, in the order of the text.
func sites(stmts []ast.Stmt) []site {
	var found []site
	known := ownsName(stmts)
	w := walker{expr: func(slot *ast.Expr) bool {
		switch e := (*slot).(type) {
		case *ast.TableExpr:
			if fn, ok := field(e, "each").(*ast.FunctionExpr); ok && field(e, "query") != nil {
				found = append(found, site{fn: fn, table: e})
			}
		case *ast.FuncCallExpr:
			if fn := kernelOf(e); fn != nil && known {
				found = append(found, site{fn: fn, call: e})
			}
		}
		return true
	}}
	w.block(stmts)
	return found
}

// kernelOf returns the function of ecs.kernel([name,] query, fn [, options]), nil
// for other calls. The options must be written out: what a name stands for may
// have other uses.
func kernelOf(e *ast.FuncCallExpr) *ast.FunctionExpr {
	get, ok := e.Func.(*ast.AttrGetExpr)
	if !ok || !isName(get.Object, "ecs") {
		return nil
	}
	if key, ok := get.Key.(*ast.StringExpr); !ok || key.Value != "kernel" {
		return nil
	}
	args := e.Args
	if n := len(args); n > 0 {
		if _, ok := args[n-1].(*ast.TableExpr); ok {
			args = args[:n-1]
		}
	}
	if n := len(args); n == 2 || n == 3 {
		fn, _ := args[n-1].(*ast.FunctionExpr)
		return fn
	}
	return nil
}

// ownsName reports whether the name ecs means the module wherever it stands: the
// text gives it no other meaning. A table of the script's own under that name
// must not find one argument more in its calls.
func ownsName(stmts []ast.Stmt) bool {
	all, modules := 0, 0
	count := func(name string) {
		if name == "ecs" {
			all++
		}
	}
	w := walker{expr: func(*ast.Expr) bool { return true }, declare: count, assign: func(slot *ast.Expr) {
		if id, ok := (*slot).(*ast.IdentExpr); ok {
			count(id.Value)
		}
	}}
	w.block(stmts)
	for _, s := range stmts {
		local, ok := s.(*ast.LocalAssignStmt)
		if !ok {
			continue
		}
		for i, name := range local.Names {
			if name == "ecs" && i < len(local.Exprs) && isModule(local.Exprs[i]) {
				modules++
			}
		}
	}
	return all > 0 && all == modules
}

// isModule recognises require "ecs".
func isModule(e ast.Expr) bool {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok || !isName(call.Func, "require") || len(call.Args) != 1 {
		return false
	}
	name, ok := call.Args[0].(*ast.StringExpr)
	return ok && name.Value == "ecs"
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.IdentExpr)
	return ok && id.Value == name
}
