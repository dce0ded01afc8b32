package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// Each is a function over rows: the each function of a table that has a query, or the
// function in a call of ecs.kernel.
//
// A designer writes
//
//	each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end
//
// Called as it stands, p and v must be tables that are filled and emptied for
// every entity. Where the text does nothing with a parameter but name its
// fields, the same function can take the fields instead and return those that
// it assigns:
//
//	function(e, p.x, v.x, ctx.dt) p.x = p.x + v.x * ctx.dt; return p.x end
//
// Here "p.x" is the name of a local: no script can spell it, so it meets no
// other. That is the second form. It names the same locals of the functions around it,
// so a closure of it gets the captured variables of the first.
type Each struct {
	Function *syntax.Function
	// Params are the parameters after the entity. Nil where they cannot be told apart.
	Params []*Param
	// Form is the second form, nil if there is none.
	Form *syntax.Function
}

// Param is one parameter after the entity.
//
// It keeps its table when the text uses it in any other way than by its fields:
// passes it on, compares it, indexes it with a computed key, declares a local
// of the same name, assigns a field in a function inside of it. Why the last? In
// p.x + f() the field is read before the call and a local after it, so f must not
// assign what a local stands for. The fields of such a parameter are known, too, for
// the places of errors.
type Param struct {
	Name   string
	Table  bool // it keeps its table
	hidden bool // the name means something else in places
	Uses   []*Use
}

// Use is what a function does with one field of a parameter.
type Use struct {
	Field    string
	First    syntax.Pos
	Assigned syntax.Pos // the last assignment in the text; no place: there is none
}

// maxFields is how many fields a second form may take; a function has room for
// 200 locals.
const maxFields = 60

// eachFunctions finds the functions over rows of a tree, in the order of the text.
func eachFunctions(tree *syntax.Tree) []*Each {
	var found []*Each
	constants := constantsOf(tree.Body)
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		var fn *syntax.Function
		switch n := node.(type) {
		case *syntax.Table:
			if fn, _ = valueOf(n, "each").(*syntax.Function); valueOf(n, "query") == nil {
				fn = nil
			}
		case *syntax.Call:
			fn = kernelOf(n)
		}
		if fn != nil {
			found = append(found, newEach(fn, constants))
		}
		return true
	})
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

// kernelOf returns the function of ecs.kernel([name,] query, fn [, options]), nil
// for other calls.
func kernelOf(e *syntax.Call) *syntax.Function {
	get, ok := e.Func.(*syntax.Index)
	if !ok || !isName(get.Object, "ecs") || !isText(get.Key, "kernel") {
		return nil
	}
	args := e.Args
	if n := len(args); n > 0 {
		if _, ok := args[n-1].(*syntax.Table); ok {
			args = args[:n-1]
		}
	}
	if n := len(args); n == 2 || n == 3 {
		fn, _ := args[n-1].(*syntax.Function)
		return fn
	}
	return nil
}

func isName(e syntax.Expr, name string) bool {
	n, ok := e.(*syntax.Name)
	return ok && n.Value == name
}

func isText(e syntax.Expr, text string) bool {
	s, ok := e.(*syntax.String)
	return ok && s.Value == text
}

func newEach(fn *syntax.Function, constants map[string]constant) *Each {
	each := &Each{Function: fn}
	if fn.Vararg || len(fn.Params) == 0 {
		return each
	}
	byName := map[string]*Param{fn.Params[0].Value: nil}
	params := make([]*Param, len(fn.Params)-1)
	for i, name := range syntax.Texts(fn.Params[1:]) {
		if _, twice := byName[name]; twice {
			return each
		}
		params[i] = &Param{Name: name}
		byName[name] = params[i]
	}
	each.Params = params
	u := uses{byName: byName}
	u.block(fn.Body)
	u.forget()
	fields, tables := 0, 0
	for _, p := range params {
		if p.Table {
			tables++
		} else {
			fields += len(p.Uses)
		}
	}
	if fields <= maxFields && (tables == 0 || tables < len(params)) {
		each.Form = formOf(each, byName, constants)
	}
	return each
}

// uses finds out what a function does with its parameters.
type uses struct {
	byName map[string]*Param
	inside int // functions around the place, below the one that is looked through
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
	case *syntax.Local:
		u.hide(n.Names...)
	case *syntax.LocalFunction:
		u.hide(n.Name)
	case *syntax.NumberFor:
		u.hide(n.Name)
	case *syntax.GenericFor:
		u.hide(n.Names...)
	case *syntax.FunctionStmt:
		if n.Target != nil {
			u.assign(n.Target)
			u.node(n.Func)
			return
		}
	case *syntax.Function:
		u.function(n)
		return
	case *syntax.Index:
		if p, field, ok := access(n, u.byName); ok {
			p.touch(field, n.Pos, false)
			return
		}
	case *syntax.Name:
		if p := u.byName[n.Value]; p != nil {
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

func (u *uses) function(fn *syntax.Function) {
	u.hide(fn.Params...)
	if fn.Self {
		u.hideText("self")
	}
	u.inside++
	u.block(fn.Body)
	u.inside--
}

func (u *uses) assign(target syntax.Expr) {
	if p, field, ok := access(target, u.byName); ok {
		p.touch(field, target.Position(), true)
		p.Table = p.Table || u.inside > 0
		return
	}
	if name, ok := target.(*syntax.Name); ok {
		u.hide(name)
	}
	u.node(target)
}

// hide notes names that mean something else than a parameter from here on.
func (u *uses) hide(names ...*syntax.Name) {
	for _, name := range names {
		u.hideText(name.Value)
	}
}

func (u *uses) hideText(name string) {
	if p := u.byName[name]; p != nil {
		p.Table, p.hidden = true, true
	}
}

// forget drops what was found of names that mean something else in places.
func (u *uses) forget() {
	for _, p := range u.byName {
		if p != nil && p.hidden {
			p.Uses = nil
		}
	}
}

// access recognises param.field.
func access(e syntax.Expr, byName map[string]*Param) (p *Param, field string, ok bool) {
	get, isGet := e.(*syntax.Index)
	if !isGet {
		return nil, "", false
	}
	name, isName := get.Object.(*syntax.Name)
	key, isKey := get.Key.(*syntax.String)
	if !isName || !isKey || byName[name.Value] == nil || key.Value == "" {
		return nil, "", false
	}
	return byName[name.Value], key.Value, true
}

func (p *Param) touch(field string, at syntax.Pos, assigned bool) {
	var use *Use
	for _, known := range p.Uses {
		if known.Field == field {
			use = known
		}
	}
	if use == nil {
		use = &Use{Field: field, First: at}
		p.Uses = append(p.Uses, use)
	}
	if assigned && use.Assigned.Line() <= at.Line() {
		use.Assigned = at
	}
}
