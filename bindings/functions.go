package bindings

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/facts"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/symbol"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/sketch"
)

// callForm says how a function of ecs is called: how many arguments it takes at most, which,
// and what a call looks like.
type callForm struct {
	most     int
	takes    []argumentReader // its arguments, in order, but for the name of those that are named
	optional int              // how many of them, at the end, may be left out
	rest     argumentReader   // of all that follow; nil: there are none
	shown    string
	named    bool // one argument more when the first is a name
}

// A argumentReader reads one argument, and raises an error when it will not do. Functions read
// their arguments by the same methods. See [Judge].
type argumentReader func(a *args, i int)

// reads makes a reader of a method that returns what it has read.
func reads[T any](read func(*args, int) T) argumentReader { return func(a *args, i int) { read(a, i) } }

// The readers of the arguments.
var (
	aTitle       = reads((*args).title)
	aText        = reads((*args).text)
	aNumber      = reads((*args).number)
	aFlag        = reads((*args).flag)
	aFunction    = reads((*args).function)
	aTable       = reads((*args).table)
	aComponent   = reads((*args).component)
	anEvent      = reads((*args).event)
	anEntity     = unlessHandle(reads((*args).handle))
	aLivingOne   = unlessHandle(reads((*args).entity))
	aNumberOrNil = func(a *args, i int) { a.entityOrNil(i) }
	anEmitted    = reads((*args).emitted)
	aValue       = reads((*args).given)
	aQuery       = reads((*args).query)
	aFieldKind   = reads((*args).fieldKind)
	aLength      = reads((*args).length)
	aCount       = reads((*args).howMany)
	aTimer       = reads((*args).timerID)
	aSlot        = reads((*args).slot)
	aDrawnText   = reads((*args).words)
	aLook        = func(a *args, i int) { a.strokeOptions(i, &sketch.Stroke{}) }
)

func anything(*args, int) {}

func aPart(a *args, i int) {
	a.part(&pieces{}, a.L.Get(i), fault.Argument(i), itemName{"argument", i, ""})
}

// aPartOrFunction is for a list after which a function may stand.
func aPartOrFunction(a *args, i int) {
	if _, last := a.L.Get(i).(*lua.LFunction); !last || i < a.L.GetTop() {
		aPart(a, i)
	}
}

func aParent(a *args, i int) {
	if !a.none(i) {
		aLivingOne(a, i)
	}
}

// aField is a field of the component before it.
func aField(a *args, i int) {
	if a.L.Get(i-1) != Unknown {
		a.field(i, a.component(i-1))
	}
}

// theSeconds are followed by the name of a handler. Whoever gives a function there is told
// that first.
func theSeconds(a *args, i int) {
	if next := a.L.Get(i + 1); next != Unknown {
		a.notSwapped()
		if next.Type() == lua.LTFunction {
			return
		}
	}
	aNumber(a, i)
}

func theHandler(a *args, i int) {
	a.noFunction(i)
	aText(a, i)
}

// aBound is one or two numbers.
func aBound(a *args, i int) {
	switch {
	case i > 2:
	case i == 1 && (a.L.GetTop() == 1 || a.L.Get(2) != Unknown), i == 2 && a.L.Get(1) != Unknown:
		a.bounds()
	default:
		aNumber(a, i)
	}
}

// unlessHandle leaves out numbers that may be handles: a world that is only looked at says
// nothing about the entities that are alive when a call is made.
func unlessHandle(read argumentReader) argumentReader {
	return func(a *args, i int) {
		if n, ok := a.L.Get(i).(lua.LNumber); ok {
			if e, why := value.ToEntity(float64(n)); why == "" && e.Generation() > 0 {
				return
			}
		}
		read(a, i)
	}
}

// anyNumber is for functions that read all of their arguments, and for those that kernels
// call: what another function gives beyond its first result is passed over there.
const anyNumber = math.MaxInt

// forms are those of all functions of ecs but the kinds of fields, which take a default.
// An argument too many is a mistake that would otherwise do nothing, in silence.
var forms = map[string]*callForm{
	"component":    {most: 3, takes: []argumentReader{aTitle, aTable, aTable}, optional: 1, shown: `ecs.component("Name", { fields }, { options })`},
	"tag":          {most: 2, takes: []argumentReader{aTitle, aTable}, optional: 1, shown: `ecs.tag("Name", { options })`},
	"native":       {most: 1, takes: []argumentReader{aText}, shown: `ecs.native("Name")`},
	"drop":         {most: 1, takes: []argumentReader{aTitle}, shown: `ecs.drop("Name")`},
	"event":        {most: 2, takes: []argumentReader{aTitle, aTable}, optional: 1, shown: `ecs.event("Name", { fields }): an event has no options`},
	"native_event": {most: 1, takes: []argumentReader{aText}, shown: `ecs.native_event("Name")`},
	"prefab":       {most: 2, takes: []argumentReader{aTitle, aTable}, shown: `ecs.prefab("name", { values })`},
	"system":       {most: 2, takes: []argumentReader{aTitle, aTable}, optional: 1, shown: `ecs.system "name" { … }`},
	"kernel":       {most: 3, takes: []argumentReader{aTable, aFunction, aTable}, optional: 1, shown: `ecs.kernel("name", { query }, function(e, …) … end, { options })`, named: true},
	"on_add":       {most: 2, takes: []argumentReader{aComponent, aFunction}, shown: `ecs.on_add("name", Component, function(e, fields, ctx) … end)`, named: true},
	"on_set":       {most: 2, takes: []argumentReader{aComponent, aFunction}, shown: `ecs.on_set("name", Component, function(e, fields, ctx) … end)`, named: true},
	"on_remove":    {most: 2, takes: []argumentReader{aComponent, aFunction}, shown: `ecs.on_remove("name", Component, function(e, fields, ctx) … end)`, named: true},
	"on_spawn":     {most: 1, takes: []argumentReader{aFunction}, shown: `ecs.on_spawn("name", function(e, ctx) … end)`, named: true},
	"on_despawn":   {most: 1, takes: []argumentReader{aFunction}, shown: `ecs.on_despawn("name", function(e, ctx) … end)`, named: true},
	"on_start":     {most: 1, takes: []argumentReader{aFunction}, shown: `ecs.on_start(function(ctx) … end)`},
	"on_error":     {most: 1, takes: []argumentReader{aFunction}, shown: `ecs.on_error(function(err, ctx) … end)`},
	"on_unload":    {most: 1, takes: []argumentReader{aFunction}, shown: `ecs.on_unload(function(ctx) … end)`},
	"on_reload":    {most: 1, takes: []argumentReader{aFunction}, shown: `ecs.on_reload(function(value, ctx) … end)`},
	"on_save":      {most: 1, takes: []argumentReader{aFunction}, shown: `ecs.on_save(function() … return value end)`},
	"on_load":      {most: 1, takes: []argumentReader{aFunction}, shown: `ecs.on_load(function(value) … end)`},
	"handler":      {most: 2, takes: []argumentReader{aTitle, aFunction}, shown: `ecs.handler("name", function(data, ctx) … end)`},
	"state":        {most: 2, takes: []argumentReader{aTitle, aTable}, optional: 1, shown: `ecs.state("name", { defaults })`},
	"enum":         {most: anyNumber, rest: aTitle},
	"data":         {most: 2, takes: []argumentReader{aText, aTable}, optional: 1, shown: `ecs.data("units.json")`},
	"asset":        {most: 1, takes: []argumentReader{aText}, shown: `ecs.asset("ships/scout.png")`},
	"array":        {most: 2, takes: []argumentReader{aFieldKind, aLength}, shown: `ecs.array(ecs.f32(), n)`},

	"spawn": {most: anyNumber, rest: aPart}, "spawn_many": {most: anyNumber, takes: []argumentReader{aCount}, rest: aPartOrFunction},
	"add": {most: anyNumber, takes: []argumentReader{aLivingOne}, rest: aPart}, "remove": {most: anyNumber, takes: []argumentReader{aLivingOne}, rest: aComponent}, "set": {most: anyNumber, takes: []argumentReader{aLivingOne}, rest: aValue},
	"despawn":     {most: anyNumber, takes: []argumentReader{aLivingOne}},
	"despawn_all": {most: 1, takes: []argumentReader{aQuery}, shown: `ecs.despawn_all({ query })`},
	"update":      {most: 3, takes: []argumentReader{anEntity, aComponent, aFunction}, shown: `ecs.update(e, Component, function(fields) … end)`},
	"set_parent":  {most: 2, takes: []argumentReader{aLivingOne, aParent}, shown: `ecs.set_parent(child, parent)`},
	"emit":        {most: 1, takes: []argumentReader{anEmitted}, shown: `ecs.emit(Event { … }), once for each event`},
	"enable":      {most: 2, takes: []argumentReader{aText, aFlag}, shown: `ecs.enable("system", true)`},

	"get":      {most: anyNumber, takes: []argumentReader{anEntity, aComponent, aField}, optional: 1},
	"has":      {most: anyNumber, takes: []argumentReader{anEntity}, rest: aComponent},
	"alive":    {most: anyNumber, takes: []argumentReader{aNumberOrNil}},
	"count":    {most: 1, takes: []argumentReader{aQuery}, shown: `ecs.count({ A, B }) for those that have both`},
	"find":     {most: 1, takes: []argumentReader{aQuery}, shown: `ecs.find({ A, B }) for one that has both`},
	"entities": {most: 1, takes: []argumentReader{aQuery}, shown: `ecs.entities({ A, B }) for those that have both`},
	"parent":   {most: anyNumber, takes: []argumentReader{anEntity}},
	"children": {most: 1, takes: []argumentReader{anEntity}, shown: `ecs.children(e)`},
	"events":   {most: 1, takes: []argumentReader{anEvent}, shown: `ecs.events(Event)`},
	"resource": {most: 1, takes: []argumentReader{aText}, shown: `ecs.resource("name")`},

	"load_scene":   {most: 1, takes: []argumentReader{aScene}, shown: `ecs.load_scene("camp")`},
	"unload_scene": {most: 1, takes: []argumentReader{aScene}, shown: `ecs.unload_scene("camp")`},
	"scene_of":     {most: anyNumber, takes: []argumentReader{anEntity}},
	"scene_entity": {most: 2, takes: []argumentReader{aScene, aText}, shown: `ecs.scene_entity("camp", "guard")`},

	"after":  {most: 3, takes: []argumentReader{theSeconds, theHandler, anything}, shown: `ecs.after(seconds, "handler", data)`},
	"every":  {most: 3, takes: []argumentReader{theSeconds, theHandler, anything}, shown: `ecs.every(seconds, "handler", data)`},
	"cancel": {most: 1, takes: []argumentReader{aTimer}, shown: `ecs.cancel(timer)`},

	"save": {most: 1, takes: []argumentReader{aSlot}, shown: `ecs.save("slot")`},
	"load": {most: 1, takes: []argumentReader{aSlot}, shown: `ecs.load("slot")`},

	"log": {most: anyNumber, rest: anything}, "warn": {most: anyNumber, rest: anything},
	"random": {most: anyNumber, rest: aBound},

	"draw.line":   {most: 5, takes: []argumentReader{aNumber, aNumber, aNumber, aNumber, aLook}, optional: 1, shown: `ecs.draw.line(x1, y1, x2, y2, { color = 0xff8800, seconds = 1 })`},
	"draw.circle": {most: 4, takes: []argumentReader{aNumber, aNumber, aNumber, aLook}, optional: 1, shown: `ecs.draw.circle(x, y, radius, { color = 0xff8800, seconds = 1 })`},
	"draw.box":    {most: 5, takes: []argumentReader{aNumber, aNumber, aNumber, aNumber, aLook}, optional: 1, shown: `ecs.draw.box(x1, y1, x2, y2, { color = 0xff8800, seconds = 1 })`},
	"draw.text":   {most: 4, takes: []argumentReader{aNumber, aNumber, aDrawnText, aLook}, optional: 1, shown: `ecs.draw.text(x, y, "text", { color = 0xff8800, seconds = 1 })`},

	"b:read":  {most: 3, shown: `b:read(Component, "field")`},
	"b:write": {most: 3, shown: `b:write(Component, "field")`},
	"b:col":   {most: 3, shown: `b:col(Component, "field")`},
	"b:has":   {most: 2, shown: `b:has(Component)`},
}

// nameFirst reports whether the first argument is the name that the function may take
// before its others. Where the function itself follows at once, a text stands in the place
// of what is observed.
func (a *args) nameFirst() bool {
	_, text := a.L.Get(1).(lua.LString)
	_, function := a.L.Get(2).(*lua.LFunction)
	return text && !(function && slices.Contains(componentEvents, a.name))
}

// componentEvents are the functions that observe a component.
var componentEvents = []string{"on_add", "on_set", "on_remove"}

// atMost raises an error when there are more arguments than a function takes. Nils
// at the end do not count.
func (a *args) atMost(f *callForm) {
	if a.L.GetTop() > f.most {
		a.tooMany(f)
	}
}

func (a *args) tooMany(f *callForm) {
	given, most := a.L.GetTop(), f.most
	if f.named && a.nameFirst() {
		most++
	}
	for given > most && a.L.Get(given) == lua.LNil {
		given--
	}
	if given <= most {
		return
	}
	if _, fields := a.L.Get(2).(*lua.LTable); a.name == "emit" && !fields {
		return // kernels call it: see anyNumber
	} else if a.name == "emit" {
		a.emitted(1)
	}
	if strings.HasPrefix(a.name, batchPrefix) {
		given, most = given-1, most-1 // the batch itself
	}
	counted := "arguments"
	if most == 1 {
		counted = "argument"
	}
	a.failAt(fault.Argument(most+1), "expected at most %d %s, got %d: write %s", most, counted, given, a.shown(f))
}

// shown returns how to write the call. Whoever comes from other engines gives the fields
// of an event as a second argument, and a component to observe entities.
func (a *args) shown(f *callForm) string {
	if f.named && !a.nameFirst() {
		if c, ok := value.Of[*decl.Component](a.L.Get(1)); ok && oneComponent[a.name] != "" {
			return diag.Format("ecs.%s(%s, function(e, fields, ctx) … end) to watch one component", oneComponent[a.name], c.Name)
		}
		return strings.Replace(f.shown, `"name", `, "", 1)
	}
	if e, ok := value.Of[*decl.Event](a.L.Get(1)); ok && a.name == "emit" && a.L.Get(2).Type() == lua.LTTable {
		return diag.Format("ecs.emit(%s { … }), with the fields in the braces", e.Name)
	}
	return f.shown
}

// oneComponent names what observes one component where a function observes all entities.
var oneComponent = map[string]string{"on_spawn": "on_add", "on_despawn": "on_remove"}

// Unknown is an argument of which nothing is known.
var Unknown lua.LValue = lua.NewUserData(unknown{}, nil)

type unknown struct{}

// A Judge says what calls of ecs would raise, and makes none. It is for hosts that know
// from the text of a script how calls would be made.
type Judge struct {
	Binding *Binding
	Thread  *lua.LState // on which no call is running
	// Together are the scripts of a load that is refused and those that stay, if all of them
	// have run: they have declared the names of handlers and systems.
	Together []*Declarations
}

// Examine reads the arguments of a call of a function of ecs as the call itself would. It
// returns what is wrong with the first that will not do, and with which part of it: none
// means the call. Arguments that are Unknown are passed over; open says that nobody knows
// how many follow.
func (j Judge) Examine(name string, given []lua.LValue, open bool) (part fault.Part, e *diag.Error) {
	f, ok := forms[name]
	if !ok || f.named && (len(given) == 0 || given[0] == Unknown || len(given) > 1 && given[1] == Unknown) {
		return part, nil // whether a name comes first decides about all others
	}
	defer j.judging(&part)()
	judge := j.Thread.NewFunction(func(L *lua.LState) int {
		a := called(j.Binding.core, L, name)
		last := len(given) - 1
		for last >= 0 && given[last] == lua.LNil { // they do not count
			last--
		}
		if !open && last >= 0 && given[last] != Unknown {
			a.atMost(f)
		}
		a.judge(f, open)
		j.names(a)
		return 0
	})
	e = value.Protect(func() error { return j.Thread.CallByParam(lua.P{Fn: judge, Protect: true}, given...) })
	return part, e
}

// InGame is the error of a call of a function of ecs while systems run, whatever its arguments are;
// nil for a function that may be called then.
func (j Judge) InGame(name string) *diag.Error {
	if !slices.Contains(declaring, name) {
		return nil
	}
	return diag.New("ecs.%s: %s", name, onlyDeclares)
}

// declaring are the functions of ecs that scripts call while they are loaded, and only then.
var declaring = []string{
	"component", "tag", "native", "drop", "event", "native_event", "prefab", "system", "kernel", "on_add", "on_set", "on_remove", "on_spawn", "on_despawn",
	"on_start", "on_error", "on_unload", "on_reload", "on_save", "on_load", "handler", "state", "data", "asset",
}

// names reads the names of systems and handlers in a call whose arguments will do. While
// scripts are loaded nobody knows them all.
func (j Judge) names(a *args) {
	system, _ := a.L.Get(1).(lua.LString)
	handler, _ := a.L.Get(2).(lua.LString)
	handlers := j.Binding.timers.handlerNames
	if j.Binding.staged != nil {
		if j.Together == nil || slices.Contains(systemNames(j.Together), string(system)) {
			return
		}
		handlers = func() []string { return handlerNames(j.Together) }
	}
	switch {
	case a.name == "enable" && system != "":
		a.knownSystem(string(system), systemNames(j.Together)...)
	case (a.name == "after" || a.name == "every") && handler != "" && !slices.Contains(handlers(), string(handler)):
		a.unknownHandler(string(handler), handlers())
	}
}

// judging has the part noted that an error is about, until the function is called that it
// returns.
func (j Judge) judging(part *fault.Part) (done func()) {
	j.Binding.judged = part
	return func() { j.Binding.judged = nil }
}

// Fieldless is the error of a field of a component or an event; nil for any other value.
func (j Judge) Fieldless(of lua.LValue, name string) *diag.Error {
	if r, ok := j.Binding.Resolve(of); !ok || r.Kind != symbol.Component && r.Kind != symbol.Event {
		return nil
	}
	return lacking(of, name)
}

// Make makes a value of a component or of an event with fields, as a script does that
// calls it. It returns what is wrong with them, and with which part of the call.
func (j Judge) Make(of, fields lua.LValue) (made lua.LValue, part fault.Part, e *diag.Error) {
	defer j.judging(&part)()
	e = value.Protect(func() error {
		return j.Thread.CallByParam(lua.P{Fn: j.Thread.GetMetaField(of, "__call"), NRet: 1, Protect: true}, of, fields)
	})
	if e != nil {
		part.N-- // what is called comes first for a function of Go, and in no text
		return nil, part, e
	}
	made = j.Thread.Get(-1)
	j.Thread.Pop(1)
	return made, part, nil
}

// Host is Examine for a call of a function that the host exposes.
func (j Judge) Host(fn *lua.LFunction, given []lua.LValue, open bool) (part fault.Part, e *diag.Error) {
	e = value.Protect(func() error { return j.Binding.fence.Judge(j.Thread, fn, given, open, Unknown, &part) })
	return part, e
}

// Field is the error of reading a field of a row of a component, an event or a resource,
// or of setting it: nil means that there is none. No schema means that it is not known. The
// value of an assignment may be Unknown.
func (j Judge) Field(row facts.Origin, s *ecs.Schema, name string, set bool, v lua.LValue) *diag.Error {
	switch {
	case row == facts.Context && set:
		return exec.ContextFixed(lua.LString(name))
	case row == facts.Context && !slices.Contains(exec.ContextFields, name):
		return exec.ContextLacks(name)
	case row == facts.Batch && set:
		return exec.BatchFixed(lua.LString(name))
	case row == facts.Batch && !slices.Contains(exec.BatchFields, name):
		return diag.New(exec.NoBatchField, name, diag.DidYouMean(name, exec.BatchFields))
	case s == nil || len(s.Fields) == 0: // a tag has no table either
		return nil
	case row == facts.ReadList && (name != "" || len(s.Fields) == 1):
		if name = cmp.Or(name, s.Fields[0].Name); s.Field(name) == nil {
			return nil
		}
		return exec.SealedList(s.Name, name)
	case row == facts.ReadList || row == facts.Batch:
		return nil
	case s.Field(name) == nil:
		return value.UnknownField(s, name, diag.Fields(name, value.FieldNames(s)))
	case !set || row == facts.Received:
		return nil
	}
	why := ""
	switch row {
	case facts.Event:
		why = sealedEvent
	case facts.Observed:
		why = sealedNotice
	case facts.Copied:
		why = diag.Format("ecs.get gives a copy, and nothing stores what is set there: use ecs.set(e, %s { %s = … }) or ecs.update", s.Name, name)
	default:
		if v != Unknown {
			_ = value.Protect(func() error { why = value.CannotHold(j.Thread, s.Field(name), v); return nil })
		}
	}
	if why == "" {
		return nil
	}
	return diag.New("field %q of %q: %s", name, s.Name, why)
}

// Compared is the error of comparing a field with a value that it never has: a word that an enum
// does not have. nil means that there is none.
func (j Judge) Compared(s *ecs.Schema, name, word string) (e *diag.Error) {
	if s == nil {
		return nil
	}
	f := s.Field(name)
	if f == nil || f.Kind != ecs.Enum || f.Len > 0 || slices.Contains(f.Names, word) {
		return nil
	}
	why := diag.DidYouMean(word, f.Names)
	if why == "" {
		why = ", it is " + diag.Choice(f.Names)
	}
	return diag.New("field %q of %q: it is compared with %q, which it never is%s", name, s.Name, word, why)
}

// Declared returns what scripts of the running load, or of the game, get by a name from a
// function of ecs that declares or finds something; nil when there is none.
func (j Judge) Declared(function, name string) lua.LValue {
	m := j.Binding
	switch function {
	case "event", "native_event":
		if e := m.events.Find(name); e != nil {
			return wrap(e, m.types.event)
		}
	case "component", "tag", "native":
		if c := m.components.Find(name); c != nil {
			return wrap(c, m.types.component)
		}
	case "resource":
		if t := m.ground.resource(name); t != nil {
			return wrap(&resource{name: name, typ: t, schema: ecs.SchemaOf(t)}, m.types.resource)
		}
	}
	return lua.LNil
}

// judge reads all arguments that are known.
func (a *args) judge(f *callForm, open bool) {
	given, first := a.L.GetTop(), 1
	read := func(i int, r argumentReader) {
		if a.L.Get(i) != Unknown {
			r(a, i)
		}
	}
	if f.named && a.nameFirst() {
		read(1, aTitle)
		first = 2
	}
	for k, r := range f.takes {
		if i := first + k; i <= given || !open && k < len(f.takes)-f.optional {
			read(i, r)
		}
	}
	for i := first + len(f.takes); f.rest != nil && i <= given; i++ {
		read(i, f.rest)
	}
}
