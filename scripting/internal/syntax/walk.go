package syntax

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

func visitAll[N Node](nodes []N, visit func(Node)) {
	for _, node := range nodes {
		visit(node)
	}
}

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
