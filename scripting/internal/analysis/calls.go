package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// callsOf finds the calls that functions make when they run, those in the arguments of a
// call before it.
// Functions that are given to pcall or xpcall are left out, with those inside of them:
// whoever calls these expects errors.
func callsOf(tree *syntax.Tree) []*syntax.Call {
	expected := expectErrors(tree)
	var list []*syntax.Call
	inside := 0
	var visit func(node syntax.Node)
	visit = func(node syntax.Node) {
		if fn, ok := node.(*syntax.Function); ok {
			if !expected[fn.ID] {
				inside++
				syntax.Children(fn, visit)
				inside--
			}
			return
		}
		syntax.Children(node, visit)
		if call, ok := node.(*syntax.Call); ok && inside > 0 && call.Func != nil {
			list = append(list, call)
		}
	}
	for _, stmt := range tree.Body {
		visit(stmt)
	}
	return list
}

// expectErrors finds the functions that are given to pcall or xpcall: whoever calls these
// expects errors.
func expectErrors(tree *syntax.Tree) map[syntax.FuncID]bool {
	expected := map[syntax.FuncID]bool{}
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.Call); ok && len(call.Args) > 0 {
			if name := called(tree.Names, call.Func); name == "pcall" || name == "xpcall" {
				if fn := functionOf(tree.Names, call.Args[0]); fn != nil {
					expected[fn.ID] = true
				}
			}
		}
		return true
	})
	return expected
}

// functionOf returns the function that an expression is, or that the local that it names
// was declared with for good; nil for any other.
func functionOf(names *syntax.Names, e syntax.Expr) *syntax.Function {
	fn, _ := names.ValueOf(e).(*syntax.Function)
	return fn
}

// assignedInside lists the names of fields that functions assign, of whichever table, and
// the tables of which they assign fields by computed names.
func assignedInside(tree *syntax.Tree) (names map[string]bool, computed map[*syntax.Table]bool) {
	names, computed = map[string]bool{}, map[*syntax.Table]bool{}
	inside := 0
	field := func(target syntax.Expr) {
		if index, ok := target.(*syntax.Index); ok && inside > 0 {
			switch key := index.Key.(type) {
			case *syntax.String:
				names[key.Value] = true
			case *syntax.Number, *syntax.Arithmetic, *syntax.Length: // no name
			default:
				table, _ := tree.Names.ValueOf(index.Object).(*syntax.Table)
				computed[table] = true
			}
		}
	}
	var visit func(node syntax.Node)
	visit = func(node syntax.Node) {
		switch n := node.(type) {
		case *syntax.Function:
			inside++
			defer func() { inside-- }()
		case *syntax.Assign:
			for _, target := range n.Lhs {
				field(target)
			}
		case *syntax.FunctionStmt:
			field(n.Target)
		}
		syntax.Children(node, visit)
	}
	for _, stmt := range tree.Body {
		visit(stmt)
	}
	return names, computed
}
