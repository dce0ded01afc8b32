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

// modulesOf finds the variables of a tree that hold modules.
func modulesOf(known *settled, body []syntax.Stmt, reach map[syntax.Node]reached) modules {
	m := modules{settled: known, reach: reach}
	syntax.WalkBlock(body, m.node)
	return m
}

// fields lists the fields of modules, in the order of the text.
func (m *modules) fields() []ModuleField {
	var list []ModuleField
	for _, use := range m.uses {
		if !m.computed[use.of] {
			list = append(list, use.ModuleField)
		}
	}
	return list
}

// ModuleOf returns the name of the module that an expression is for good, as it was
// required; false for any other.
func (f *Facts) ModuleOf(e syntax.Expr) (name string, ok bool) {
	v := variable(f.Tree.Names, e)
	if v == nil || len(v.Assigned) > 0 || f.computed[v] {
		return "", false
	}
	return required(f.Tree.Names, v.Value)
}

// modules are the variables that hold modules, and the uses of their fields.
type modules struct {
	*settled
	reach map[syntax.Node]reached
	uses  []moduleUse
}

// moduleUse is a field of a variable that holds a module.
type moduleUse struct {
	ModuleField
	of *syntax.Variable
}

func (m *modules) node(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.Assign:
		for _, value := range n.Rhs {
			syntax.Walk(value, m.node)
		}
		for _, target := range n.Lhs {
			m.assign(target)
		}
		return false
	case *syntax.FunctionStmt:
		if n.Target != nil {
			m.assign(n.Target)
		} else {
			syntax.Walk(n.Receiver, m.node)
			m.use(n.Receiver, n.Method, n.Receiver, true)
		}
		syntax.Walk(n.Func, m.node)
		return false
	case *syntax.Index:
		if key, ok := n.Key.(*syntax.String); ok {
			syntax.Walk(n.Object, m.node)
			m.use(n.Object, key.Value, n, false)
			return false
		}
	case *syntax.Call:
		if n.Func == nil {
			m.use(n.Receiver, n.Method, n, false)
		}
	}
	return true
}

// assign is the target of an assignment.
func (m *modules) assign(target syntax.Expr) {
	index, ok := target.(*syntax.Index)
	if !ok {
		return
	}
	syntax.Walk(index.Object, m.node)
	if key, ok := index.Key.(*syntax.String); ok {
		m.use(index.Object, key.Value, index, true)
		return
	}
	syntax.Walk(index.Key, m.node)
}

// use notes a field of an expression, if that is a variable with a module in it.
func (m *modules) use(object syntax.Expr, name string, at syntax.Node, set bool) {
	if v := variable(m.names, object); v != nil && len(v.Assigned) == 0 {
		if module, ok := required(m.names, v.Value); ok {
			m.uses = append(m.uses, moduleUse{ModuleField{module, name, at.Position(), set, m.reach[at].Reach}, v})
		}
	}
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
