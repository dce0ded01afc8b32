package lower

import (
	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// What a function reads of other entities: ecs.get, ecs.has, ecs.alive and
// ecs.parent.
//
// A handle leads to a record, and the record to the values in columns, all in the
// kernel's own memory. Values in pools are the host's to find, and so are parents.

// handle translates the entity that a function of ecs is about.
//
// The handle of the row itself needs no search, and is recognised by ir.Func.IsOwn. All
// others are kept in a local, since a handle is used by several expressions and may be
// computed by many.
func (l *lowerer) handle(e *syntax.Call) *ir.Expr {
	if len(e.Args) == 0 {
		l.refuse(e.Position(), "a call without an entity")
		return ir.Constant(0)
	}
	if n := l.number(e.Args[0], "an entity that is"); !l.f.IsOwn(n) {
		return l.keep("entity", n)
	}
	return l.entity()
}

// component returns the component that an argument names. It must be known when the kernel
// is made: its number in the world is a parameter, and its layout is written into the
// instructions.
func (l *lowerer) component(e syntax.Expr) Resolved {
	v, ok := l.resolve(e)
	if !ok || v.Kind != Component {
		l.refuse(e.Position(), "a component that is not named directly")
	}
	l.rely(v)
	return v
}

// componentIndex returns the number of a component among those that are looked up.
//
// There is one entry for each component, however often it is looked for, because each is a
// parameter of every call. O(components), which are few.
func (l *lowerer) componentIndex(c *Resolved) int {
	for i := range l.f.Components {
		if l.f.Components[i].Ref == c.Ref {
			return i
		}
	}
	l.f.Components = append(l.f.Components, ir.Component{Name: c.Name, Ref: c.Ref, Size: uint32(c.Size), From: l.from(c, refPart)})
	return len(l.f.Components) - 1
}

// record emits the search for an entity's record. A row whose number may be no
// handle is Lua's, which says so.
//
// recordFor is what checkMarks reads later: a look at a record is a look at these
// components, or, without any, at the entity alone. That the row's own entity is alive is
// known, so nothing is demanded of it.
func (l *lowerer) record(handle *ir.Expr, names ...string) *ir.Expr {
	at := l.keep("record", &ir.Expr{Op: ir.Record, Type: ir.Place, Args: []*ir.Expr{again(handle)}})
	if l.recordFor[at.Local] = names; !l.f.IsOwn(handle) {
		l.certain(at)
	}
	return at
}

// certain leaves rows to Lua for which a place is unclear. Without this a number that is no
// handle would count as an entity without the component, where Lua raises an error.
func (l *lowerer) certain(at *ir.Expr) {
	l.demand(binary(ir.Ne, again(at), ir.Where(ir.Unclear)), "what should be an entity may be none")
}

// find emits the search for a component of an entity.
//
// The text says nothing about pools: the same words become a call of the host where the
// values of the component lie in one, and instructions where they lie in columns. A
// component that no kernel can read may still be asked for, by ecs.has.
func (l *lowerer) find(op string, pos syntax.Pos, handle *ir.Expr, c *Resolved) *ir.Expr {
	if c.Pooled || c.Unreachable != "" {
		call := l.hostCall(op, pos, []ir.Part{{Ref: c.Ref, From: l.from(c, refPart)}})
		l.fetchFor[call] = c.Name
		at := l.keep(c.Name+"@", &ir.Expr{Op: ir.Fetch, Type: ir.Place, HostCall: call, Args: []*ir.Expr{again(handle)}})
		l.certain(at)
		return at
	}
	record := l.record(handle, c.Name)
	return l.keep(c.Name+"@", &ir.Expr{Op: ir.Find, Type: ir.Place, Component: l.componentIndex(c), Args: []*ir.Expr{record}})
}

// isThere is whether something was found at a place.
func isThere(at *ir.Expr) *ir.Expr { return binary(ir.Ne, again(at), ir.Where(ir.Nowhere)) }

// copyOf is ecs.get(e, component), or with the name of a field.
//
// No copy is made: what it returns is a row whose fields are loaded where they are read, so
// what nobody reads costs nothing. That is right because the body writes no columns, and an
// assignment to the copy is refused, see write.
func (l *lowerer) copyOf(e *syntax.Call) val {
	handle := l.handle(e)
	if len(e.Args) < 2 || len(e.Args) > 3 {
		l.refuse(e.Position(), "ecs.get with %d arguments", len(e.Args))
	}
	if l.err != nil {
		return nothing()
	}
	c := l.component(e.Args[1])
	if c.Unreachable != "" {
		l.refuse(e.Args[1].Position(), "%q: %s, it", c.Name, c.Unreachable)
	}
	at := l.find("get", e.Position(), handle, &c)
	present := l.keep(c.Name+"?", isThere(at))
	r := &rowValue{name: c.Name, term: -1, fields: c.Fields, address: at, present: present}
	switch {
	case len(e.Args) == 3:
		return l.part(r, e.Args[2])
	case len(c.Fields) == 0: // a tag: true, or nil
		return val{expr: ir.Truth(true), present: present}
	}
	return val{row: r, present: present}
}

// part is one field of a copy: nil where there is no copy.
//
// The load stands in a branch of its own, because at Nowhere there is no address to load
// from.
func (l *lowerer) part(r *rowValue, name syntax.Expr) val {
	key, ok := name.(*syntax.String)
	if !ok {
		l.refuse(name.Position(), "the name of a field that is not written out")
		return nothing()
	}
	s := l.step(&spot{row: r, field: schema.Field{Kind: schema.Struct, Fields: r.fields}}, key.Value, name.Position())
	if l.err != nil || !l.usable(s) {
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

// question is ecs.has, ecs.alive or ecs.parent.
//
// What the host says about a parent is one number: the handle, 0 where there is none, and
// not-a-number where Lua would raise an error. Not-a-number is found by its being unequal
// to itself.
func (l *lowerer) question(name string, e *syntax.Call) val {
	if name == "alive" && len(e.Args) == 1 {
		return l.alive(e)
	}
	handle := l.handle(e)
	if name != "has" && len(e.Args) > 1 {
		l.refuse(e.Position(), "ecs.%s with %d arguments", name, len(e.Args))
	}
	if l.err != nil {
		return nothing()
	}
	if name == "has" {
		return l.has(e, handle)
	}
	call := l.hostCall(name, e.Position(), nil)
	answer := l.keep("answer", &ir.Expr{Op: ir.Ask, Type: ir.Num, HostCall: call, Args: []*ir.Expr{handle}})
	l.demand(binary(ir.Eq, again(answer), again(answer)), "what should be an entity may be none")
	return val{expr: answer, present: binary(ir.Ne, again(answer), ir.Constant(0))}
}

// alive is ecs.alive, of anything but true and false; nil is not alive. No other of these
// functions takes nil, so definite will not do here: a value that may be nil becomes 0,
// which no world gives out.
func (l *lowerer) alive(e *syntax.Call) val {
	v := l.value(e.Args[0])
	if v.isNil {
		return val{expr: ir.Truth(false)}
	}
	if v.isType(ir.Num) && v.names == nil && v.present != nil {
		v = val{pos: v.pos, expr: pick(v.present, v.expr, ir.Constant(0))}
	}
	return val{expr: l.keep("alive", unary(ir.Alive, l.asNumber(v, "an entity that is")))}
}

// has is ecs.has(e, component…): whether an entity is alive and has them all.
//
// All components are looked for, even if the first one is missing: the searches are
// statements before the expression, and change nothing.
func (l *lowerer) has(e *syntax.Call, handle *ir.Expr) val {
	components := e.Args[1:]
	if len(components) == 0 {
		l.record(handle) // or the row is Lua's
		return val{expr: l.keep("alive", unary(ir.Alive, again(handle)))}
	}
	all := (*ir.Expr)(nil)
	for _, arg := range components {
		c := l.component(arg)
		if l.err != nil {
			return nothing()
		}
		all = both(all, isThere(l.find("has", e.Position(), handle, &c)))
	}
	return val{expr: all}
}
