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
}

// fieldUse is a field of a variable that was declared with a module.
type fieldUse struct {
	ModuleField
	of *Variable
}

// field notes a field of an expression, if that is a variable with a module in it.
func (r *resolver) field(object syntax.Expr, name string, at syntax.Pos, set bool) {
	local, ok := object.(*syntax.Name)
	if !ok {
		return
	}
	v := r.names.of[local]
	if v == nil {
		return
	}
	if module, ok := r.required(v.Value); ok {
		r.fields = append(r.fields, fieldUse{ModuleField{module, name, at, set}, v})
	}
}

// required recognises require "name", of the global.
func (r *resolver) required(e syntax.Expr) (module string, ok bool) {
	call, ok := e.(*syntax.Call)
	if !ok || len(call.Args) != 1 || !isName(call.Func, "require") {
		return "", false
	}
	if _, local := r.names.of[call.Func.(*syntax.Name)]; local {
		return "", false
	}
	name, ok := call.Args[0].(*syntax.String)
	if !ok {
		return "", false
	}
	return name.Value, true
}

// certain returns the fields of variables that hold what they were declared with.
func (r *resolver) certain() []ModuleField {
	var list []ModuleField
	for _, m := range r.fields {
		if !m.of.Assigned && !m.of.computed {
			list = append(list, m.ModuleField)
		}
	}
	return list
}
