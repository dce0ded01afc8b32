package front

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

const (
	// maxDepth bounds the height of one expression's tree. Chains such as
	// a + a + a … need no nesting in the text but grow the tree by one level
	// each, and gopher-lua's constant folding takes time square in that height.
	maxDepth = 250

	// maxRun bounds the operands of one run of `..`, and maxRegisterRun those
	// of one that the VM's own operator joins, which keeps them in registers.
	maxRun         = 5000
	maxRegisterRun = 150

	// maxLookups bounds the work for the names, texts and numbers of one
	// function: for each use, the compiler looks through all that came before.
	// It takes about half a second, and allows 11,000 different ones.
	maxLookups = 60_000_000
)

// checkDepth refuses scripts whose tree would hurt the stages behind: too high
// an expression, too long a constructor, too many constants.
func checkDepth(name string, stmts []ast.Stmt, opts *Options) *Error {
	check := depthCheck{name: name, run: maxRun, constants: map[string]int{}}
	if opts.Concat == nil {
		check.run = maxRegisterRun
	}
	check.block(stmts)
	return check.fault
}

type depthCheck struct {
	name      string
	run       int
	constants map[string]int // of the function, and the names of its locals: their order
	lookups   int            // for them
	fault     *Error
}

func (c *depthCheck) fail(node ast.PositionHolder, format string, args ...any) {
	if c.fault == nil {
		c.fault = &Error{Script: c.name, Line: node.Line(), Message: fmt.Sprintf(format, args...)}
	}
}

func (c *depthCheck) block(stmts []ast.Stmt) {
	for _, stmt := range stmts {
		if def, ok := stmt.(*ast.FuncDefStmt); ok {
			c.function(def.Func)
			continue
		}
		exprs, blocks := stmtParts(stmt)
		for _, expr := range exprs {
			c.expr(*expr, 0)
		}
		for _, block := range blocks {
			c.block(*block)
		}
	}
}

// function counts constants anew.
func (c *depthCheck) function(fn *ast.FunctionExpr) {
	constants, lookups := c.constants, c.lookups
	c.constants, c.lookups = map[string]int{}, 0
	c.block(fn.Stmts)
	c.constants, c.lookups = constants, lookups
}

func (c *depthCheck) constant(node ast.Expr, value string) {
	place, known := c.constants[value]
	if !known {
		place = len(c.constants)
		c.constants[value] = place
	}
	c.lookups += place
	if c.lookups > maxLookups {
		c.fail(node, "too many different names, texts and numbers in one function: put parts of it into functions of their own")
	}
}

func (c *depthCheck) expr(expr ast.Expr, depth int) {
	if depth > maxDepth {
		c.fail(expr, "expression is too long: more than %d operators or calls in a row; use locals for parts of it", maxDepth)
	}
	if c.fault != nil {
		return
	}
	switch node := expr.(type) {
	case *ast.IdentExpr:
		c.constant(node, node.Value)
	case *ast.StringExpr:
		c.constant(node, node.Value)
	case *ast.NumberExpr:
		c.constant(node, node.Value)
	case *ast.TableExpr:
		if len(node.Fields) > maxFields {
			c.fail(node, "table constructor has %d items, more than %d: fill the table in a loop, or in parts", len(node.Fields), maxFields)
		}
	case *ast.StringConcatOpExpr:
		c.concat(node, depth)
		return
	case *ast.FunctionExpr:
		c.function(node)
	}
	for _, part := range exprParts(expr) {
		c.expr(*part, depth+1)
	}
}

// concat checks the operands of a run, which is flat, see the parser's concat.
func (c *depthCheck) concat(node *ast.StringConcatOpExpr, depth int) {
	for operands := 2; ; operands++ {
		c.expr(node.Lhs, depth+1)
		rest, ok := node.Rhs.(*ast.StringConcatOpExpr)
		if !ok {
			c.expr(node.Rhs, depth+1)
			return
		}
		if operands >= c.run {
			c.fail(node, "more than %d texts joined by .. in one expression: use table.concat", c.run)
			return
		}
		node = rest
	}
}
