package rows

import (
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// readers are the functions of ecs that read the tables which they are called with by
// their keys.
var readers = []string{"system", "kernel", "component", "event", "prefab", "count", "find", "entities", "despawn_all"}

// queryKeys are those that make any table look like a query.
var queryKeys = []string{"with", "without", "optional", "any", "changed"}

// Absent finds the table constructors that look like queries or options, and returns
// for each the keys that are written in it and whose values may come to nil, separated
// by zero bytes. A value that says itself that it may be nil, as in "x or nil", is
// meant so.
func Absent(stmts []ast.Stmt) map[*ast.TableExpr]string {
	found := map[*ast.TableExpr]string{}
	note := func(e ast.Expr, only []string) {
		t, ok := e.(*ast.TableExpr)
		if !ok || found[t] != "" {
			return
		}
		if names := mayBeNil(t, only); len(names) > 0 {
			found[t] = strings.Join(names, "\x00")
		}
	}
	w := walker{expr: func(slot *ast.Expr) bool {
		switch e := (*slot).(type) {
		case *ast.FuncCallExpr:
			if reads(e.Func) {
				for _, arg := range e.Args {
					note(arg, nil)
				}
			}
		case *ast.TableExpr:
			if field(e, "each") != nil || field(e, "batch") != nil || field(e, "run") != nil {
				note(e, nil)
			}
			if query := field(e, "query"); query != nil {
				note(query, nil)
			}
			note(e, queryKeys)
		}
		return true
	}}
	w.block(stmts)
	return found
}

// reads reports whether a callee is one of readers, or what ecs.system "name" returns.
func reads(callee ast.Expr) bool {
	switch e := callee.(type) {
	case *ast.IdentExpr:
		return slices.Contains(readers, e.Value)
	case *ast.AttrGetExpr:
		key, ok := e.Key.(*ast.StringExpr)
		return ok && slices.Contains(readers, key.Value)
	case *ast.FuncCallExpr:
		return reads(e.Func)
	}
	return false
}

// mayBeNil lists the keys of a constructor whose values may be nil without saying so;
// only, if there are any, says which keys count.
func mayBeNil(t *ast.TableExpr, only []string) []string {
	var names []string
	for _, f := range t.Fields {
		key, ok := f.Key.(*ast.StringExpr)
		if !ok || key.Value == "" || strings.Contains(key.Value, "\x00") || only != nil && !slices.Contains(only, key.Value) {
			continue
		}
		switch f.Value.(type) {
		case *ast.IdentExpr, *ast.AttrGetExpr, *ast.FuncCallExpr, *ast.LogicalOpExpr, *ast.Comma3Expr:
			if !saysNil(f.Value) {
				names = append(names, key.Value)
			}
		}
	}
	return names
}

// saysNil recognises "… or nil" and "… and nil".
func saysNil(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.NilExpr:
		return true
	case *ast.LogicalOpExpr:
		return saysNil(e.Rhs)
	}
	return false
}
