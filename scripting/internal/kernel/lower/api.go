package lower

import (
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/yuin/gopher-lua/ast"
)

// apis are the functions of ecs that a kernel can call.
var apis = map[string]bool{
	"random": true, "get": true, "has": true, "alive": true, "parent": true,
	"despawn": true, "add": true, "remove": true, "set": true, "spawn": true, "emit": true,
}

// MaxValues is how many values one change can have; the host has a function for
// each number.
const MaxValues = 24

// api translates the call of a function of ecs.
func (l *lowerer) api(name string, e *ast.FuncCallExpr) []val {
	switch name {
	case "random":
		return one(l.draw(e))
	case "get":
		return []val{l.copyOf(e)}
	case "has", "alive", "parent":
		return []val{l.question(name, e)}
	}
	l.change(name, e)
	return nil
}

// handle translates the entity that a function of ecs is about.
func (l *lowerer) handle(e *ast.FuncCallExpr) *ir.Expr {
	if len(e.Args) == 0 {
		l.refuse(e.Line(), "a call without an entity")
		return ir.Constant(0)
	}
	return l.keep("entity", l.number(e.Args[0], "an entity that is"))
}

// site adds a place that asks the host.
func (l *lowerer) site(op string, line int, parts []ir.Part) int {
	l.f.Sites = append(l.f.Sites, ir.Site{Op: op, Line: line, Parts: parts})
	return len(l.f.Sites) - 1
}

// component returns the component that an argument names.
func (l *lowerer) component(e ast.Expr) Value {
	v, ok := l.known(e)
	if !ok || v.Kind != Component {
		l.refuse(e.Line(), "a component that is not named directly")
	}
	l.rely(v)
	return v
}

// copyOf is ecs.get(e, component), or with the name of a field.
func (l *lowerer) copyOf(e *ast.FuncCallExpr) val {
	handle := l.handle(e)
	if len(e.Args) < 2 || len(e.Args) > 3 {
		l.refuse(e.Line(), "ecs.get with %d arguments", len(e.Args))
	}
	if l.err != nil {
		return nothing()
	}
	c := l.component(e.Args[1])
	if l.err == nil && c.Away != "" {
		l.refuse(e.Line(), "%q: %s, it", c.Name, c.Away)
	}
	if l.err != nil {
		return nothing()
	}
	at := l.ask(ir.Fetch, handle, l.site("get", e.Line(), []ir.Part{{Thing: c.Thing}}))
	present := l.keep(c.Name+"?", binary(ir.Lt, ir.Constant(-1), again(at)))
	r := &row{name: c.Name, term: -1, fields: c.Fields, address: at, present: present}
	switch {
	case len(e.Args) == 3:
		return l.part(r, e.Args[2])
	case len(c.Fields) == 0: // a tag: true, or nil
		return val{expr: ir.Truth(true), present: present}
	}
	return val{row: r, present: present}
}

// part is one field of a copy: nil where there is no copy.
func (l *lowerer) part(r *row, name ast.Expr) val {
	key, ok := name.(*ast.StringExpr)
	if !ok {
		l.refuse(name.Line(), "the name of a field that is not written out")
		return nothing()
	}
	s := l.step(&spot{row: r, field: ecs.Field{Kind: ecs.Struct, Fields: r.fields}}, key.Value, name.Line())
	if l.err != nil || !l.usable(s, name.Line()) {
		return nothing()
	}
	local := l.f.NewLocal(r.name+"."+s.path, ir.TypeOf(s.field.Kind))
	empty := ir.Constant(0)
	empty.Type = l.f.Locals[local].Type
	l.set(local, empty)
	l.emit(&ir.Stmt{Kind: ir.If, Value: again(r.present), Body: l.list(func() { l.set(local, l.element(s, 0)) })})
	v := l.valueOf(l.get(local), &s.field)
	v.present = both(r.present, v.present)
	return v
}

// ask emits a question to the host; the row is Lua's when it will not answer.
func (l *lowerer) ask(op ir.Op, about *ir.Expr, site int) *ir.Expr {
	answer := l.keep("answer", &ir.Expr{Op: op, Type: ir.Num, Site: site, Args: []*ir.Expr{about}})
	l.demand(binary(ir.Eq, again(answer), again(answer)), "what should be an entity may be none")
	return answer
}

// question is ecs.has, ecs.alive or ecs.parent.
func (l *lowerer) question(name string, e *ast.FuncCallExpr) val {
	if name == "alive" && len(e.Args) == 1 { // nil is not alive
		v := l.value(e.Args[0])
		if v.isNil {
			return val{expr: ir.Truth(false)}
		}
		if v.isType(ir.Num) && v.names == nil && v.present != nil {
			v = val{expr: pick(v.present, v.expr, ir.Constant(0))}
		}
		about := l.keep("entity", l.asNumber(v, e.Line(), "an entity that is"))
		answer := l.ask(ir.Ask, about, l.site(name, e.Line(), nil))
		return val{expr: binary(ir.Eq, answer, ir.Constant(1))}
	}
	handle := l.handle(e)
	var parts []ir.Part
	for _, arg := range e.Args[min(1, len(e.Args)):] {
		if name != "has" {
			l.refuse(e.Line(), "ecs.%s with %d arguments", name, len(e.Args))
		}
		parts = append(parts, ir.Part{Thing: l.component(arg).Thing})
	}
	if l.err != nil {
		return nothing()
	}
	answer := l.ask(ir.Ask, handle, l.site(name, e.Line(), parts))
	if name == "parent" {
		return val{expr: answer, present: binary(ir.Ne, again(answer), ir.Constant(0))}
	}
	return val{expr: binary(ir.Eq, answer, ir.Constant(1))}
}

// change is a function of ecs that changes the world when the system is done.
func (l *lowerer) change(name string, e *ast.FuncCallExpr) {
	var values []*ir.Expr
	rest := e.Args
	if name != "spawn" && name != "emit" {
		values = append(values, l.handle(e))
		rest = rest[min(1, len(rest)):]
	}
	if name == "despawn" && len(rest) > 0 || name == "emit" && len(rest) != 1 {
		l.refuse(e.Line(), "ecs.%s with %d arguments", name, len(e.Args))
	}
	var parts []ir.Part
	list := l.sequence(rest, func(arg ast.Expr) []val {
		p, given := l.made(name, arg)
		parts = append(parts, p)
		return given
	})
	for _, v := range list {
		values = append(values, v.expr)
	}
	if len(values) > MaxValues {
		l.refuse(e.Line(), "a change with more than %d values", MaxValues)
	}
	if l.err != nil {
		return
	}
	done := l.keep("noted", &ir.Expr{Op: ir.Do, Type: ir.Bool, Site: l.site(name, e.Line(), parts), Args: values})
	l.demand(done, "ecs.%s may be refused", name)
}

// made translates what a change lists: a component, a prefab or an event, as it
// is or with fields. The values are those of the fields.
func (l *lowerer) made(name string, arg ast.Expr) (ir.Part, []val) {
	call, ok := arg.(*ast.FuncCallExpr)
	if !ok {
		v, known := l.known(arg)
		if !known || !listed(name, v.Kind, false) {
			l.refuse(arg.Line(), "what ecs.%s gets here", name)
		}
		l.rely(v)
		return ir.Part{Thing: v.Thing}, nil
	}
	v, known := Value{}, call.Func != nil
	if known {
		v, known = l.known(call.Func)
	}
	var table *ast.TableExpr
	if len(call.Args) == 1 {
		table, _ = call.Args[0].(*ast.TableExpr)
	}
	if !known || !listed(name, v.Kind, true) || table == nil {
		l.refuse(arg.Line(), "what ecs.%s gets here", name)
		return ir.Part{}, nil
	}
	l.rely(v)
	return l.constructor(&v, table)
}

// listed reports whether a change takes a thing of that kind, with fields or as
// it is.
func listed(name string, kind ValueKind, fields bool) bool {
	switch name {
	case "emit":
		return kind == Event
	case "set":
		return kind == Component && fields
	case "remove":
		return kind == Component && !fields
	case "spawn":
		return kind == Component || kind == Prefab && !fields
	}
	return kind == Component // add
}

// fields translates { x = 1, y = 2 }.
func (l *lowerer) constructor(v *Value, table *ast.TableExpr) (ir.Part, []val) {
	part := ir.Part{Thing: v.Thing}
	var exprs []ast.Expr
	for _, f := range table.Fields {
		key, isName := f.Key.(*ast.StringExpr)
		field := fieldNamed(v.Fields, key)
		switch {
		case !isName || field == nil || field.Len > 0 || field.Kind == ecs.Struct || field.Kind == ecs.String || field.Kind == ecs.Opaque:
			l.refuse(table.Line(), "a field of %q like this", v.Name)
			return part, nil
		case v.Away != "":
			l.refuse(table.Line(), "%q: %s, it", v.Name, v.Away)
			return part, nil
		case fieldNamed(part.Fields, key) != nil:
			l.refuse(table.Line(), "the field %q twice", field.Name)
			return part, nil
		}
		part.Fields = append(part.Fields, *field)
		exprs = append(exprs, f.Value)
	}
	at := 0
	return part, l.sequence(exprs, func(e ast.Expr) []val {
		f := &part.Fields[at]
		at++
		given := l.value(e)
		if given.isNil || f.Kind == ecs.Ref && given.present != nil { // a table does not keep nil
			given = val{expr: l.definite(given, e.Line())}
		}
		x := l.fitting(f, given, e.Line())
		if l.err == nil && x.Type == ir.Bool {
			x = pick(x, ir.Constant(1), ir.Constant(0))
		}
		return one(x)
	})
}

func fieldNamed(fields []ecs.Field, key *ast.StringExpr) *ecs.Field {
	for i := range fields {
		if key != nil && fields[i].Name == key.Value {
			return &fields[i]
		}
	}
	return nil
}
