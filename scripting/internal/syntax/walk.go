package syntax

// Ways through a tree for those who look for some nodes and do not care about the
// others. Names and the
// check of depth have a switch of their own, and fall back on Children for the nodes
// without a case.

// Children calls visit for the parts of a node, in the order of the text: its
// expressions and the statements of its blocks, a function's body too. Names that a
// node declares are no parts: they are no expressions, though they have the type.
func Children(node Node, visit func(Node)) {
	switch n := node.(type) {
	case Expr:
		exprChildren(n, visit)
	case Stmt:
		stmtChildren(n, visit)
	}
}

// Walk calls enter for a node and, where enter returns true, for all below it.
// It takes O(nodes), and goes as deep as the tree is high, which Parse has bounded.
func Walk(node Node, enter func(Node) bool) {
	if enter(node) {
		Children(node, func(child Node) { Walk(child, enter) })
	}
}

// WalkBlock walks the statements of a block.
func WalkBlock(block []Stmt, enter func(Node) bool) {
	for _, stmt := range block {
		Walk(stmt, enter)
	}
}

// visitAll calls visit for each node of a list of expressions or statements.
func visitAll[N Node](nodes []N, visit func(Node)) {
	for _, node := range nodes {
		visit(node)
	}
}

// exprChildren is Children for expressions. A method's name is no part of its call.
func exprChildren(expr Expr, visit func(Node)) {
	switch e := expr.(type) {
	case *Index:
		visit(e.Object)
		visit(e.Key)
	case *Call:
		if e.Func != nil {
			visit(e.Func)
		} else {
			visit(e.Receiver)
		}
		visitAll(e.Args, visit)
	case *Function:
		visitAll(e.Body, visit)
	case *Table:
		for _, field := range e.Fields {
			if field.Key != nil {
				visit(field.Key)
			}
			visit(field.Value)
		}
	default:
		visitAll(Operands(expr), visit)
	}
}

// Operands returns the operands of an operator, nil for any other expression.
func Operands(expr Expr) []Expr {
	switch e := expr.(type) {
	case *Logical:
		return []Expr{e.Lhs, e.Rhs}
	case *Comparison:
		return []Expr{e.Lhs, e.Rhs}
	case *Concat:
		return []Expr{e.Lhs, e.Rhs}
	case *Arithmetic:
		return []Expr{e.Lhs, e.Rhs}
	case *Minus:
		return []Expr{e.Expr}
	case *Not:
		return []Expr{e.Expr}
	case *Length:
		return []Expr{e.Expr}
	}
	return nil
}

// stmtChildren is Children for statements.
func stmtChildren(stmt Stmt, visit func(Node)) {
	switch s := stmt.(type) {
	case *Assign:
		visitAll(s.Lhs, visit)
		visitAll(s.Rhs, visit)
	case *Local:
		visitAll(s.Exprs, visit)
	case *LocalFunction:
		visit(s.Func)
	case *FunctionStmt:
		if s.Target != nil {
			visit(s.Target)
		} else {
			visit(s.Receiver)
		}
		visit(s.Func)
	case *CallStmt:
		visit(s.Call)
	case *Return:
		visitAll(s.Exprs, visit)
	default:
		blockChildren(stmt, visit)
	}
}

// blockChildren is Children for statements with blocks. The condition of a repeat comes
// after its body, as in the text: it sees the body's locals.
func blockChildren(stmt Stmt, visit func(Node)) {
	switch s := stmt.(type) {
	case *Do:
		visitAll(s.Body, visit)
	case *While:
		visit(s.Condition)
		visitAll(s.Body, visit)
	case *Repeat:
		visitAll(s.Body, visit)
		visit(s.Condition)
	case *If:
		visit(s.Condition)
		visitAll(s.Then, visit)
		visitAll(s.Else, visit)
	case *NumberFor:
		visit(s.Init)
		visit(s.Limit)
		if s.Step != nil {
			visit(s.Step)
		}
		visitAll(s.Body, visit)
	case *GenericFor:
		visitAll(s.Exprs, visit)
		visitAll(s.Body, visit)
	}
}
