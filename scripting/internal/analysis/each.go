package analysis

import (
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Each is a function over rows: the each function of a table that has a query, or the
// function in a call of ecs.kernel.
//
// A designer writes
//
//	each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end
//
// Its row tables are filled with what it names, and what it assigns is stored. Where the text
// does nothing with a parameter but name its fields, these are all that it uses.
type Each struct {
	Function *syntax.Function
	// Params are the parameters after the entity. Nil where they cannot be told apart.
	Params []*Param
	// Elsewhere is by name where a field of something else than a parameter is last assigned:
	// of a local that has got a row, as from "…", or of a parameter of a function within.
	Elsewhere map[string]syntax.Pos
}

// Param is one parameter after the entity.
type Param struct {
	Name  string
	Table bool   // the text does something else with it than to name its fields
	Uses  []*Use // of one that is assigned, those before that: later a field is one of something else

	assigned bool // the text does so
	gone     bool // it may have happened at the place that is looked at
}

// Use is what a function does with one field of a parameter.
type Use struct {
	Field    string
	First    syntax.Pos // where it is a mistake if there is no such field; no place: nowhere
	Assigned syntax.Pos // the last assignment in the text; no place: there is none
	Changed  syntax.Pos // the last place that changes the list in the field; no place: there is none
}

// overRows is a function over rows, and the query that says what it gets.
type overRows struct {
	*syntax.Function
	query syntax.Expr
}

// overRowsIn finds the functions over rows of a text, in its order. Those within another one
// are left out: nothing is declared while systems run.
func overRowsIn(known *settled) (found []overRows) {
	last := syntax.FuncID(-1) // that is within the last one found
	for _, node := range known.nodes {
		var fn *syntax.Function
		var query syntax.Expr
		switch n := node.(type) {
		case *syntax.Table:
			fn, _ = valueOf(n, "each").(*syntax.Function)
			query = valueOf(n, "query")
		case *syntax.Call:
			fn, query = kernelOf(known.names, n)
		}
		if fn != nil && query != nil && fn.ID > last {
			found, last = append(found, overRows{fn, query}), fn.LastID
		}
	}
	return found
}

// valueOf returns the value of a key that is written as a text, nil if there is none.
func valueOf(t *syntax.Table, name string) syntax.Expr {
	for _, f := range t.Fields {
		if key, ok := f.Key.(*syntax.String); ok && key.Value == name {
			return f.Value
		}
	}
	return nil
}

// kernelOf returns the function and the query of ecs.kernel([name,] query, fn [, options]),
// nil for other calls.
func kernelOf(names *syntax.Names, e *syntax.Call) (*syntax.Function, syntax.Expr) {
	if called(names, e.Func) != "kernel" {
		return nil, nil
	}
	args := e.Args
	if n := len(args); n > 0 {
		if _, ok := args[n-1].(*syntax.Table); ok {
			args = args[:n-1]
		}
	}
	if n := len(args); n == 2 || n == 3 {
		fn, _ := args[n-1].(*syntax.Function)
		return fn, args[n-2]
	}
	return nil, nil
}

// called returns the name of what a call calls: system for ecs.system, and for a local
// that was declared with it. Empty: it has no name.
func called(names *syntax.Names, callee syntax.Expr) string {
	switch e := callee.(type) {
	case *syntax.Name:
		if v := names.Variable(e); v != nil && len(v.Assigned) == 0 {
			if value, ok := v.Value.(*syntax.Index); ok {
				return called(names, value)
			}
		}
		return e.Value
	case *syntax.Index:
		if key, ok := e.Key.(*syntax.String); ok {
			return key.Value
		}
	}
	return ""
}

// newEach looks through a function. A field that is named where a place has no more than
// the sure reach is a mistake if there is none.
func newEach(names *syntax.Names, fn *syntax.Function, reach map[syntax.Node]reached, sure Reach) *Each {
	each := &Each{Function: fn}
	variables := names.Parameters(fn.ID)
	if fn.Vararg || len(variables) == 0 || fn.Self || twice(variables) {
		each.Elsewhere = assignedElsewhere(fn, params{})
		return each
	}
	each.Params = make([]*Param, len(variables)-1)
	params := params{names: names, of: map[*syntax.Variable]*Param{}}
	for i, v := range variables[1:] {
		assigned := len(v.Assigned) > 0
		each.Params[i] = &Param{Name: v.Name, Table: assigned, assigned: assigned}
		params.of[v] = each.Params[i]
	}
	each.Elsewhere = assignedElsewhere(fn, params)
	u := uses{params: params, reach: reach, sure: sure, of: map[*Param]map[string]*Use{}}
	u.block(fn.Body)
	return each
}

// assignedElsewhere finds the last assignment to a field of each name in a function, but for those
// of parameters.
func assignedElsewhere(fn *syntax.Function, but params) map[string]syntax.Pos {
	found := map[string]syntax.Pos{}
	var visit func(syntax.Node)
	visit = func(node syntax.Node) {
		if n, ok := node.(*syntax.Assign); ok {
			for _, target := range n.Lhs {
				get, ok := target.(*syntax.Index)
				if !ok || but.of != nil && but.named(get.Object) != nil {
					continue
				}
				if key, ok := get.Key.(*syntax.String); ok {
					found[key.Value] = get.Position()
				}
			}
		}
		syntax.Children(node, visit)
	}
	for _, stmt := range fn.Body {
		visit(stmt)
	}
	return found
}

// twice reports whether two parameters have one name.
func twice(variables []*syntax.Variable) bool {
	seen := map[string]bool{}
	for _, v := range variables {
		if seen[v.Name] {
			return true
		}
		seen[v.Name] = true
	}
	return false
}

// params are the parameters of a function over rows, by their variables.
type params struct {
	names *syntax.Names
	of    map[*syntax.Variable]*Param
}

// named returns the parameter that an expression names, nil for any other.
func (p params) named(e syntax.Expr) *Param { return p.of[variable(p.names, e)] }

// uses finds out what a function does with its parameters.
type uses struct {
	params params
	reach  map[syntax.Node]reached
	sure   Reach
	of     map[*Param]map[string]*Use
	inside int // functions around the place, below the one that is looked through
	loops  int // loops around it
}

func (u *uses) block(body []syntax.Stmt) {
	for _, stmt := range body {
		u.node(stmt)
	}
}

func (u *uses) node(node syntax.Node) {
	switch n := node.(type) {
	case *syntax.Assign: // the values are computed first
		u.nodes(n.Rhs)
		for _, target := range n.Lhs {
			u.assign(target)
		}
		return
	case *syntax.FunctionStmt:
		if n.Target != nil {
			u.assign(n.Target)
			u.node(n.Func)
			return
		}
	case *syntax.Function:
		u.inside++
		u.block(n.Body)
		u.inside--
		return
	case *syntax.While, *syntax.Repeat, *syntax.NumberFor, *syntax.GenericFor:
		u.loops++
		defer func() { u.loops-- }()
	case *syntax.Label: // a goto may come back to it
		u.loops++
	case *syntax.Call:
		defer u.changes(at(n.Args, 0), n, slices.Contains(changesLists, called(u.params.names, n.Func)))
	case *syntax.Index:
		if p, field, ok := u.params.access(n); ok {
			u.touch(p, field, n, false)
			return
		}
	case *syntax.Name:
		if p := u.params.named(n); p != nil {
			p.Table = true
		}
	}
	syntax.Children(node, u.node)
}

func (u *uses) nodes(list []syntax.Expr) {
	for _, e := range list {
		u.node(e)
	}
}

func (u *uses) assign(target syntax.Expr) {
	if p, field, ok := u.params.access(target); ok {
		u.touch(p, field, target, true)
		return
	}
	if p := u.params.named(target); p != nil {
		p.gone = true
	}
	u.node(target)
	if index, ok := target.(*syntax.Index); ok {
		u.changes(index.Object, index, true)
	}
}

// changesLists are the functions of the library that change the list which they get first.
var changesLists = []string{"insert", "remove", "sort", "rawset"}

// changes notes that a place changes a list, if that is in a field of a parameter.
func (u *uses) changes(list syntax.Expr, at syntax.Expr, changed bool) {
	p, field, ok := u.params.access(u.params.names.ValueOf(list))
	if !changed || !ok {
		return
	}
	if use := u.of[p][field]; use != nil && use.Changed.Line() <= at.Line() {
		use.Changed = at.Position()
	}
}

// access recognises param.field.
func (p params) access(e syntax.Expr) (param *Param, field string, ok bool) {
	get, isGet := e.(*syntax.Index)
	if !isGet {
		return nil, "", false
	}
	key, isKey := get.Key.(*syntax.String)
	if !isKey || key.Value == "" {
		return nil, "", false
	}
	param = p.named(get.Object)
	return param, key.Value, param != nil
}

func (u *uses) touch(p *Param, field string, at syntax.Expr, assigned bool) {
	if p.assigned && (p.gone || u.inside+u.loops > 0) {
		return
	}
	use := u.of[p][field]
	if use == nil {
		use = &Use{Field: field}
		p.Uses = append(p.Uses, use)
		if u.of[p] == nil {
			u.of[p] = map[string]*Use{}
		}
		u.of[p][field] = use
	}
	if use.First.Line() == 0 && u.reach[at].own <= u.sure {
		use.First = at.Position()
	}
	if assigned && use.Assigned.Line() <= at.Line() {
		use.Assigned = at.Position()
	}
}
