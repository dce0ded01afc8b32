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
// to pcall or xpcall, and those that are given to a function of which the text does not say
// that it does nothing with them but to call them.
func expectErrors(known *settled) map[syntax.FuncID]bool {
	x := &expectation{known, map[string]bool{}}
	for _, g := range known.names.Globals {
		x.global[g.Name] = x.global[g.Name] || g.Set
	}
	expected := map[syntax.FuncID]bool{}
	for _, node := range known.nodes {
		if call, ok := node.(*syntax.Call); ok {
			for i, arg := range call.Args {
				if fn := functionOf(known.names, arg); fn != nil && x.catches(call, i) {
					expected[fn.ID] = true
				}
			}
		}
	}
	return expected
}

// expectation is what expectErrors needs to know.
type expectation struct {
	*settled
	global map[string]bool // those that the text sets
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
	return !ok || !x.names.Global(global) || x.global[global.Value] || global.Value == "coroutine"
}

// functionOf returns the function that an expression is, or that the local that it names
// was declared with for good; nil for any other.
func functionOf(names *syntax.Names, e syntax.Expr) *syntax.Function {
	fn, _ := names.ValueOf(e).(*syntax.Function)
	return fn
}
