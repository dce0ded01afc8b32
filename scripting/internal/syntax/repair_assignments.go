package syntax

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Assignments: what gopher-lua's compiler stores in the wrong order, or not at all.
// What is rewritten gets locals with names in brackets, which no script can write, so
// they hide no variable of it.

// repairAssignments gives assignments of several targets or values the meaning
// of the manual: all expressions are evaluated, then the targets are set, the
// last one first.
func repairAssignments(_ *unit, stmts []ast.Stmt) []ast.Stmt {
	repair := rewriter{stmt: func(stmt ast.Stmt) []ast.Stmt {
		assign, ok := stmt.(*ast.AssignStmt)
		switch {
		case !ok:
			return []ast.Stmt{stmt}
		case len(assign.Lhs) == 1 && len(assign.Rhs) == 1 && !losesValue(assign):
			assign.Rhs[0] = plainCall(assign.Rhs[0])
			return []ast.Stmt{stmt}
		}
		return inBlock(throughTemporaries(assign), assign)
	}}
	return repair.rewriteBlock(stmts)
}

// losesValue tells of `x = f() and y`: if x is a local, the compiler tests the
// value of f() in another register and, when it decides, does not move it to x.
func losesValue(assign *ast.AssignStmt) bool {
	_, name := assign.Lhs[0].(*ast.IdentExpr)
	_, logical := assign.Rhs[0].(*ast.LogicalOpExpr)
	return name && logical
}

// plainCall undoes the parentheses of `x = (f())`: one target takes one value
// anyway, and the compiler evaluates a call in parentheses in the register of
// x, if x is the last parameter, before x is read as an argument.
func plainCall(value ast.Expr) ast.Expr {
	if call, ok := value.(*ast.FuncCallExpr); ok {
		call.AdjustRet = false
	}
	return value
}

// throughTemporaries spells out
//
//	local o1, k1, … = the objects and keys of the targets
//	local v1, v2, … = the values
//	targetN = vN … target1 = v1
//
// A key that is a literal needs no local: nothing can change its value.
func throughTemporaries(assign *ast.AssignStmt) []ast.Stmt {
	parts := at(&ast.LocalAssignStmt{}, assign.Line())
	hold := func(part *ast.Expr) {
		name := fmt.Sprintf("(part %d)", len(parts.Names))
		line := (*part).Line()
		parts.Names = append(parts.Names, name)
		parts.Exprs = append(parts.Exprs, *part)
		*part = at(&ast.IdentExpr{Value: name}, line)
	}
	values := at(&ast.LocalAssignStmt{Exprs: assign.Rhs}, assign.Line())
	for i, target := range assign.Lhs {
		values.Names = append(values.Names, fmt.Sprintf("(value %d)", i))
		if field, ok := target.(*ast.AttrGetExpr); ok {
			hold(&field.Object)
			if _, constant := truth(field.Key); !constant {
				hold(&field.Key)
			}
		}
	}
	out := []ast.Stmt{}
	// The last part may be a call, of which the local must take one value only.
	if len(parts.Names) > 0 {
		oneValue(parts.Exprs[len(parts.Exprs)-1])
		out = append(out, parts)
	}
	out = append(out, values)
	for i := len(assign.Lhs) - 1; i >= 0; i-- {
		line := assign.Lhs[i].Line()
		value := at(&ast.IdentExpr{Value: values.Names[i]}, line)
		store := at(&ast.AssignStmt{Lhs: assign.Lhs[i : i+1], Rhs: []ast.Expr{value}}, line)
		out = append(out, store)
	}
	return out
}

// repairLocalFunctions keeps `local f = function … end` apart from
// `local function f`, which alone has a last line. A second value makes the
// compiler take the general way, where f becomes visible after its value.
func repairLocalFunctions(_ *unit, stmts []ast.Stmt) []ast.Stmt {
	repair := rewriter{stmt: func(stmt ast.Stmt) []ast.Stmt {
		local, ok := stmt.(*ast.LocalAssignStmt)
		if ok && len(local.Exprs) == 1 && local.LastLine() == 0 {
			if _, isFunction := local.Exprs[0].(*ast.FunctionExpr); isFunction {
				local.Exprs = append(local.Exprs, at(&ast.NilExpr{}, local.Line()))
			}
		}
		return []ast.Stmt{stmt}
	}}
	return repair.rewriteBlock(stmts)
}

// loadReceivers has a constant whose field is assigned be in a register. Such an assignment fails, but
// not before its other parts have run.
func loadReceivers(u *unit, stmts []ast.Stmt) []ast.Stmt {
	load := rewriter{stmt: func(stmt ast.Stmt) []ast.Stmt {
		if s, ok := stmt.(*ast.AssignStmt); ok {
			for _, lhs := range s.Lhs {
				if field, ok := lhs.(*ast.AttrGetExpr); ok {
					if value := constantLike(field.Object); value != nil {
						field.Object = u.load(value, field.Object.Line())
					}
				}
			}
		}
		return []ast.Stmt{stmt}
	}}
	return load.rewriteBlock(stmts)
}

// constantLike returns a constant of the type of an expression that the compiler makes one of, or nil. Which one it is
// does not matter: it has no fields.
func constantLike(expr ast.Expr) lua.LValue {
	number := func(operands ...ast.Expr) lua.LValue {
		for _, operand := range operands {
			if constantLike(operand) != lua.LNumber(0) {
				return nil
			}
		}
		return lua.LNumber(0)
	}
	switch e := expr.(type) {
	case *ast.StringExpr:
		return lua.LString(e.Value)
	case *ast.NumberExpr:
		return lua.LNumber(0)
	case *ast.UnaryMinusOpExpr:
		return number(e.Expr)
	case *ast.ArithmeticOpExpr:
		return number(e.Lhs, e.Rhs)
	}
	return nil
}
