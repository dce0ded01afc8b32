package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// Call is a call that a function makes when it runs.
type Call struct {
	*syntax.Call
	Reach Reach
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
