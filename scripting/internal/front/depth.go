package front

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// maxDepth bounds the height of one expression's tree. Chains such as
// a + a + a … need no nesting in the text but grow the tree by one level each,
// and gopher-lua's constant folding takes time square in that height.
const maxDepth = 250

// checkDepth refuses scripts whose tree would hurt the stages behind: too high
// an expression, too long a constructor.
func checkDepth(name string, stmts []ast.Stmt) *Error {
	check := depthCheck{name: name}
	check.block(stmts)
	return check.fault
}

type depthCheck struct {
	name  string
	fault *Error
}

func (c *depthCheck) fail(node ast.PositionHolder, format string, args ...any) {
	if c.fault == nil {
		c.fault = &Error{Script: c.name, Line: node.Line(), Message: fmt.Sprintf(format, args...)}
	}
}

func (c *depthCheck) block(stmts []ast.Stmt) {
	for _, stmt := range stmts {
		exprs, blocks := stmtParts(stmt)
		for _, expr := range exprs {
			c.expr(*expr, 0)
		}
		for _, block := range blocks {
			c.block(*block)
		}
	}
}

func (c *depthCheck) expr(expr ast.Expr, depth int) {
	if depth > maxDepth {
		c.fail(expr, "expression is too long: more than %d operators or calls in a row; use locals for parts of it", maxDepth)
		return
	}
	switch node := expr.(type) {
	case *ast.TableExpr:
		if len(node.Fields) > maxFields {
			c.fail(node, "table constructor has %d items, more than %d: fill the table in a loop, or in parts", len(node.Fields), maxFields)
			return
		}
	case *ast.StringConcatOpExpr:
		c.expr(node.Lhs, depth+1)
		c.expr(node.Rhs, depth) // a run of .. is flat, see concat
		return
	case *ast.FunctionExpr:
		c.block(node.Stmts)
		return
	}
	for _, part := range exprParts(expr) {
		c.expr(*part, depth+1)
	}
}
