package rows

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// A second form compares and computes with what the script has named once, as in
//
//	local size = 1000
//
// To fetch a captured local costs the Lua machine an instruction for every use and
// row, a constant nothing. So a name that stands for one number in all of the text
// becomes that number, where it is an operand.

// constant is a local of the script that is a number for good.
type constant struct {
	value string
	line  int // of its declaration
}

// constantsOf finds the locals of the script's outermost block that are declared
// as a number, where no other local has the name and nothing is assigned to it.
func constantsOf(stmts []ast.Stmt) map[string]constant {
	mentions := map[string]int{}
	w := walker{expr: func(*ast.Expr) bool { return true }, declare: func(name string) { mentions[name]++ }}
	w.assign = func(slot *ast.Expr) {
		if id, ok := (*slot).(*ast.IdentExpr); ok {
			mentions[id.Value]++
		}
	}
	w.block(stmts)
	found := map[string]constant{}
	for _, s := range stmts {
		local, ok := s.(*ast.LocalAssignStmt)
		if !ok || len(local.Names) != len(local.Exprs) {
			continue
		}
		for i, name := range local.Names {
			if number, ok := local.Exprs[i].(*ast.NumberExpr); ok && mentions[name] == 1 && !isZero(number.Value) {
				found[name] = constant{number.Value, max(local.Line(), number.Line())}
			}
		}
	}
	return found
}

// isZero reports whether a numeral is zero, or none. The compiler of the Lua
// machine keeps one constant for 0 and -0: one more could change another.
func isZero(numeral string) bool {
	v, err := strconv.ParseFloat(numeral, 64)
	return err != nil || v == 0
}

// insert puts the constants in the place of their names in a function that stands
// behind their declarations. Where both operands are constants nothing is done:
// the compiler would compute the result, and has its own way with -0.
func insert(fn *ast.FunctionExpr, known map[string]constant) {
	constantAt := func(e ast.Expr) (c constant, ok bool) {
		id, isName := e.(*ast.IdentExpr)
		if isName {
			c, ok = known[id.Value]
		}
		return c, ok && c.line < fn.Line()
	}
	var fixed func(e ast.Expr) bool
	fixed = func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.NumberExpr:
			return true
		case *ast.UnaryMinusOpExpr:
			return fixed(e.Expr)
		case *ast.ArithmeticOpExpr:
			return fixed(e.Lhs) && fixed(e.Rhs)
		}
		_, ok := constantAt(e)
		return ok
	}
	operand := func(slot *ast.Expr, other ast.Expr) {
		if c, ok := constantAt(*slot); ok && !fixed(other) {
			number := &ast.NumberExpr{Value: c.value}
			number.SetLine((*slot).Line())
			number.SetLastLine((*slot).LastLine())
			*slot = number
		}
	}
	w := walker{expr: func(slot *ast.Expr) bool {
		switch e := (*slot).(type) {
		case *ast.ArithmeticOpExpr:
			operand(&e.Lhs, e.Rhs)
			operand(&e.Rhs, e.Lhs)
		case *ast.RelationalOpExpr:
			operand(&e.Lhs, e.Rhs)
			operand(&e.Rhs, e.Lhs)
		}
		return true
	}}
	w.block(fn.Stmts)
}
