package lower

import (
	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file translates calls of functions of ecs, and writes the changes of the world among
// them. A change is one Do with a host call that says what is made, and values, which are
// all numbers or booleans made numbers. Package wasm writes it as a note, and the world
// makes it after the run. Looks at other entities are in entity_access.go, and ecs.random
// is in library.go.

// apis are the functions of ecs that a kernel can call. A function that is missing here is
// refused by its name, see callable.
var apis = map[string]bool{
	"random": true, "get": true, "has": true, "alive": true, "parent": true,
	"despawn": true, "add": true, "remove": true, "set": true, "spawn": true, "emit": true,
}

// maxValues is how many values one change can have: a bound for how much room its
// note takes.
//
// The entity is one of the values. The note of one change has 8 bytes for each, see
// ir.NoteSize.
const maxValues = 24

// api translates the call of a function of ecs.
//
// The handle that ecs.spawn returns does not exist before the host has made the change. So
// what the call returns is a thing of kind Other: it may be dropped, and every use of it is
// refused.
func (l *lowerer) api(name string, e *syntax.Call) []val {
	switch name {
	case "random":
		return one(l.draw(e))
	case "get":
		return []val{l.copyOf(e)}
	case "has", "alive", "parent":
		return []val{l.question(name, e)}
	}
	if l.change(name, e); name == "spawn" { // the handle is given out when the change is made
		return []val{{thing: &Resolved{Name: "what ecs.spawn returns"}}}
	}
	return nil
}

// hostCall adds a place that asks the host and returns its number. The number is what a
// note begins with. Host calls are never reordered or dropped, see ir.Func, and mark does
// not copy their list: it takes back its length.
func (l *lowerer) hostCall(op string, pos syntax.Pos, parts []ir.Part) int {
	l.f.HostCalls = append(l.f.HostCalls, ir.HostCall{Op: op, At: ir.TextPlace{File: l.file(), Line: pos.Line(), Column: pos.Column()}, Parts: parts})
	return len(l.f.HostCalls) - 1
}

// exposed is a function of the host's own. What it returns is a number; not-a-number is a row of
// the VM's, as with ecs.parent.
func (l *lowerer) exposed(v *Resolved, e *syntax.Call) []val {
	given := l.expand(e.Args)
	if l.err == nil && len(given) != v.Takes {
		l.refuse(e.Position(), "%s with %d arguments", v.Name, len(given))
	}
	if l.err != nil {
		return []val{nothing()}
	}
	var args []*ir.Expr
	for i := range ir.MostInvoked {
		if i >= len(given) {
			args = append(args, ir.Constant(0))
			continue
		}
		args = append(args, l.asNumber(given[i], "an argument that is"))
	}
	call := l.hostCall(ir.Exposed, e.Position(), []ir.Part{{Ref: v.Ref, From: l.from(v, refPart)}})
	result := l.keep("result", &ir.Expr{Op: ir.Invoke, Type: ir.Num, HostCall: call, Args: args})
	l.demand(binary(ir.Eq, again(result), again(result)), "%s may leave it to Lua", v.Name)
	if v.Second {
		return []val{{expr: result}, {expr: ir.Truth(true)}}
	}
	return one(result)
}

// change is a function of ecs that changes the world when the system is done.
//
// The Do gives false where Lua might refuse the change: a dead entity, or a number that the
// field cannot hold. The row is the VM's then, which makes the change or raises the error.
// The outcome is kept in a local of its own before the demand, so that nothing moves the
// Do, whose effect has an order.
//
// Changes of an entity are noted for checkMarks, which runs when the whole body is known.
// Those of spawn and emit are not: no row can look at what they make.
func (l *lowerer) change(name string, e *syntax.Call) {
	var values []*ir.Expr
	rest := e.Args
	if name != "spawn" && name != "emit" {
		values = append(values, l.handle(e))
		rest = rest[min(1, len(rest)):]
	}
	if name == "despawn" && len(rest) > 0 || name == "emit" && len(rest) != 1 {
		l.refuse(e.Position(), "ecs.%s with %d arguments", name, len(e.Args))
	}
	var parts []ir.Part
	var things []Resolved
	list := l.sequence(rest, func(arg syntax.Expr) []val {
		v, p, given := l.made(name, arg)
		parts, things = append(parts, p), append(things, v)
		return given
	})
	for _, v := range list {
		values = append(values, v.expr)
	}
	if len(values) > maxValues {
		l.refuse(e.Position(), "a change with more than %d values", maxValues)
	}
	if l.err != nil {
		return
	}
	call := l.hostCall(name, e.Position(), parts)
	if l.f.HostCalls[call].AboutEntity() {
		l.changed(name, call, things)
	}
	done := l.keep("noted", &ir.Expr{Op: ir.Do, Type: ir.Bool, HostCall: call, Args: values})
	l.demand(done, "ecs.%s may be refused", name)
}

// made translates what a change lists: a component, a prefab or an event, as it is or with
// fields. The values are those of the fields. The component itself must stay what it is,
// which rely sees to.
func (l *lowerer) made(name string, arg syntax.Expr) (Resolved, ir.Part, []val) {
	call, ok := arg.(*syntax.Call)
	if !ok {
		v, known := l.resolve(arg)
		if !known || !listed(name, v.Kind, false) {
			l.refuse(arg.Position(), "what ecs.%s gets here", name)
		}
		l.rely(v)
		return v, ir.Part{Ref: v.Ref, From: l.from(&v, refPart), Bytes: int64(v.Size)}, nil
	}
	v, known := Resolved{}, call.Func != nil
	if known {
		v, known = l.resolve(call.Func)
	}
	var table *syntax.Table
	if len(call.Args) == 1 {
		table, _ = call.Args[0].(*syntax.Table)
	}
	if !known || !listed(name, v.Kind, true) || table == nil {
		l.refuse(arg.Position(), "what ecs.%s gets here", name)
		return Resolved{}, ir.Part{}, nil
	}
	l.rely(v)
	part, given := l.constructor(&v, table, call.Func.Position())
	return v, part, given
}

// listed reports whether a change takes a thing of that kind, with fields or as
// it is.
//
// What is not here is an error in Lua, or has no translation, such as ecs.add with a
// prefab.
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

// constructor translates { x = 1, y = 2 }.
//
// A table in Lua may have any key and any value. Here each key is a name that is written
// out, and belongs to a field of one number, each at most once: the values of a note are
// counted by the fields of its Part, see ir.HostCall.Kinds.
//
// A nil is no entry of a table, so the field would keep its default. A note has a value for
// each field that is named, so a nil that the text has is refused, and a row in which a
// value is nil is the VM's.
func (l *lowerer) constructor(v *Resolved, table *syntax.Table, pos syntax.Pos) (ir.Part, []val) {
	part := ir.Part{Ref: v.Ref, From: l.from(v, refPart), Bytes: int64(v.Size)}
	var exprs []syntax.Expr
	for _, f := range table.Fields {
		key, isName := f.Key.(*syntax.String)
		field := fieldNamed(v.Fields, key)
		switch {
		case isName && field == nil:
			l.refuse(key.Pos, "the unknown field %q of %q", key.Value, v.Name)
			return part, nil
		case !isName || field.Len > 0 || field.Kind == schema.Struct || field.Kind == schema.String || field.Kind == schema.Opaque:
			l.refuse(placeOfField(f), "a field of %q like this", v.Name)
			return part, nil
		case v.Unreachable != "":
			l.refuse(pos, "%q: %s, it", v.Name, v.Unreachable)
			return part, nil
		case fieldNamed(part.Fields, key) != nil:
			l.refuse(key.Position(), "the field %q twice", field.Name)
			return part, nil
		}
		part.Fields = append(part.Fields, *field)
		exprs = append(exprs, f.Value)
	}
	at := 0
	return part, l.sequence(exprs, func(e syntax.Expr) []val {
		f := &part.Fields[at]
		at++
		given := l.value(e)
		if given.isNil || f.Kind == schema.Ref { // a table does not keep nil
			given = val{pos: given.pos, expr: l.definite(given), names: given.names}
		}
		x := l.fitting(f, given)
		if l.err == nil && x.Type == ir.Bool {
			x = pick(x, ir.Constant(1), ir.Constant(0))
		}
		return one(x)
	})
}

// placeOfField returns the place of a field's name, or of an item without one.
func placeOfField(f *syntax.Field) syntax.Pos {
	if f.Key != nil {
		return f.Key.Position()
	}
	return f.Value.Position()
}

// fieldNamed returns the field of that name, nil if there is none, and nil for no key.
// O(fields), which are few.
func fieldNamed(fields []schema.Field, key *syntax.String) *schema.Field {
	for i := range fields {
		if key != nil && fields[i].Name == key.Value {
			return &fields[i]
		}
	}
	return nil
}
