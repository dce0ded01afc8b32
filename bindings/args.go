package bindings

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// args reads the arguments of one builtin. Every builtin goes through it, so
// their errors read alike: "ecs.add: argument 2: expected a component, got nil".
type args struct {
	*core
	L    *lua.LState
	name string

	bounded []boundedField // of the fields that were read

	items pieces      // that the call has listed
	out   []ecs.Value // the same in the form that commands take

	numbers [4]float64   // by the place of the argument: those that are operands
	copies  [4][]float64 // and the columns that are none in place
}

// batchPrefix begins the names of the methods of batches in errors.
const batchPrefix = "b:"

// fail raises an error at the line of the caller.
func (a *args) fail(format string, v ...any) {
	a.raise(diag.New(format, v...))
}

// failAt raises an error at a part of the call.
func (a *args) failAt(part fault.Part, format string, v ...any) {
	a.raise(diag.New(format, v...).On(a.place(part)))
}

// refuse is failAt for values that are called, which no name of a function stands before.
func (a *args) refuse(part fault.Part, format string, v ...any) {
	fault.Raise(a.L, diag.New(format, v...).On(a.place(part)))
}

// place returns the place of a part of the call. A judged call stands in no code that runs:
// its part is noted for the Judge, who knows the text.
func (a *args) place(part fault.Part) diag.Place {
	if a.judged != nil {
		*a.judged = part
	}
	return fault.InCall(a.L, part)
}

// wrong raises an error about the ith argument.
func (a *args) wrong(i int, format string, v ...any) {
	a.failAt(fault.Argument(i), "argument %d: %s", i, diag.Format(format, v...))
}

// reached raises the error of a limit.
func (a *args) reached(limit, format string, v ...any) { a.raise(diag.Reached(limit, format, v...)) }

// spelled is how scripts write the function that was called: ecs.add, b:read.
func (a *args) spelled() string {
	if strings.HasPrefix(a.name, batchPrefix) {
		return a.name
	}
	return "ecs." + a.name
}

// raise raises an error of the function that was called.
func (a *args) raise(e *diag.Error) {
	if colon := fault.WithColon(a.L, a.spelled()); colon != nil && !strings.HasPrefix(a.name, batchPrefix) {
		e.Message = colon.Message
	}
	e.Message = a.spelled() + ": " + e.Message
	fault.Raise(a.L, e)
}

// result returns a value to the script.
func (a *args) result(v lua.LValue) int {
	a.L.Push(v)
	return 1
}

// numberResult is result for a number, and truth for a boolean.
func (a *args) numberResult(x float64) int {
	lua.PushNumber(a.L, x)
	return 1
}

func (a *args) truth(b bool) int {
	lua.PushBool(a.L, b)
	return 1
}

func (a *args) expected(i int, what string) {
	a.wrong(i, "expected %s, got %s", what, value.Describe(a.L.Get(i)))
}

// entity reads a handle that must be alive.
func (a *args) entity(i int) ecs.Entity {
	e := a.handle(i)
	if !a.world.Alive(e) {
		a.wrong(i, "%s", a.whyDead(e))
	}
	return e
}

// handle reads a number that is 0 or was once a handle of this world, dead or
// alive.
func (a *args) handle(i int) ecs.Entity {
	n, ok := lua.NumberAt(a.L, i)
	if whole := int64(n); ok && float64(whole) == n && whole > 0 && whole < 1<<52 {
		if e := ecs.Entity(whole); e.Tag() == a.tag && e.Generation() > 0 {
			return e // as nearly all are
		}
	}
	if !ok {
		a.expected(i, "an entity")
	}
	e, why := value.ToEntity(n)
	if why == "" && !a.ours(e) {
		why = a.whyDead(e)
	}
	if why != "" {
		a.wrong(i, "%s", why)
	}
	return e
}

// whyDead explains why a handle is not alive here.
func (c *core) whyDead(e ecs.Entity) string {
	switch {
	case e == 0:
		return "entity 0 means none; 0 counts as true in Lua, so ask e ~= 0 or ecs.alive(e) first"
	case e.Tag() != c.tag && e.Generation() > 0:
		return fmt.Sprintf("entity %v belongs to another world", e)
	case e.Generation() == 0:
		return fmt.Sprintf("the number %d is not an entity", uint64(e))
	}
	return fmt.Sprintf("entity %v is dead", e)
}

func (a *args) number(i int) float64 {
	n, ok := lua.NumberAt(a.L, i)
	if !ok {
		a.expected(i, "a number")
	}
	return n
}

func (a *args) flag(i int) bool {
	b, ok := lua.BoolAt(a.L, i)
	if !ok {
		a.expected(i, "true or false")
	}
	return b
}

func (a *args) text(i int) string {
	s, ok := lua.TextAt(a.L, i)
	if !ok {
		a.expected(i, "a string")
	}
	return s
}

// functionFor is what is said to be expected in place of a value that will not do.
func functionFor(v lua.LValue) string {
	if _, ok := v.(*lua.LFunction); ok {
		return "a function written in Lua, such as function() … end around a call of this one"
	}
	return "a function"
}

// calledAtOnce says more about a value that is no function, if the text calls something where the
// function should stand.
func calledAtOnce(called bool) string {
	if !called {
		return ""
	}
	return ": what stands there is called at once, and its result is taken; write function() … end around the call, or let it return a function"
}

func (a *args) function(i int) *lua.LFunction {
	v := a.L.Get(i)
	f, ok := v.(*lua.LFunction)
	if !ok || lua.IsGo(f) {
		a.wrong(i, "expected %s, got %s%s", functionFor(v), value.Describe(v), calledAtOnce(!ok && holes.LastIsCall(a.L, i)))
	}
	return f
}

// table reads a table argument: its content, if it is a proxy.
func (a *args) table(i int) *lua.LTable {
	t, ok := proxy.TableOf(a.L.Get(i))
	if !ok {
		value.NotOver(a.L, a.L.Get(i))
		a.expected(i, "a table")
	}
	return t
}

// event reads an event argument.
func (a *args) event(i int) *decl.Event {
	e, ok := value.At[*decl.Event](a.L, i)
	if !ok && a.namedByText(i) {
		return a.eventNamed(a.text(i))
	}
	if !ok {
		a.wrong(i, "expected an event, got %s", a.noEvent(a.L.Get(i)))
	}
	return e
}

// component reads a component, tag or native component.
func (a *args) component(i int) *decl.Component {
	c, ok := value.At[*decl.Component](a.L, i)
	if !ok && a.namedByText(i) {
		return a.componentNamed(a.text(i))
	}
	if !ok {
		a.wrong(i, "expected a component, got %s", a.noComponent(a.L.Get(i)))
	}
	return c
}

// noComponent describes a value in the place of a component, with what to do about it.
func (a *args) noComponent(v lua.LValue) string {
	return a.misplaced(v, "component", a.components.Names)
}

// noEvent is noComponent for an event.
func (a *args) noEvent(v lua.LValue) string { return a.misplaced(v, "event", a.core.events.Names) }

// misplaced describes a value in the place of one that has a name. Of a string it says which
// name is near, or that no quotes belong there.
func (a *args) misplaced(v lua.LValue, noun string, names func() []string) string {
	described := value.Describe(v)
	if s, ok := v.(lua.LString); ok {
		return described + cmp.Or(value.Meant(a.L, string(s), names()), "; "+noun+"s are given as they are, without quotes")
	}
	return described
}

// acting returns the running call; it raises an error at a script's top level.
func (a *args) acting() *tx.Call {
	if name := a.alone(); name != "" {
		a.fail("cannot be used in %s, which runs in no tick: it has the variables of the file and state tables, and what is in the world is kept without it", name)
	}
	if a.tx.Call == nil {
		without := ""
		if fault.Level(a.L, 2) != (diag.Place{}) { // within a function
			without = "; where a function is to be given, write its name without ()"
		}
		a.fail("cannot be used while a script is being loaded: the top level declares, systems act; put it into ecs.on_start(function() … end)%s", without)
	}
	return a.tx.Call
}

// changing returns the running call for one more change; it raises an error when
// the call has made too many.
func (a *args) changing() *tx.Call {
	c := a.acting()
	a.spendChange(c)
	return c
}

// onlyDeclares is what is said of a function that is called while systems run.
const onlyDeclares = "can only be used at the top level of a script, not while systems run"

// declaring returns the script being loaded; it raises an error while systems run.
func (a *args) declaring() *Declarations {
	if a.script == nil {
		a.fail(onlyDeclares)
	}
	return a.script
}

// problem notes a fault of a declaration and goes on, so that one load finds
// as many as it can.
func (a *args) problem(format string, v ...any) {
	a.note(diag.New(format, v...).On(fault.Here(a.L)))
}

// problemAt is problem for a part of the call.
func (a *args) problemAt(part fault.Part, format string, v ...any) {
	a.note(diag.New(format, v...).On(fault.InCall(a.L, part)))
}

// maxProblems is how many faults of one file are told apart.
const maxProblems = 1000

// note adds a fault to those of the file, whose last it is when there are many.
func (a *args) note(e *diag.Error) {
	s := a.script
	if len(s.Problems) >= maxProblems {
		a.fail("this is one of more than %s faults of the file: %s", diag.Grouped(maxProblems), e.Message)
	}
	s.Problems = append(s.Problems, e)
}

// called begins a call of one of our functions, and charges for that.
func called(c *core, L *lua.LState, name string) *args {
	value.Take(L, value.StepsPerCall)
	a := c.free
	if a == nil {
		return &args{core: c, L: L, name: name}
	}
	c.free = nil
	a.L, a.name = L, name
	return a
}

// done ends a call that has not failed: its args are used again.
func (a *args) done() {
	a.L = nil
	if len(a.items.values)+len(a.items.of) > 0 {
		a.items.clear()
	}
	if len(a.out) > 0 {
		clear(a.out)
		a.out = a.out[:0]
	}
	a.free = a
}

// longestDeclared is how many bytes the name of anything that is declared may have.
// Errors, logs and summaries repeat names.
const longestDeclared = 255

// declares begins a declaration. It raises an error when the file has too many.
func (a *args) declares() *Declarations {
	s := a.declaring()
	limit := a.opts.Limits.Declarations
	if s.declared.count++; limit > 0 && s.declared.count > limit {
		a.reached("Declarations", "this file declares too much: %s of %s systems, components, events, prefabs, handlers and the like",
			diag.Grouped(int64(s.declared.count)), diag.Grouped(int64(limit)))
	}
	a.keep(decl.PerDeclaration)
	return s
}

// keep counts bytes that the file's declarations take. It raises an error when
// they are too many.
func (a *args) keep(bytes int64) { a.keepFor("", bytes) }

// keepFor is keep for what has the most to do with it.
func (a *args) keepFor(what string, bytes int64) {
	s, limits := a.script, &a.opts.Limits
	s.declared.bytes += bytes
	a.staged.bytes += bytes
	if limit := limits.Declared; limit > 0 && s.declared.bytes > limit {
		a.reached("Declared", "%swith it this file declares too much: used %s of %s bytes", what, diag.Grouped(s.declared.bytes), diag.Grouped(limit))
	}
	if limit := limits.DeclaredTotal; limit > 0 && a.staged.bytes > limit {
		a.reached("DeclaredTotal", "%swith it the files together declare too much: used %s of %s bytes", what, diag.Grouped(a.staged.bytes), diag.Grouped(limit))
	}
}

// title reads the name of what is declared.
func (a *args) title(i int) string {
	if a.L.Get(i).Type() == lua.LTTable {
		a.wrong(i, "expected a name, got a table: write %s(\"name\", …)", a.spelled())
	}
	name := a.text(i)
	if len(name) > longestDeclared {
		a.wrong(i, "a name has at most %d bytes, this one has %s", longestDeclared, diag.Grouped(int64(len(name))))
	}
	if !utf8.ValidString(name) {
		a.wrong(i, "a name is text in UTF-8, and %q is none: save the file as UTF-8", name)
	}
	return name
}

// named is title for what cannot be without one.
func (a *args) named(i int) string {
	name := a.title(i)
	if name == "" {
		a.problemAt(fault.Argument(1), "%s needs a name, and \"\" is none", a.noun())
	}
	return name
}

// noun is what a builtin declares, with its article.
func (a *args) noun() string {
	switch a.name {
	case "system", "component", "tag", "prefab", "handler", "kernel":
		return "a " + a.name
	case "event":
		return "an event"
	case "state":
		return "a state table"
	case "on_add", "on_set", "on_remove", "on_spawn", "on_despawn":
		return "an observer"
	}
	return a.spelled()
}

// keepNames counts a list of names of others, such as those that a system comes
// after.
func (a *args) keepNames(names []string) {
	for _, name := range names {
		a.keep(decl.PerName + int64(len(name)))
	}
}

// query reads a query: a table, or one component.
func (a *args) query(i int) *decl.Query {
	var spec *decl.Query
	if t, ok := a.L.Get(i).(*lua.LTable); ok {
		value.NotOver(a.L, t)
		spec = a.parseQuery(t, func(key, format string, v ...any) {
			a.failAt(fault.Part{N: i, Key: key}, "argument %d: %s", i, diag.Format(format, v...))
		})
	} else {
		spec = &decl.Query{List: []*decl.Component{a.component(i)}}
	}
	for _, list := range spec.Parts() {
		a.ready(i, *list)
	}
	a.ready(i, spec.List)
	return spec
}

// queryOptions are the keys of a query's table.
var queryOptions = []string{"with", "without", "optional", "any", "changed"}

// A complainer gets the faults of a table of a script: the key with which each is, as
// [fault.Within] writes it, and "" for the table as a whole.
type complainer func(key, format string, v ...any)

// parseQuery reads the table of a query. complain gets every fault, so that one load reports
// all of them; a builtin that runs raises the first one.
func (a *args) parseQuery(t *lua.LTable, complain complainer) *decl.Query {
	q, L := &decl.Query{}, a.L
	if i := holes.First(a.L, t); i > 0 {
		complain(fault.Index(lua.LNumber(i)), "%s", holes.Item(L, "query", i))
	}
	for _, key := range holes.Keys(t) {
		complain(key, "%s", holes.Key(L, key))
	}
	lists := q.Parts()
	proxy.Pairs(t, func(k, v lua.LValue) {
		if k.Type() == lua.LTNumber {
			q.List = a.appendComponent(q.List, v, "query", fault.Index(k), complain)
			return
		}
		key := fault.Written(k)
		list, ok := lists[key]
		if !ok {
			complain(key, "unknown query option %q%s", key, diag.OneOf(key, queryOptions))
			return
		}
		if items, isTable := proxy.TableOf(v); isTable {
			switch i := holes.First(a.L, items); {
			case i > 0:
				complain(fault.Within(key, fault.Index(lua.LNumber(i))), "%s", holes.Item(L, key, i))
			case items.Len() == 0:
				complain(key, "%s: the list is empty: name a component, or leave %s out", key, key)
			}
			proxy.Pairs(items, func(k, item lua.LValue) {
				*list = a.appendComponent(*list, item, key, fault.Within(key, fault.Index(k)), complain)
			})
			return
		}
		*list = a.appendComponent(*list, v, key, key, complain)
	})
	seen := map[string]bool{}
	for _, c := range q.Terms() {
		if seen[c.Name] {
			complain("", "component %q is listed twice in one query", c.Name)
		}
		seen[c.Name] = true
	}
	if why := q.Overlap(); why != "" {
		complain("", "%s", why)
	}
	return q
}

// appendComponent adds one item of a list of components, which stands under a key. More items
// than there are components cannot be right, and are not kept.
func (a *args) appendComponent(list []*decl.Component, v lua.LValue, where, key string, complain complainer) []*decl.Component {
	if len(list) >= ecs.MaxComponents {
		complain(key, "%s: more than %d components are listed", where, ecs.MaxComponents)
		return list
	}
	c, ok := value.Of[*decl.Component](v)
	if name, text := v.(lua.LString); text && a.byName {
		c, ok = a.componentNamed(string(name)), true
	}
	if !ok {
		complain(key, "%s: expected a component, got %s", where, a.noComponent(v))
		return list
	}
	return append(list, c)
}

// ready raises an error for a component that the world does not have: a function of a script
// that was refused may still hold its declaration.
func (a *args) ready(i int, list []*decl.Component) {
	for _, c := range list {
		a.inForce(i, c)
	}
}

// inForce is ready for one component.
func (a *args) inForce(i int, c *decl.Component) {
	if !c.Ready && a.judged == nil { // what is judged may be loading
		a.wrong(i, "component %q does not exist: its script was not accepted", c.Name)
	}
}
