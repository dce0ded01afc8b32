package bindings

import (
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/ecs"
)

// A console runs texts that somebody types while the game runs. Each is a call of a script of its
// own, which is in no file: it declares nothing, and takes names, as texts, for what the files have
// declared.

// console is the part of a binding that a console has.
type console struct {
	own map[string]lua.Value // the functions of its ecs table that are not those of scripts; nil before the first one
}

// find returns what scripts have declared by a function of ecs under a name; nil where the function finds nothing
// by its name alone. It raises an error for a name that nothing has.
func (m *Binding) find(a *args, name string) lua.LValue {
	switch a.name {
	case "component", "tag", "native":
		return wrap(a.componentNamed(name), a.types.component)
	case "event", "native_event":
		return wrap(a.eventNamed(name), a.types.event)
	case "prefab":
		value.Charge(a.L, stepsToName(m.among))
		p := prefabNamed(m.among, name)
		if p == nil {
			a.unknown("prefab", name, prefabNames(m.among))
		}
		return wrap(p, a.types.prefab)
	case "state":
		t := m.states.tables[name]
		if t == nil {
			a.unknown("state table", name, m.stateNames())
		}
		return t
	}
	return nil
}

// unknown raises the error of a name that nothing has.
func (a *args) unknown(what, name string, known []string) {
	a.failAt(fault.Argument(1), "there is no %s %q%s", what, diag.Cut(name), value.Meant(a.L, name, known))
}

// componentNamed returns the component of a name; it raises an error if there is none.
func (a *args) componentNamed(name string) *decl.Component {
	c := a.components.InForce(name)
	if c == nil {
		a.unknown("component", name, a.components.Existing())
	}
	return c
}

// eventNamed returns the event of a name; it raises an error if there is none.
func (a *args) eventNamed(name string) *decl.Event {
	e := a.core.events.InForce(name)
	if e == nil {
		a.unknown("event", name, a.core.events.Existing())
	}
	return e
}

// namedByText reports whether the ith argument is a text that may name what it stands for.
func (a *args) namedByText(i int) bool {
	_, text := lua.TextAt(a.L, i)
	return text && a.byName
}

// partNamed returns the component or the prefab of a name, for a list of parts; it raises an error if there is neither.
func (a *args) partNamed(name string) lua.LValue {
	value.Charge(a.L, stepsToName(a.among))
	if p := prefabNamed(a.among, name); p != nil {
		return wrap(p, a.types.prefab)
	}
	return wrap(a.componentNamed(name), a.types.component)
}

// stepsToName is what it counts to find what a name stands for.
func stepsToName(among []*Declarations) int {
	steps := 50
	for _, s := range among {
		steps += 1 + len(s.prefabs)
	}
	return steps
}

// prefabNamed finds a prefab of scripts by its name; nil for none.
func prefabNamed(among []*Declarations, name string) *decl.Prefab {
	for _, s := range among {
		for _, p := range s.prefabs {
			if p.Name == name {
				return p
			}
		}
	}
	return nil
}

// prefabNames lists the names of the prefabs of scripts, in alphabetical order.
func prefabNames(among []*Declarations) (names []string) {
	for _, s := range among {
		for _, p := range s.prefabs {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// stateNames lists the names of the state tables, in alphabetical order.
func (m *Binding) stateNames() []string { return slices.Sorted(maps.Keys(m.states.tables)) }

// undeclared is what is said of a declaration in a console.
const undeclared = "a console declares nothing: what declares stands in files, which a reload takes over"

// consoleFunctions makes those that the ecs table of a console has in place of the functions that declare.
func (m *Binding) consoleFunctions() map[string]lua.Value {
	own := map[string]lua.Value{}
	for _, name := range declaring {
		own[name] = lua.ToValue(lua.NewNative(func(call *machine.Call) {
			a := called(m.core, (*lua.LState)(call.Thread()), name)
			var found lua.LValue
			if _, text := a.L.Get(1).(lua.LString); text && a.L.GetTop() == 1 {
				found = m.find(a, a.text(1))
			}
			if found == nil {
				a.fail(undeclared)
			}
			call.Return(a.result(found))
			a.done()
		}, nil))
	}
	return own
}

// ConsoleTable returns an ecs table for a console: as [Binding.Table], but what declares is refused, and
// with a name alone finds what scripts have declared: ecs.component "Health", ecs.state "score".
func (m *Binding) ConsoleTable(L *lua.LState) *lua.LTable {
	if m.console.own == nil {
		m.console.own = m.consoleFunctions()
	}
	t := m.Table(L)
	for i, f := range m.functions {
		if v, own := m.console.own[f.name]; own {
			m.names.Set((*machine.Table)(t), i, v)
		}
	}
	return t
}

// Made is what the call of a console has made.
type Made struct {
	Commands int  // changes that were recorded
	Changed  bool // something in the world or in what scripts keep may be another than before
}

// RunConsole runs a function as a call of a script that is in no file, between two ticks: protected, within the
// limits of calls, and undone when it fails, as undone says. In it, texts stand for the components, events and
// prefabs of these names that the world and the given scripts have. The error may also tell of what came after
// the call, as commands that cannot be done. It belongs to the goroutine of the world, and may not be called inside
// of a step or of a call.
func (m *Binding) RunConsole(script string, among []*Declarations, run func(L *lua.LState)) (made Made, undone bool, err error) {
	m.byName, m.among = true, among
	defer func() { m.byName, m.among = false, nil }()
	undone = true
	err = m.world.Run(script, func(t *ecs.Tick) error {
		foreign := m.tx.Foreign.Calls
		err := m.tx.Invoke(t, script, script, func(L *lua.LState) {
			c := m.tx.Call
			c.Once = true
			run(L)
			made.Commands = t.Commands.Changes()
			made.Changed = made.Commands > 0 || len(c.Undo.List) > 0 || len(c.Timers) > 0 || c.Wrote.Any() || m.tx.Foreign.Calls != foreign
		})
		m.byName = false // what commands bring about is no text of the console
		undone = err != nil
		return err
	})
	return made, undone, inRun(err, script, diag.Place{Script: script})
}

// Named returns what a name stands for in a console: a component, an event or a prefab of the given scripts; nil for none. The
// call that is running on L pays for it; a nil L is for those who ask between two calls.
func (m *Binding) Named(L *lua.LState, name string, among []*Declarations) lua.LValue {
	if L != nil {
		value.Charge(L, stepsToName(among))
	}
	if c := m.components.InForce(name); c != nil {
		return wrap(c, m.types.component)
	}
	if e := m.core.events.InForce(name); e != nil {
		return wrap(e, m.types.event)
	}
	if p := prefabNamed(among, name); p != nil {
		return wrap(p, m.types.prefab)
	}
	return nil
}

// NamesOf lists the names that stand for something in a console, by what they name: "component", "event",
// "prefab", "state", "handler", "resource" or "system". Nil for other sorts. O(names).
func (m *Binding) NamesOf(sort string, among []*Declarations) []string {
	switch sort {
	case "component":
		return m.components.Existing()
	case "event":
		return m.core.events.Existing()
	case "prefab":
		return prefabNames(among)
	case "state":
		return m.stateNames()
	case "handler":
		return m.timers.handlerNames()
	case "resource":
		return m.world.Raw().ResourceNames()
	case "system":
		return m.world.Schedule().Names()
	}
	return nil
}

// Takes says which sorts of names a function of ecs takes as a text, with blanks between them: see [Binding.NamesOf]. "" for none.
func Takes(function string) string {
	switch function {
	case "component", "tag", "native", "get", "has", "remove", "update", "count", "find", "entities", "despawn_all", "add":
		return "component"
	case "spawn", "spawn_many":
		return "component prefab"
	case "event", "native_event", "events", "emit":
		return "event"
	case "prefab", "state", "resource":
		return function
	case "enable":
		return "system"
	case "after", "every":
		return "handler"
	}
	return ""
}

// Form returns how a function of ecs is written, such as ecs.children(e); "" where there is no such function.
func Form(function string) string {
	if shown := openForms[function]; shown != "" {
		return shown
	}
	if f := forms[function]; f != nil {
		return f.shown
	}
	if slices.ContainsFunc(kindNames[:], func(k ecs.Kind) bool { return k.String() == function }) {
		return "ecs." + function + "(default)"
	}
	return ""
}

// openForms are those of the functions that take any number of arguments, which no message has to show.
var openForms = map[string]string{
	"spawn": "ecs.spawn(Component { … }, …)", "spawn_many": "ecs.spawn_many(n, Component { … }, …)",
	"add": "ecs.add(e, Component { … }, …)", "remove": "ecs.remove(e, Component, …)", "set": "ecs.set(e, Component { … }, …)",
	"despawn": "ecs.despawn(e)", "get": `ecs.get(e, Component, "field")`, "has": "ecs.has(e, Component, …)", "alive": "ecs.alive(e)",
	"parent": "ecs.parent(e)", "scene_of": "ecs.scene_of(e)", "log": "ecs.log(…)", "warn": "ecs.warn(…)",
	"random": "ecs.random(low, high)", "enum": `ecs.enum("a", "b")`,
	"count": "ecs.count { A, B }", "find": "ecs.find { A, B }", "entities": "for e in ecs.entities { A, B }", "emit": "ecs.emit(Event { … })",
	"component": `ecs.component "Name"`, "tag": `ecs.tag "Name"`, "event": `ecs.event "Name"`, "prefab": `ecs.prefab "Name"`, "state": `ecs.state "name"`,
}

// FieldsOf returns the schema of a component, an event or a resource; nil for other values.
func (m *Binding) FieldsOf(v lua.LValue) *ecs.Schema {
	if s, ok := m.Resolve(v); ok {
		return s.Schema
	}
	return nil
}

// IsResource reports whether a value stands for a resource.
func (m *Binding) IsResource(v lua.LValue) bool {
	_, ok := value.Of[*resource](v)
	return ok
}

// ResourceSchema returns the fields of the resource of a name; nil if there is none that scripts can use.
func (m *Binding) ResourceSchema(name string) *ecs.Schema {
	if t := m.ground.resource(name); t != nil {
		return ecs.SchemaOf(t)
	}
	return nil
}
