package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// Call is a call that a function makes when it runs.
type Call struct {
	*syntax.Call
	Reach Reach
}

// callsOf finds the calls that functions make when they run, those in the arguments of a
// call before it.
func callsOf(tree *syntax.Tree, reach map[syntax.Node]Reach) (list []Call) {
	inside := 0
	var visit func(node syntax.Node)
	visit = func(node syntax.Node) {
		if fn, ok := node.(*syntax.Function); ok {
			inside++
			syntax.Children(fn, visit)
			inside--
			return
		}
		syntax.Children(node, visit)
		if call, ok := node.(*syntax.Call); ok && inside > 0 && call.Func != nil && reach[node] < Never {
			list = append(list, Call{call, reach[node]})
		}
	}
	for _, stmt := range tree.Body {
		visit(stmt)
	}
	return list
}

// expectErrors finds the functions whose errors somebody may wait for: those that are given
// to pcall or xpcall, and those that are given to a function of which the text does not say
// that it does nothing with them but to call them.
func expectErrors(tree *syntax.Tree) map[syntax.FuncID]bool {
	x := &expectation{names: tree.Names, set: map[string]bool{}, handed: map[*syntax.Variable]bool{}}
	for _, g := range tree.Names.Globals {
		x.set[g.Name] = x.set[g.Name] || g.Set
	}
	syntax.WalkBlock(tree.Body, x.uses)
	expected := map[syntax.FuncID]bool{}
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.Call); ok {
			for i, arg := range call.Args {
				if fn := functionOf(tree.Names, arg); fn != nil && x.catches(call, i) {
					expected[fn.ID] = true
				}
			}
		}
		return true
	})
	return expected
}

// expectation is what expectErrors needs to know.
type expectation struct {
	names  *syntax.Names
	set    map[string]bool // globals that the text sets
	handed map[*syntax.Variable]bool
}

// uses notes the variables that are used in another way than to call them.
func (x *expectation) uses(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.Call:
		if variable(x.names, n.Func) != nil {
			for _, arg := range n.Args {
				syntax.Walk(arg, x.uses)
			}
			return false
		}
	case *syntax.Name:
		x.handed[x.names.Variable(n)] = true
	}
	return true
}

// catches reports whether a call may wait for the errors of its i-th argument.
func (x *expectation) catches(call *syntax.Call, i int) bool {
	name := called(x.names, call.Func)
	if outer, ok := call.Func.(*syntax.Call); ok && ecsFunction(x.names, outer.Func) != "" || ecsFunction(x.names, call.Func) != "" {
		return false
	}
	if name == "pcall" || name == "xpcall" {
		return i == 0
	}
	if fn := functionOf(x.names, call.Func); fn != nil {
		params := x.names.Parameters(fn.ID)
		return i >= len(params) || x.handed[params[i]]
	}
	callee := call.Func
	if index, ok := callee.(*syntax.Index); ok {
		callee = index.Object
	}
	global, ok := callee.(*syntax.Name)
	return !ok || !x.names.Global(global) || x.set[global.Value] || global.Value == "coroutine"
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
