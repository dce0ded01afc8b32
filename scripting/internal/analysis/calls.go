package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// Call is a call that a function makes when it runs.
type Call struct {
	*syntax.Call
	Reach Reach
	// InGame says that the text lets nothing call it while scripts are loaded: it stands in a
	// function that ecs alone gets, to call it while the game runs.
	InGame bool
}

// inGame finds the functions that ecs alone gets, to call them while the game runs: those that are
// written out in a call of a function of ecs or in the table of a system, and locals that the text
// names nowhere else. Functions within them are not listed.
func inGame(tree *syntax.Tree) map[syntax.FuncID]bool {
	found, given := map[syntax.FuncID]bool{}, map[*syntax.Variable]bool{}
	named, elsewhere := map[syntax.Node]bool{}, map[*syntax.Variable]bool{}
	give := func(e syntax.Expr) {
		switch e := e.(type) {
		case *syntax.Function:
			found[e.ID] = true
		case *syntax.Name:
			named[e], given[tree.Names.Variable(e)] = true, true
		}
	}
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Call:
			outer, _ := n.Func.(*syntax.Call)
			system := ecsFunction(tree.Names, n.Func) == "system" || outer != nil && ecsFunction(tree.Names, outer.Func) == "system"
			if system || ecsFunction(tree.Names, n.Func) != "" {
				for _, arg := range n.Args {
					give(arg)
				}
			}
			if options, ok := at(n.Args, len(n.Args)-1).(*syntax.Table); ok && system {
				for _, field := range options.Fields {
					give(field.Value)
				}
			}
		case *syntax.Name:
			elsewhere[tree.Names.Variable(n)] = elsewhere[tree.Names.Variable(n)] || !named[n]
		}
		return true
	})
	for v := range given {
		if v == nil || elsewhere[v] || len(v.Assigned) > 0 {
			continue
		}
		if fn, ok := v.Value.(*syntax.Function); ok {
			found[fn.ID] = true
		}
	}
	return found
}

// expectErrors finds the functions whose errors somebody may wait for: those that are given
// to pcall or xpcall, those that are given to a function of which the text does not say
// that it does nothing with them but to call them, and, where pcall or xpcall gets what is found
// only while the text runs, those in tables.
func expectErrors(known *settled) map[syntax.FuncID]bool {
	x := &expectation{known, map[string]bool{}}
	for _, g := range known.names.Globals {
		x.global[g.Name] = x.global[g.Name] || g.Set
	}
	expected := map[syntax.FuncID]bool{}
	var inTables []syntax.FuncID
	options, found := map[*syntax.Table]bool{}, false // tables that ecs gets; pcall gets what is found while the text runs
	for _, node := range known.nodes {
		switch n := node.(type) {
		case *syntax.Call:
			ofECS := x.ofECS(n)
			if name := called(x.names, n.Func); name == "pcall" || name == "xpcall" {
				found = found || len(n.Args) > 0 && functionOf(known.names, n.Args[0]) == nil
			}
			for i, arg := range n.Args {
				if table, ok := arg.(*syntax.Table); ok && ofECS {
					options[table] = true
				}
				if fn := functionOf(known.names, arg); fn != nil && x.catches(n, i) {
					expected[fn.ID] = true
				}
			}
		case *syntax.Table:
			for _, field := range n.Fields {
				if fn, ok := field.Value.(*syntax.Function); ok && !options[n] {
					inTables = append(inTables, fn.ID)
				}
			}
		}
	}
	if found {
		for _, id := range inTables {
			expected[id] = true
		}
	}
	return expected
}

// expectation is what expectErrors needs to know.
type expectation struct {
	*settled
	global map[string]bool // those that the text sets
}

// ofECS reports whether a call is one of a function of ecs, or of what one has returned.
func (x *expectation) ofECS(call *syntax.Call) bool {
	outer, ok := call.Func.(*syntax.Call)
	return ok && ecsFunction(x.names, outer.Func) != "" || ecsFunction(x.names, call.Func) != ""
}

// catches reports whether a call may wait for the errors of its i-th argument.
func (x *expectation) catches(call *syntax.Call, i int) bool {
	if x.ofECS(call) {
		return false
	}
	if name := called(x.names, call.Func); name == "pcall" || name == "xpcall" {
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
	return !ok || !x.names.Global(global) || x.global[global.Value] || global.Value == "coroutine"
}

// functionOf returns the function that an expression is, or that the local that it names
// was declared with for good; nil for any other.
func functionOf(names *syntax.Names, e syntax.Expr) *syntax.Function {
	fn, _ := names.ValueOf(e).(*syntax.Function)
	return fn
}
