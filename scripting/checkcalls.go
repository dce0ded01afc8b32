package scripting

import (
	"maps"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/facts"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/symbol"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Check looks through the functions of the scripts that are loaded for what would fail if it
// were reached, and returns what it would raise, by script: calls of ecs, of components, of
// events and of the host, and of fields that the library or another script does not have;
// fields of rows, of events, of resources and of ctx, and what is assigned to them; what
// each functions do in every row; joins, loops, fields and yields of values that have none. It also returns what has no effect and does not fail: see
// [facts.Copied] and [facts.State]. It runs no script. It knows what the text says for good:
// literals, locals that are assigned nothing after their declaration, components and
// events by the calls that declare them. What it does not know enough of is passed over, and
// so is what no call reaches, or only calls that expect errors. So what it reports is
// certain, but for functions of Lua that change a table of components in ways that no text
// shows, such as rawset. A load that is refused reports the same, so far as its scripts have
// run. It also reads all scenes, and all data files in the folder data.
func (h *Host) Check() ([]*Error, error) {
	if err := h.enter(checking); err != nil {
		return nil, err
	}
	defer h.leave()
	defer h.rest()
	var modules []*module
	for _, name := range slices.Sorted(maps.Keys(h.live)) {
		modules = append(modules, h.live[name])
	}
	return append(h.certain(h.newLoader(nil), modules), h.checkFiles()...), nil
}

// CheckNotes returns what scripts may not mean and what fails nowhere, by script: assignments that make a
// global where a local seems meant. The verdict over a reload has them for the files that have changed.
func (h *Host) CheckNotes() ([]*Error, error) {
	if err := h.enter(checking); err != nil {
		return nil, err
	}
	defer h.leave()
	var notes []*Error
	for _, name := range slices.Sorted(maps.Keys(h.live)) {
		notes = append(notes, h.newGlobals(h.live[name])...)
	}
	return notes, nil
}

// certain returns what is certain to fail in the functions of modules, live ones or those
// that a load has run.
func (vm *interpreter) certain(l *loader, modules []*module) (problems []*Error) {
	l.changed = l.mayChange(true)
	together, _, fresh := l.split()
	if together = append(together, fresh...); slices.ContainsFunc(together, func(s *bindings.Declarations) bool { return !s.Ended }) {
		together = nil
	}
	for _, m := range l.checked(modules) {
		if m.env == nil {
			continue // it has not run
		}
		c, most := l.callCheck(m), len(problems)+l.most()
		c.Together = together
		c.Thread, _ = vm.state.NewThread()
		for _, call := range c.text.Calls {
			if len(problems) >= most {
				break
			}
			if at, e := c.call(call); e != nil {
				problems = c.add(problems, at, e)
			}
		}
		for i := range c.text.Slips {
			if len(problems) >= most {
				break
			}
			if e := c.slip(&c.text.Slips[i]); e != nil {
				problems = c.add(problems, c.text.Slips[i].Pos, e)
			}
		}
		problems = append(problems, c.rows(true)...)
		problems = append(problems, l.missingFields(m)...)
		for _, sys := range eachOf(m.script) {
			if len(problems) >= most+l.most() {
				break
			}
			problems = append(problems, c.given(sys)...)
			if e := c.mistake(sys); e != nil {
				problems = add(problems, sys.Own(e))
			}
		}
	}
	return problems
}

// callCheck returns what judges the calls of one module of a load.
func (l *loader) callCheck(m *module) *callCheck {
	if l.changed.assigned == nil {
		l.changed = l.mayChange(false)
	}
	c := &callCheck{vm: l.vm, loader: l, m: m, text: m.program.learned(), tableChanges: l.changed, places: map[*lua.LTable]analysis.OptionPlaces{}}
	c.Binding, c.ecs = l.vm.binding, l.vm.required(m.env, "ecs")
	return c
}

// mayChange returns what scripts change of tables after their top levels; with rest, also what
// the top levels change that have not run to their end.
func (l *loader) mayChange(rest bool) tableChanges {
	c := tableChanges{map[string]bool{}, map[tableAt]bool{}, map[string]bool{}}
	add := func(name string, p *program, ended bool) {
		if p == nil {
			return
		}
		for _, by := range []*analysis.Assignments{&p.changes.ByFunctions, &p.changes.ByTop} {
			if by == &p.changes.ByTop && (ended || !rest) {
				continue
			}
			maps.Copy(c.assigned, by.Names)
			for at := range by.Computed {
				c.computed[p.tableAt(at)] = true
			}
		}
		for _, module := range p.changes.Passed {
			file, _ := l.resolve(name, module)
			c.handed[file] = c.handed[file] || file != "" || module == ""
		}
	}
	ended := map[string]bool{}
	for _, m := range l.order {
		ended[m.name] = m.script.Ended
	}
	for name, s := range l.texts {
		add(name, s.program, ended[name])
	}
	for name, other := range l.vm.live {
		if !l.changes(name) {
			add(name, other.program, true)
		}
	}
	return c
}

// rows returns the errors of fields of rows that there are not, or that cannot be assigned.
// What is assigned is not looked at in a load, when it may still change.
func (c *callCheck) rows(values bool) (problems []*Error) {
	most := c.loader.most()
	for _, use := range c.text.Rows {
		if len(problems) >= most {
			break
		}
		if use.Reach > use.Sure || use.Kind == facts.Given {
			continue
		}
		if e := c.field(use, c.schema(use.Of), values); e != nil {
			problems = c.add(problems, use.Pos, e)
		}
	}
	for _, use := range c.text.Compared {
		if !values || len(problems) >= most || use.Reach > use.Sure || use.Kind == facts.Given || use.Kind == facts.Copied && !use.Lost || !use.Alone && slices.Contains(plainInStates, use.Kind) {
			continue
		}
		if e := c.Compared(c.schema(use.Of), use.Name, use.Text.Value); e != nil {
			problems = c.add(problems, use.Text.Pos, e)
		}
	}
	return problems
}

// given returns the errors of what a system's each function assigns to the fields of its
// rows: their names are those of the load.
func (c *callCheck) given(sys *bindings.System) (problems []*Error) {
	s, ok := sys.KernelSource()
	if !ok {
		return nil
	}
	p, id, ok := c.vm.each(s.Closure)
	if !ok || p != c.m.program {
		return nil
	}
	for _, use := range c.text.Rows {
		if len(problems) >= c.loader.most() {
			break
		}
		if use.Kind != facts.Given || use.Each != id || use.Reach > use.Sure || use.Term >= len(s.Terms) || !use.Set && !use.Replaced {
			continue
		}
		if use.Replaced {
			if e := replaced(use, s.Terms[use.Term].Schema); e != nil {
				problems = c.add(problems, use.Pos, sys.Own(e))
			}
			continue
		}
		if e := c.field(use, s.Terms[use.Term].Schema, true); e != nil {
			problems = c.add(problems, use.Pos, sys.Own(e))
		}
	}
	for _, use := range c.text.Compared {
		if len(problems) >= c.loader.most() || use.Kind != facts.Given || use.Each != id || use.Reach > use.Sure || use.Term >= len(s.Terms) {
			continue
		}
		if e := c.Compared(s.Terms[use.Term].Schema, use.Name, use.Text.Value); e != nil {
			problems = c.add(problems, use.Text.Pos, sys.Own(e))
		}
	}
	return problems
}

// replaced is the error of an assignment to a parameter that has the row of an entity; nil where that
// has no fields.
func replaced(use *analysis.FieldUse, of *ecs.Schema) *Error {
	if of == nil || len(of.Fields) == 0 {
		return nil
	}
	name, value := of.Fields[0].Name, use.Value
	if call, ok := value.(*syntax.Call); ok && len(call.Args) == 1 {
		value = call.Args[0]
	}
	if table, ok := value.(*syntax.Table); ok && len(table.Fields) > 0 {
		if key, ok := table.Fields[0].Key.(*syntax.String); ok && of.Field(key.Value) != nil {
			name = key.Value
		}
	}
	return diag.New("%s is a variable of this function, and what is assigned to it changes no %s: assign the fields one by one, such as %s.%s = …", use.Name, of.Name, use.Name, name)
}

// field is the error of one use.
func (c *callCheck) field(use *analysis.FieldUse, of *ecs.Schema, values bool) *Error {
	v := unknown
	if use.Value != nil && values {
		v = c.value(use.Value)
	}
	switch {
	case use.Kind == facts.State:
		return diag.New("%s is ecs.state(%q), and what is assigned to the variable is not kept: assign its fields one by one, such as %s.score = 3", use.Name, c.value(use.Of).String(), use.Name)
	case v.part, use.Kind == facts.Copied && !use.Lost, !values && slices.Contains(atEase, use.Kind):
		return nil
	case !use.Alone && slices.Contains(plainInStates, use.Kind):
		return nil
	}
	e := c.Field(use.Kind, of, use.Name, use.Set, v.LValue)
	if e == nil || use.Event == nil {
		return e
	}
	if event := c.schema(use.Event); event != nil && event.Field(use.Name) != nil {
		e.Message += ". With on, each gets the event first, and then ctx"
		if use.First != "" && strings.Trim(use.First, "_") != "" {
			e.Message += diag.Format(": write %s.%s", use.First, use.Name)
		}
	}
	return e
}

// atEase are the rows whose mistakes a load takes.
var atEase = []facts.Origin{facts.Copied, facts.Batch, facts.Column, facts.ReadList}

// plainInStates are the rows that become plain tables when they come into a table of ecs.state;
// and the lists of a batch, of which others may have asked for those to write.
var plainInStates = []facts.Origin{facts.Event, facts.Received, facts.Observed, facts.ReadList}

// schema returns the fields of the component, the event or the resource that an expression
// is for good; nil for any other, and for nil.
func (c *callCheck) schema(e syntax.Expr) *ecs.Schema {
	known, _ := c.Binding.Resolve(c.value(e).LValue)
	return known.Schema
}

// add adds a problem at a place of the text.
func (c *callCheck) add(problems []*Error, at syntax.Pos, e *Error) []*Error {
	e.Put(c.m.program.place(at))
	return add(problems, e)
}

// callCheck judges the calls of one script.
type callCheck struct {
	bindings.Judge
	tableChanges
	vm     *interpreter
	loader *loader
	m      *module
	text   *learned
	ecs    *lua.LTable // of the script; nil when it has replaced require

	places map[*lua.LTable]analysis.OptionPlaces // of what is known of tables that are written out
}

// known is what is known of a value.
type known struct {
	lua.LValue
	part bool // a table of which this is not all
}

var unknown = known{LValue: bindings.Unknown}

// call returns the error of a call that would fail, and where in the text it is.
func (c *callCheck) call(call analysis.Call) (at syntax.Pos, e *Error) {
	if call.Func == nil {
		return c.withColon(call.Call)
	}
	if call.InGame {
		if at, e := c.inGame(call.Call); e != nil {
			return at, e
		}
	}
	if name := c.function(call.Func); name != "" {
		return c.judge(call.Call, slices.Contains(tableless, name), func(given []lua.LValue, open bool) (fault.Part, *Error) { return c.Examine(name, given, open) })
	}
	if index, ok := c.text.Tree.Names.ValueOf(call.Func).(*syntax.Index); ok && call.Reach <= analysis.Sometimes {
		key, named := index.Key.(*syntax.String)
		if t := c.drawing(index.Object); t != nil && named && !c.assigned[key.Value] && t.RawGetString(key.Value) == lua.LNil {
			return index.Pos, bindings.LacksDrawing(key.Value)
		}
	}
	thing := c.value(call.Func)
	if index, ok := call.Func.(*syntax.Index); ok && call.Reach <= analysis.Sometimes {
		if thing.LValue == lua.LNil {
			return index.Pos, c.noSuchFunction(index)
		}
		if v, ok := c.member(index).(*lua.LFunction); ok {
			return c.judge(call.Call, false, func(given []lua.LValue, open bool) (fault.Part, *Error) { return c.Host(v, given, open) })
		}
	}
	if thing.Type() == lua.LTUserData && thing != unknown && len(call.Args) > 0 && call.Reach <= c.text.SureOf(call.Func) {
		return c.fields(thing, call.Call)
	}
	return at, nil
}

// inGame returns the error of a call that scripts may make only while they are loaded, and that
// is made in the game.
func (c *callCheck) inGame(call *syntax.Call) (at syntax.Pos, e *Error) {
	if name := c.function(call.Func); name != "" {
		return call.Pos, c.InGame(name)
	}
	name, ok := call.Func.(*syntax.Name)
	if !ok || name.Value != "require" || !c.text.Tree.Names.Global(name) || c.ecs == nil || len(call.Args) == 0 {
		return at, nil
	}
	if module, ok := c.value(call.Args[0]).LValue.(lua.LString); ok && module != "ecs" && module != "host" {
		return analysis.Start(call.Args[0]), requiredInGame(string(module))
	}
	return at, nil
}

// withColon returns the error of a call with a colon of a function of ecs, or of a function of the
// host that does not take the table host as its first argument.
func (c *callCheck) withColon(call *syntax.Call) (at syntax.Pos, e *Error) {
	index := &syntax.Index{Pos: call.Pos, Object: call.Receiver, Key: &syntax.String{Pos: call.Pos, Value: call.Method}}
	title := "ecs." + c.function(index)
	if title == "ecs." {
		fn, ok := c.member(index).(*lua.LFunction)
		if module, _ := c.text.ModuleOf(call.Receiver); !ok || module != "host" {
			return at, nil
		}
		given, open := c.arguments(call.Args)
		if _, e = c.Host(fn, append([]lua.LValue{c.vm.required(c.m.env, "host")}, given...), open); e == nil {
			return at, nil
		}
		title = "host." + call.Method
	}
	return call.Pos, diag.New("%s: %s", title, fault.ColonError(title).Message)
}

// function returns the name of the function of ecs that an expression is, "" for others.
func (c *callCheck) function(e syntax.Expr) string {
	index, ok := c.text.Tree.Names.ValueOf(e).(*syntax.Index)
	if !ok || c.ecs == nil {
		return ""
	}
	key, ok := index.Key.(*syntax.String)
	if !ok || c.assigned[key.Value] {
		return ""
	}
	table, name := c.ecs, key.Value
	if module, certain := c.text.ModuleOf(index.Object); !certain || module != "ecs" {
		if table = c.drawing(index.Object); table == nil {
			return ""
		}
		name = "draw." + name
	}
	if known, ok := c.Binding.Resolve(table.RawGetString(key.Value)); ok && known.Kind == symbol.Function && known.Name == "ecs."+name {
		return name
	}
	return ""
}

// drawing returns the table ecs.draw if an expression is that for good, nil for others.
func (c *callCheck) drawing(e syntax.Expr) *lua.LTable {
	index, ok := c.text.Tree.Names.ValueOf(e).(*syntax.Index)
	if !ok || c.ecs == nil || c.assigned["draw"] {
		return nil
	}
	key, ok := index.Key.(*syntax.String)
	if module, certain := c.text.ModuleOf(index.Object); !ok || !certain || module != "ecs" || key.Value != "draw" {
		return nil
	}
	t, _ := c.ecs.RawGetString("draw").(*lua.LTable)
	return t
}

// judge has the arguments of a call of Go read.
func (c *callCheck) judge(call *syntax.Call, tableless bool, read func(given []lua.LValue, open bool) (fault.Part, *Error)) (at syntax.Pos, e *Error) {
	given, open := c.arguments(call.Args)
	for i := range given {
		if table, ok := call.Args[i].(*syntax.Table); ok && tableless && given[i] == bindings.Unknown && c.Thread != nil {
			given[i] = c.someTable(table)
		}
	}
	part, e := read(given, open)
	if e == nil {
		return at, nil
	}
	return c.place(call, given, part), e
}

// member returns what a field of host or of another script's table holds for good: nil
// where no function sets a field of that name. It is unknown for other expressions.
func (c *callCheck) member(e *syntax.Index) lua.LValue {
	key, ok := e.Key.(*syntax.String)
	module, certain := c.text.ModuleOf(e.Object)
	if !ok || !certain || module == "ecs" || c.ecs == nil {
		return bindings.Unknown
	}
	if module == "host" {
		if fn, ok := c.vm.required(c.m.env, module).RawGetString(key.Value).(*lua.LFunction); ok {
			return fn
		}
		return bindings.Unknown // see unknownMembers
	}
	t, complete := c.exports(c.m.name, module)
	if t == nil || c.assigned[key.Value] {
		return bindings.Unknown
	}
	v := t.RawGetString(key.Value)
	if _, isFunction := v.(*lua.LFunction); isFunction || v == lua.LNil && !complete {
		return bindings.Unknown
	}
	return v
}

// noSuchFunction is the error of a call of a field that a table of this script or of another
// does not have.
func (c *callCheck) noSuchFunction(e *syntax.Index) *Error {
	module, _ := c.text.ModuleOf(e.Object)
	name, names := e.Key.(*syntax.String).Value, []string{}
	if t, _ := c.exports(c.m.name, module); t != nil {
		names = namesOf(t)
	} else if table, ok := c.text.ValueOf(e.Object).(*syntax.Table); ok {
		for _, field := range table.Fields {
			names = append(names, c.value(field.Key).String())
		}
	}
	return diag.New("attempt to call %q, a nil value%s", e.Object.(*syntax.Name).Value+"."+name, diag.DidYouMean(name, names))
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
		there := field.Key == nil || named && resolved.Schema.Field(string(name)) != nil
		switch {
		case key == unknown, v.LValue == lua.LNil, there && (v == unknown || v.part), analysis.SaysNil(field.Value):
			continue
		case v == unknown:
			v = known{LValue: lua.LTrue} // it is refused for its name
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
		e = c.text.Tree.Names.ValueOf(e)
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
		return known{LValue: lua.Blank()}
	case *syntax.Table:
		if c.Thread != nil {
			return c.table(e)
		}
	case *syntax.Index:
		of := c.text.ValueOf(e)
		if _, isTable := of.(*syntax.Table); !isTable && of != syntax.Expr(e) {
			return c.value(of)
		}
		if v := c.member(e); v == lua.LNil {
			return known{LValue: v}
		} else {
			return c.thing(v)
		}
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

// tableless are the functions of ecs that take no table, whatever is in it.
var tableless = []string{"spawn", "spawn_many", "add", "set", "remove", "has", "get", "despawn"}

// someTable stands for a table of whose values nothing is known, as far as errors tell lists from others.
func (c *callCheck) someTable(e *syntax.Table) lua.LValue {
	t := c.Thread.NewTable()
	if key, ok := e.Fields[0].Key.(*syntax.String); ok {
		t.RawSetString(key.Value, lua.LTrue)
	} else if e.Fields[0].Key == nil {
		t.Append(lua.LTrue)
	}
	return t
}

// exports returns the table that another script returns to the one which requires it, nil if
// it is not known what is in it; complete means that it gets no field by a computed name.
func (c *callCheck) exports(from, module string) (t *lua.LTable, complete bool) {
	file, other := c.loader.other(from, module)
	if other == nil {
		return nil, false
	}
	t, ok := other.exports.(*lua.LTable)
	if !ok || lua.Metatable(t) != lua.LNil {
		return nil, false
	}
	return t, c.complete(other.program.tableAt(other.program.changes.Exports), !c.handed[file] && !c.handed[""])
}

// result returns the component or event that a call declares, or the value that is made of
// one.
func (c *callCheck) result(call *syntax.Call) known {
	if call.Func == nil || len(call.Args) == 0 {
		return unknown
	}
	switch name := c.function(call.Func); name {
	case "component", "tag", "native", "event", "native_event", "resource":
		if declared, ok := c.value(call.Args[0]).LValue.(lua.LString); ok {
			return c.thing(c.Declared(name, string(declared)))
		}
		return unknown
	case "":
		thing := c.value(call.Func)
		if thing.Type() != lua.LTUserData || thing == unknown || c.Thread == nil {
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
	if r, ok := c.Binding.Resolve(v); ok && (r.Kind == symbol.Component || r.Kind == symbol.Event || r.Kind == symbol.Resource) {
		return known{LValue: v}
	}
	return unknown
}
