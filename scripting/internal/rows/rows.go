// Package rows gives each functions a second form that works on plain numbers.
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
// other. Both forms close over the same upvalues, because the second is placed
// beside the first, in the same table constructor. A plan, in the form that
// package bindings reads, says what the second one takes and returns.
//
// A parameter keeps its table ('*') when the text uses it in any other way:
// passes it on, compares it, indexes it with a computed key, declares a local
// of the same name, assigns a field in a function inside of it. Why the last? In
// p.x + f() the field is read before the call and a local after it, so f must not
// assign what a local stands for. The plan names the fields of such a parameter, too, for the
// lines of errors.
package rows

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/yuin/gopher-lua/ast"
)

// maxFields is how many fields a second form may take; a function has room for
// 200 locals.
const maxFields = 60

// Add puts second forms into stmts. twin must be the tree of the same text,
// parsed anew: its functions are taken apart to make them.
func Add(stmts, twin []ast.Stmt) {
	ours, theirs, constants := sites(stmts), sites(twin), constantsOf(twin)
	for i, s := range ours {
		fn, other := s.fn, theirs[i].fn
		plan, ok := rewrite(other)
		added := []*ast.Field{
			{Key: text(bindings.RowsPlan, fn.Line()), Value: text(plan, fn.Line())},
			{Key: text(bindings.KernelFunction, fn.Line()), Value: number(i, fn.Line())},
		}
		if ok {
			insert(other, constants)
			added = append(added, &ast.Field{Key: text(bindings.RowsFunction, fn.Line()), Value: other})
		}
		t := s.options()
		t.Fields = append(added, t.Fields...) // a call at the end keeps all its values
	}
}

// Each lists the each functions of a tree of the same text; their places in
// the list are the numbers that Add leaves beside them.
func Each(stmts []ast.Stmt) []*ast.FunctionExpr {
	var list []*ast.FunctionExpr
	for _, s := range sites(stmts) {
		list = append(list, s.fn)
	}
	return list
}

func field(t *ast.TableExpr, name string) ast.Expr {
	for _, f := range t.Fields {
		if key, ok := f.Key.(*ast.StringExpr); ok && key.Value == name {
			return f.Value
		}
	}
	return nil
}

func text(s string, line int) ast.Expr {
	e := &ast.StringExpr{Value: s}
	e.SetLine(line)
	e.SetLastLine(line)
	return e
}

func number(n, line int) ast.Expr {
	e := &ast.NumberExpr{Value: strconv.Itoa(n)}
	e.SetLine(line)
	e.SetLastLine(line)
	return e
}

// use is what a function does with one field of a parameter.
type use struct {
	name     string
	first    int // line
	assigned int // line of the last assignment, 0: none
}

// param is one parameter after the entity.
type param struct {
	name   string
	whole  bool // used in other ways than by its fields
	hidden bool // the name means something else in places
	uses   []*use
}

// local names the local that stands for a field.
func (p *param) local(field string) string { return p.name + "." + field }

// rewrite turns fn into its second form and returns the plan. Without a second
// form fn stays as it is, and the plan is good for its lines.
func rewrite(fn *ast.FunctionExpr) (plan string, ok bool) {
	if fn.ParList.HasVargs || len(fn.ParList.Names) == 0 {
		return "", false
	}
	params := make([]*param, len(fn.ParList.Names)-1)
	byName := map[string]*param{fn.ParList.Names[0]: nil}
	for i, name := range fn.ParList.Names[1:] {
		if _, twice := byName[name]; twice {
			return "", false
		}
		params[i] = &param{name: name}
		byName[name] = params[i]
	}
	study(fn, byName)
	fields, tables := 0, 0
	for _, p := range params {
		if p.whole {
			tables++
		} else {
			fields += len(p.uses)
		}
	}
	plan = planOf(params)
	if tables > 0 && tables == len(params) || fields > maxFields {
		return plan, false
	}
	replace(fn, byName)
	finish(fn, params)
	return plan, true
}

// study finds out which parameters are used by their fields alone.
func study(fn *ast.FunctionExpr, byName map[string]*param) {
	hide := func(name string) {
		if p := byName[name]; p != nil {
			p.whole, p.hidden = true, true
		}
	}
	w := walker{declare: hide}
	w.expr = func(slot *ast.Expr) bool {
		if p, name, line, ok := access(*slot, byName); ok {
			p.touch(name, line, false)
			return false
		}
		if id, ok := (*slot).(*ast.IdentExpr); ok && byName[id.Value] != nil {
			byName[id.Value].whole = true
		}
		return true
	}
	w.assign = func(slot *ast.Expr) {
		if p, name, line, ok := access(*slot, byName); ok {
			p.touch(name, line, true)
			p.whole = p.whole || w.inside > 0
		}
		if id, ok := (*slot).(*ast.IdentExpr); ok {
			hide(id.Value)
		}
	}
	w.block(fn.Stmts)
	for _, p := range byName {
		if p != nil && p.hidden {
			p.uses = nil
		}
	}
}

// access recognises param.field.
func access(e ast.Expr, byName map[string]*param) (p *param, name string, line int, ok bool) {
	get, isGet := e.(*ast.AttrGetExpr)
	if !isGet {
		return nil, "", 0, false
	}
	id, isID := get.Object.(*ast.IdentExpr)
	key, isKey := get.Key.(*ast.StringExpr)
	if !isID || !isKey || byName[id.Value] == nil || !plainName(key.Value) {
		return nil, "", 0, false
	}
	return byName[id.Value], key.Value, max(get.Line(), id.Line()), true
}

// plainName reports whether a field's name can stand in a plan.
func plainName(s string) bool { return s != "" && !strings.ContainsAny(s, ",;:=*\x00") }

func (p *param) touch(name string, line int, assigned bool) {
	var u *use
	for _, known := range p.uses {
		if known.name == name {
			u = known
		}
	}
	if u == nil {
		u = &use{name: name, first: line}
		p.uses = append(p.uses, u)
	}
	if assigned {
		u.assigned = max(u.assigned, line, 1)
	}
}

// planOf writes the plan as package bindings reads it.
func planOf(params []*param) string {
	parts := make([]string, len(params))
	for i, p := range params {
		var uses []string
		for _, u := range p.uses {
			s := fmt.Sprintf("%s:%d", u.name, u.first)
			if u.assigned > 0 {
				s += fmt.Sprintf("=%d", u.assigned)
			}
			uses = append(uses, s)
		}
		parts[i] = strings.Join(uses, ",")
		if p.whole {
			parts[i] = "*" + parts[i]
		}
	}
	return strings.Join(parts, ";")
}
