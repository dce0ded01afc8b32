package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// ModuleField is a field of what another module returns, named by the local that holds it:
// the spawn of ecs.spawn. Only what is certain is found: a local that is assigned once,
// with a plain require, and of which no field with a computed name is set. A table that
// went another way is left to the moment at which the function runs. Nothing is known
// of a function elsewhere that gets the table and adds fields when systems run.
type ModuleField struct {
	Module string // as it was required: "ecs", "host", "lib.vector"
	Name   string
	Pos    syntax.Pos
	Set    bool // it is assigned there
	Reach  Reach
}

// moduleField is one whose reach is not known yet.
type moduleField struct {
	ModuleField
	of *syntax.Variable
	at syntax.Node
}

// moduleFields lists the fields of modules, in the order of the text.
func (s *settled) moduleFields(reach map[syntax.Node]reached) (list []ModuleField) {
	for _, use := range s.fields {
		if !s.computed[use.of] {
			use.Reach = reach[use.at].Reach
			list = append(list, use.ModuleField)
		}
	}
	return list
}

// ModuleOf returns the name of the module that an expression is for good, as it was
// required; false for any other.
func (f *Facts) ModuleOf(e syntax.Expr) (name string, ok bool) {
	v := variable(f.names, e)
	if f.computed[v] {
		return "", false
	}
	name = f.module(v)
	return name, name != ""
}

// variable returns the variable that an expression names, nil for other expressions.
func variable(names *syntax.Names, e syntax.Expr) *syntax.Variable {
	if name, ok := e.(*syntax.Name); ok {
		return names.Variable(name)
	}
	return nil
}

// required recognises require "name", of the global.
func required(names *syntax.Names, e syntax.Expr) (module string, ok bool) {
	call, ok := e.(*syntax.Call)
	if !ok || len(call.Args) != 1 {
		return "", false
	}
	callee, _ := call.Func.(*syntax.Name)
	name, ok := call.Args[0].(*syntax.String)
	if !ok || callee == nil || callee.Value != "require" || !names.Global(callee) {
		return "", false
	}
	return name.Value, true
}
