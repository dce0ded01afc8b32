package scripting

import (
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/symbol"
	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	lua "github.com/yuin/gopher-lua"
)

// Check looks through the functions of the scripts that are loaded for calls of ecs, of
// components and of events that would fail if they were made, and returns what they would
// raise, by script, and those in the arguments of a call before it. After those of a script
// come its each functions that fail for every row. It runs no script. It knows what the text says for good:
// literals, locals that are assigned nothing after their declaration, components and
// events by the calls that declare them. A call of which it does not know enough is passed
// over, so what it reports is certain, but for functions of Lua that change a table of
// components in ways that no text shows, such as rawset. Fields that the standard library
// does not have are reported where a script calls them or computes with them.
func (h *Host) Check() ([]*Error, error) {
	if err := h.enter("Check"); err != nil {
		return nil, err
	}
	defer h.leave()
	assigned, computed := map[string]bool{}, map[*syntax.Table]bool{}
	for _, m := range h.live {
		maps.Copy(assigned, m.program.Assigned)
		maps.Copy(computed, m.program.Computed)
	}
	var problems []*Error
	for _, name := range slices.Sorted(maps.Keys(h.live)) {
		m := h.live[name]
		c := &callCheck{vm: h.interpreter, m: m, assigned: assigned, places: map[*lua.LTable]analysis.OptionPlaces{}}
		c.Binding = h.binding
		c.Thread, _ = h.state.NewThread()
		c.ecs = h.required(m.env, "ecs")
		for _, call := range m.program.Calls {
			if at, e := c.call(call); e != nil {
				e.Put(m.program.place(at))
				e.Quote()
				problems = add(problems, e)
			}
		}
		problems = append(problems, c.sealed()...)
		problems = append(problems, missingFields(m)...)
		for _, sys := range eachOf(m.script) {
			if e := h.mistake(sys, &tableChanges{assigned, computed}); e != nil {
				problems = add(problems, e)
			}
		}
	}
	return problems, nil
}

// sealed returns the errors of assignments to lists of b:read.
func (c *callCheck) sealed() (problems []*Error) {
	for _, w := range c.m.program.Sealed {
		if e := c.AssignRead(c.value(w.Component).LValue, w.Field); e != nil {
			e.Put(c.m.program.place(w.Pos))
			e.Quote()
			problems = add(problems, e)
		}
	}
	return problems
}

// callCheck judges the calls of one script.
type callCheck struct {
	bindings.Judge
	vm       *interpreter
	m        *module
	ecs      *lua.LTable     // of the script; nil when it has replaced require
	assigned map[string]bool // fields that functions of any script assign

	places map[*lua.LTable]analysis.OptionPlaces // of what is known of tables that are written out
}

// known is what is known of a value.
type known struct {
	lua.LValue
	part bool // a table of which this is not all
}

var unknown = known{LValue: bindings.Unknown}

// call returns the error of a call that would fail, and where in the text it is.
func (c *callCheck) call(call *syntax.Call) (at syntax.Pos, e *Error) {
	if name := c.function(call.Func); name != "" {
		return c.judge(name, call)
	}
	if thing := c.value(call.Func); thing.Type() == lua.LTUserData && thing != unknown && len(call.Args) > 0 {
		return c.fields(thing, call)
	}
	return at, nil
}

// function returns the name of the function of ecs that an expression is, "" for others.
func (c *callCheck) function(e syntax.Expr) string {
	index, ok := c.m.program.Tree.Names.ValueOf(e).(*syntax.Index)
	if !ok || c.ecs == nil {
		return ""
	}
	key, ok := index.Key.(*syntax.String)
	if module, certain := c.m.program.ModuleOf(index.Object); !ok || !certain || module != "ecs" {
		return ""
	}
	if c.assigned[key.Value] {
		return ""
	}
	if known, ok := c.Binding.Resolve(c.ecs.RawGetString(key.Value)); ok && known.Kind == symbol.Function && known.Name == "ecs."+key.Value {
		return key.Value
	}
	return ""
}

// judge has the arguments of a call of ecs read.
func (c *callCheck) judge(name string, call *syntax.Call) (at syntax.Pos, e *Error) {
	given, open := c.arguments(call.Args)
	part, e := c.Examine(name, given, open)
	if e == nil {
		return at, nil
	}
	return c.place(call, given, part), e
}

// place returns where a part of a call is, as it would be in the error of the call itself.
func (c *callCheck) place(call *syntax.Call, given []lua.LValue, part fault.Part) syntax.Pos {
	if part.N < 1 || part.N > len(call.Args) {
		return call.Pos
	}
	if table, ok := given[part.N-1].(*lua.LTable); ok && part.Key != "" {
		if at, known := c.places[table][part.Key]; known && part.Value {
			return at.Value
		} else if known {
			return at.Key
		}
	}
	return analysis.Start(call.Args[part.N-1])
}

// fields calls a component or an event with each field that is known, as the call of all
// of them does.
func (c *callCheck) fields(thing known, call *syntax.Call) (at syntax.Pos, e *Error) {
	table, ok := call.Args[0].(*syntax.Table)
	if !ok {
		v := c.value(call.Args[0])
		if v == unknown || v.part {
			return at, nil
		}
		_, part, e := c.Make(thing.LValue, v.LValue)
		return c.place(call, []lua.LValue{v.LValue}, part), e
	}
	resolved, ok := c.Binding.Resolve(thing.LValue)
	if !ok || resolved.Schema == nil {
		return at, nil
	}
	for i, field := range table.Fields {
		key, v := known{LValue: lua.LNumber(i + 1)}, c.value(field.Value)
		if field.Key != nil {
			key = c.value(field.Key)
		}
		name, named := key.LValue.(lua.LString)
		switch {
		case key == unknown:
			continue
		case named && resolved.Schema.Field(string(name)) != nil:
			if v == unknown || v.part {
				continue
			}
		case v == unknown && neverNil(field.Value):
			v = known{LValue: lua.LTrue} // it is refused for its name
		case v == unknown:
			continue
		}
		if v.LValue == lua.LNil {
			continue
		}
		one := c.Thread.NewTable()
		one.RawSet(key.LValue, v.LValue)
		if _, part, e := c.Make(thing.LValue, one); e != nil && (part.Value || field.Key == nil) {
			return analysis.Start(field.Value), e
		} else if e != nil {
			return field.Key.Position(), e
		}
	}
	return at, nil
}

// arguments returns what is known of arguments; open means that nobody knows how many
// follow.
func (c *callCheck) arguments(list []syntax.Expr) (given []lua.LValue, open bool) {
	for i, e := range list {
		v := c.value(e)
		if v == unknown && i == len(list)-1 && manyValues(e) {
			return given, true
		}
		given = append(given, v.LValue)
	}
	return given, false
}

// manyValues reports whether an expression may have any number of values.
func manyValues(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Call:
		return !e.Single
	case *syntax.Vararg:
		return !e.Single
	}
	return false
}

// value returns what an expression is whenever it is evaluated.
func (c *callCheck) value(e syntax.Expr) known {
	if _, isName := e.(*syntax.Name); isName {
		e = c.m.program.Tree.Names.ValueOf(e)
		if _, isTable := e.(*syntax.Table); isTable {
			return unknown // what is in it may have changed
		}
	}
	switch e := e.(type) {
	case *syntax.Nil:
		return known{LValue: lua.LNil}
	case *syntax.True:
		return known{LValue: lua.LTrue}
	case *syntax.False:
		return known{LValue: lua.LFalse}
	case *syntax.String:
		return known{LValue: lua.LString(e.Value)}
	case *syntax.Number, *syntax.Minus, *syntax.Arithmetic:
		if n, ok := syntax.Literal(e); ok {
			return known{LValue: lua.LNumber(n)}
		}
		if minus, ok := e.(*syntax.Minus); ok {
			if n, ok := c.value(minus.Expr).LValue.(lua.LNumber); ok {
				return known{LValue: -n}
			}
		}
	case *syntax.Function:
		return known{LValue: &lua.LFunction{Proto: &lua.FunctionProto{}}}
	case *syntax.Table:
		return c.table(e)
	case *syntax.Index:
		return c.exported(e)
	case *syntax.Call:
		return c.result(e)
	}
	return unknown
}

// table returns what is known of a table that is written out.
func (c *callCheck) table(e *syntax.Table) known {
	t := known{LValue: c.Thread.NewTable()}
	content, any := t.LValue.(*lua.LTable), len(e.Fields) == 0
	places := analysis.OptionPlaces{}
	c.places[content] = places
	for _, field := range e.Fields {
		v := c.value(field.Value)
		key := known{LValue: lua.LNil}
		if field.Key != nil {
			key = c.value(field.Key)
		}
		_, named := key.LValue.(lua.LString)
		switch {
		case v == unknown || v.LValue == lua.LNil || field.Key != nil && !named:
			t.part = true
			continue
		case field.Key == nil:
			content.Append(v.LValue)
			key.LValue = lua.LString(fault.Index(lua.LNumber(content.Len())))
			places[key.String()] = analysis.OptionPlace{Key: analysis.Start(field.Value), Value: analysis.Start(field.Value)}
		default:
			content.RawSet(key.LValue, v.LValue)
			places[key.String()] = analysis.OptionPlace{Key: field.Key.Position(), Value: analysis.Start(field.Value)}
		}
		if inner, ok := v.LValue.(*lua.LTable); ok {
			for k, at := range c.places[inner] {
				places[fault.Within(key.String(), k)] = at
			}
		}
		t.part, any = t.part || v.part, true
	}
	if !any {
		return unknown
	}
	return t
}

// exported returns the component or event that a field of another script's table is.
func (c *callCheck) exported(e *syntax.Index) known {
	key, ok := e.Key.(*syntax.String)
	module, certain := c.m.program.ModuleOf(e.Object)
	if !ok || !certain || module == "ecs" || module == "host" || c.assigned[key.Value] || c.ecs == nil {
		return unknown
	}
	file, _ := c.vm.newLoader(nil).resolve(c.m.name, module)
	if other := c.vm.live[file]; other != nil {
		if t, ok := other.exports.(*lua.LTable); ok && t.Metatable == lua.LNil {
			return c.thing(t.RawGetString(key.Value))
		}
	}
	return unknown
}

// result returns the component or event that a call declares, or the value that is made of
// one.
func (c *callCheck) result(call *syntax.Call) known {
	if call.Func == nil || len(call.Args) == 0 {
		return unknown
	}
	switch name := c.function(call.Func); name {
	case "component", "tag", "native", "event", "native_event":
		if declared, ok := c.value(call.Args[0]).LValue.(lua.LString); ok {
			return c.thing(c.Declared(name == "event" || name == "native_event", string(declared)))
		}
		return unknown
	case "":
		thing := c.value(call.Func)
		if thing.Type() != lua.LTUserData || thing == unknown {
			return unknown
		}
		if made, _, e := c.Make(thing.LValue, c.Thread.NewTable()); e == nil {
			return known{LValue: made} // its fields are another call's matter
		}
	}
	return unknown
}

// thing returns a component or an event, and nothing for any other value.
func (c *callCheck) thing(v lua.LValue) known {
	if r, ok := c.Binding.Resolve(v); ok && (r.Kind == symbol.Component || r.Kind == symbol.Event) {
		return known{LValue: v}
	}
	return unknown
}

// neverNil reports whether an expression has another value than nil, whatever it is.
func neverNil(e syntax.Expr) bool {
	switch e.(type) {
	case *syntax.Arithmetic, *syntax.Minus, *syntax.Concat, *syntax.Length, *syntax.Comparison, *syntax.Not, *syntax.Table, *syntax.Function:
		return true
	}
	return false
}
