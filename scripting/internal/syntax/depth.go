package syntax

// What the parser's limit of nesting does not hold: trees that are high without
// brackets, and work of gopher-lua's compiler that grows faster than the text. All of
// it is checked once, on the tree that was read, before anything walks the tree without
// a limit.

const (
	// maxDepth bounds the height of one expression's tree. Chains such as
	// a + a + a … need no nesting in the text but grow the tree by one level
	// each, and gopher-lua's constant folding takes time square in that height.
	maxDepth = 250

	// maxRun bounds the operands of one run of `..`: all of them are in registers before
	// the last two are joined, and a function has 200.
	maxRun = 190

	// maxLookups bounds the work for the names, texts and numbers of one
	// function: for each use, the compiler looks through all that came before.
	// It takes about half a second, and allows 11,000 different ones.
	maxLookups = 60_000_000
)

// checkDepth refuses scripts whose tree would hurt the stages behind: too high
// an expression, too long a constructor, too many constants.
func checkDepth(name string, stmts []Stmt, uncompiled bool) *Error {
	check := depthCheck{name: name, uncompiled: uncompiled, constants: map[string]int{}}
	check.block(stmts)
	return check.fault
}

// A depthCheck goes through one tree. It keeps the first fault and stops at it.
type depthCheck struct {
	name       string
	uncompiled bool           // see Options
	constants  map[string]int // of the function, and the names of its locals: their order
	lookups    int            // for them
	fault      *Error
}

// fail keeps a fault, unless there is one.
func (c *depthCheck) fail(node Node, format string, args ...any) {
	if c.fault == nil {
		c.fault = errorAt(c.name, node.Position(), format, args...)
	}
}

// block checks the statements of a block.
func (c *depthCheck) block(stmts []Stmt) {
	for _, stmt := range stmts {
		Children(stmt, c.part)
	}
}

// part checks a part of a statement.
func (c *depthCheck) part(node Node) {
	switch n := node.(type) {
	case Stmt:
		Children(n, c.part)
	case Expr:
		c.expr(n, 0)
	}
}

// function counts constants anew.
// Each prototype has a list of its own, and an expression in
// it begins at height zero.
func (c *depthCheck) function(fn *Function) {
	constants, lookups := c.constants, c.lookups
	c.constants, c.lookups = map[string]int{}, 0
	c.block(fn.Body)
	c.constants, c.lookups = constants, lookups
}

// constant counts one use of a name, a text or a number. Its price is its place in the
// list, because the compiler compares it with all before it. A text and a number that
// are written alike share a place here, which the limit is wide enough for.
func (c *depthCheck) constant(node Expr, value string) {
	if c.uncompiled {
		return
	}
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

// expr checks an expression at a height of its tree.
func (c *depthCheck) expr(expr Expr, depth int) {
	if depth > maxDepth {
		c.fail(expr, "expression is too long: more than %d operators or calls in a row; use locals for parts of it", maxDepth)
	}
	if c.fault != nil {
		return
	}
	switch node := expr.(type) {
	case *Name:
		c.constant(node, node.Value)
	case *String:
		c.constant(node, node.Value)
	case *Number:
		c.constant(node, node.Value)
	case *Table:
		if len(node.Fields) > maxFields && !c.uncompiled {
			c.fail(node, "table constructor has %d items, more than %d: fill the table in a loop, or in parts", len(node.Fields), maxFields)
		}
	case *Concat:
		c.concat(node, depth)
		return
	case *Function:
		c.function(node)
		return
	}
	Children(expr, func(part Node) { c.expr(part.(Expr), depth+1) })
}

// concat checks the operands of a run, which is flat, see the parser's concat.
func (c *depthCheck) concat(node *Concat, depth int) {
	for operands := 2; ; operands++ {
		c.expr(node.Lhs, depth+1)
		rest, ok := node.Rhs.(*Concat)
		if !ok {
			c.expr(node.Rhs, depth+1)
			return
		}
		if operands >= maxRun {
			c.fail(node, "more than %d texts joined by .. in one expression: use table.concat", maxRun)
			return
		}
		node = rest
	}
}
