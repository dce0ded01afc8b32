package bindings

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/facts"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// systemOptions are the keys of a system's table.
var systemOptions = []string{
	"phase", "priority", "before", "after", "every", "fixed", "enabled", "when", "query", "each", "batch", "run", "on",
	"kernel", "precision", "requires",
}

// declareSystem is ecs.system "name" { … }.
func declareSystem(a *args) int {
	a.declares()
	name := a.named(1)
	if a.L.GetTop() >= 2 {
		a.system(name, a.table(2))
		return 0
	}
	s := a.script
	begun := &unfinished{system: name, at: fault.Here(a.L)}
	s.begun = append(s.begun, begun)
	a.L.Push(a.L.NewFunction(func(L *lua.LState) int {
		begun.done = true
		inner := &args{core: a.core, L: L, name: "system"}
		inner.declaring()
		inner.system(name, inner.table(1))
		return 0
	}))
	return 1
}

func (a *args) system(name string, t *lua.LTable) {
	s := &exec.System{Name: name, Spec: ecs.System{Name: name, Phase: ecs.Logic}}
	s.Place = fault.Here(a.L)
	r := optionReader{a: a, s: s, t: t, wrong: map[string]bool{}, at: s.Place}
	complain := r.complain
	if first, taken := a.script.first("system", name, s.Place); taken {
		complain("the name is used twice, first in %s", first.String())
	}
	places := a.optionPlaces(t)
	s.Options, r.places = places, places
	proxy.Pairs(t, func(k, v lua.LValue) {
		key := fault.Written(k)
		r.at, r.key = cmp.Or(places[key].Value, s.Place), cmp.Or(places[key].Key, s.Place)
		r.option(key, v)
	})
	for _, key := range holes.Keys(t) {
		r.at = cmp.Or(places[key].Key, s.Place)
		if slices.Contains(systemFunctions, key) && places[key].Called {
			complain("%s: expected a function, got nil%s", key, calledAtOnce(true))
		} else {
			complain("%s", holes.Key(a.L, key))
		}
		r.wrong[key] = true
	}
	r.at = s.Place
	r.finish()
	for _, names := range [][]string{s.Spec.Before, s.Spec.After, s.Spec.Requires} {
		a.keepNames(names)
	}
	a.keepQuery(s)
	if name != "" {
		a.script.Systems = append(a.script.Systems, s)
	}
}

// optionReader reads a system's table, an option at a time.
type optionReader struct {
	a     *args
	s     *exec.System
	t     *lua.LTable
	at    diag.Place // of the value of the option at hand
	key   diag.Place // of its key
	wrong map[string]bool

	places map[string]facts.OptionPlace // of the keys in the table, and in the tables in it
}

// complain notes a fault of the option at hand.
func (r *optionReader) complain(format string, v ...any) {
	e := r.s.Own(diag.New(format, v...).On(r.at))
	r.a.note(e)
}

// complainIn is complain for what is written in the table of an option.
func (r *optionReader) complainIn(option string) complainer {
	return func(key, format string, v ...any) {
		at := r.at
		if key != "" {
			at = cmp.Or(r.places[fault.Within(option, key)].Key, at)
		}
		r.a.note(r.s.Own(diag.New(format, v...).On(at)))
	}
}

// option reads one option; it notes those that are wrong, so that finish says
// nothing more about them.
func (r *optionReader) option(key string, v lua.LValue) {
	before := len(r.a.script.Problems)
	r.read(key, v)
	if len(r.a.script.Problems) > before {
		r.wrong[key] = true
	}
}

func (r *optionReader) read(key string, v lua.LValue) {
	s := r.s
	switch key {
	case "phase":
		r.phase(v)
	case "priority":
		if n, ok := r.number(key, v); ok {
			s.Spec.Priority = int(n)
		}
	case "every":
		if n, ok := r.number(key, v); ok {
			s.Spec.Every = n
		}
	case "fixed":
		s.Spec.Fixed = r.flag(key, v)
	case "enabled":
		s.Spec.Disabled = !r.flag(key, v)
	case "before":
		s.Spec.Before = r.names(key, v)
	case "after":
		s.Spec.After = r.names(key, v)
	case "requires":
		s.Spec.Requires = r.names(key, v)
	case "query":
		if t, ok := proxy.TableOf(v); ok {
			s.Query = r.a.parseQuery(t, r.complainIn(key))
		} else {
			braces := ""
			if c, ok := value.Of[*decl.Component](v); ok {
				braces = diag.Format(": write query = { %s }", c.Name)
			}
			r.complain("query: expected a table of components, got %s%s", r.a.noComponent(v), braces)
		}
	case "on":
		r.on(v)
	case "kernel":
		r.kernel(v)
	case "precision":
		r.precision(v)
	case "each", "batch", "run", "when":
		*map[string]**lua.LFunction{"each": &s.Each, "batch": &s.Batch, "run": &s.Run, "when": &s.When}[key] = r.function(key, v)
	default:
		r.at = r.key
		r.complain("unknown option %q%s", key, diag.OneOf(key, systemOptions))
	}
}

func (r *optionReader) phase(v lua.LValue) {
	p, ok := ecs.PhaseNamed(v.String())
	if !ok {
		r.complain("unknown phase %q%s; the phases are %s", v.String(), diag.DidYouMean(v.String(), ecs.PhaseNames()), strings.Join(ecs.PhaseNames(), ", "))
		return
	}
	r.s.Spec.Phase = p
}

func (r *optionReader) flag(key string, v lua.LValue) bool {
	if v.Type() != lua.LTBool {
		r.complain("%s: expected true or false, got %s", key, value.Describe(v))
	}
	return lua.LVAsBool(v)
}

func (r *optionReader) number(key string, v lua.LValue) (float64, bool) {
	n, ok := v.(lua.LNumber)
	what := map[string]string{"priority": "a whole number from 0 up", "every": "seconds from 0 up"}[key]
	if !ok || !(n >= 0 && n < 1e9) || key == "priority" && n != lua.LNumber(int(n)) {
		r.complain("%s: expected %s, got %s", key, what, value.Describe(v))
		return 0, false
	}
	return float64(n), true
}

// names reads a list of system names, or one name.
func (r *optionReader) names(key string, v lua.LValue) []string {
	switch v := v.(type) {
	case lua.LString:
		return []string{string(v)}
	case *lua.LTable:
		var names []string
		if i := holes.First(r.a.L, v); i > 0 {
			r.complain("%s", holes.Item(r.a.L, key, i))
		}
		proxy.Pairs(v, func(k, item lua.LValue) {
			if s, ok := item.(lua.LString); ok {
				names = append(names, string(s))
				return
			}
			r.complainIn(key)(fault.Index(k), "%s: expected the name of a system, got %s", key, value.Describe(item))
		})
		return names
	}
	r.complain("%s: expected a list of system names, got %s", key, value.Describe(v))
	return nil
}

func (r *optionReader) on(v lua.LValue) {
	var ok bool
	if r.s.On, ok = value.Of[*decl.Event](v); !ok {
		r.complain("on: expected an event, got %s", r.a.noEvent(v))
	}
}

// systemFunctions are the options of a system that are functions.
var systemFunctions = []string{"each", "batch", "run", "when"}

func (r *optionReader) function(key string, v lua.LValue) *lua.LFunction {
	f, ok := v.(*lua.LFunction)
	if !ok || lua.IsGo(f) {
		r.complain("%s: expected %s, got %s%s", key, functionFor(v), value.Describe(v), calledAtOnce(r.places[key].Called && !ok))
		return nil
	}
	return f
}

// finish checks that the options go together.
func (r *optionReader) finish() {
	s := r.s
	has := func(key string) bool { return r.t.RawGetString(key) != lua.LNil || r.wrong[key] }
	set := 0
	for _, key := range []string{"each", "batch", "run"} {
		if has(key) {
			set++
		}
	}
	strange := slices.ContainsFunc(slices.Collect(maps.Keys(r.wrong)), func(key string) bool { return !slices.Contains(systemOptions, key) })
	switch {
	case set > 1 || set == 0 && !strange:
		r.complain("expected exactly one of each, batch and run, got %d", set)
	case r.wrong["on"] || r.wrong["query"]:
	case strange && (set == 0 || !has("on") && !has("query")): // it may be what is missing
	case has("on") && (!has("each") || has("query")):
		r.complain("a system with on = Event has each = function(ev, ctx) and no query")
	case !has("on") && !has("query") && !has("run"):
		r.complain("each and batch need a query")
	case has("query") && has("run"):
		r.complain("run goes without a query: use ecs.entities or ecs.count inside, or each or batch")
	case has("query") && len(s.Query.List)+len(s.Query.With)+len(s.Query.Either) == 0:
		r.complain("the query names no component")
	case s.Compiled.Mode == exec.KernelRequire && !(has("each") && has("query")):
		r.complain("kernel = \"require\" goes with each and a query")
	}
	if s.Each != nil && s.Query != nil && !r.wrong["query"] && !s.Query.Broken() {
		r.shape()
	}
}

// shape decides how the each function is called.
func (r *optionReader) shape() { r.s.Shape = r.a.shapeOf(r.s, r.complain) }

// kernel reads the option.
func (r *optionReader) kernel(v lua.LValue) {
	modes := []string{string(exec.KernelAuto), string(exec.KernelRequire), string(exec.KernelOff)}
	if s, ok := v.(lua.LString); ok && slices.Contains(modes, string(s)) {
		r.s.Compiled.Mode = exec.KernelMode(s)
		return
	}
	r.complain("kernel: expected %s, got %s", diag.Choice(modes), value.Describe(v))
}

// precision reads the option. It is about kernels alone: the VM has one
// kind of numbers.
func (r *optionReader) precision(v lua.LValue) {
	widths := []string{"f64", "f32"}
	if s, ok := v.(lua.LString); ok && slices.Contains(widths, string(s)) {
		r.s.Compiled.Single = s == "f32"
		return
	}
	r.complain("precision: expected %s, got %s", diag.Choice(widths), value.Describe(v))
}

// shapeOf decides how an each function is called. It complains about fields
// that do not exist, with the line that names them.
func (a *args) shapeOf(s *exec.System, complain func(string, ...any)) *exec.EachShape {
	terms := s.Query.Terms()
	if n := lua.Proto(s.Each).NumParameters; int(n) > len(terms)+2 && lua.Proto(s.Each).IsVarArg == 0 {
		complain("each takes %d parameters, the query gives %d: the entity, its components, ctx", n, len(terms)+2)
		return eachShape(s.Each, terms, nil)
	}
	if e := entityIndexed(a.L, s.Each, "each", eachTakes); e != nil {
		a.note(s.Own(e))
		return eachShape(s.Each, terms, nil)
	}
	text := a.textOf(s.Each)
	a.fieldNames(s, terms, text)
	return eachShape(s.Each, terms, text)
}

// fieldNames complains about fields that do not exist.
func (a *args) fieldNames(s *exec.System, terms []*decl.Component, text *facts.Each) {
	for i, p := range text.Params {
		if i == len(terms) {
			a.contextNames(s, p.Uses)
		}
		if i >= len(terms) {
			continue
		}
		for _, use := range p.Uses {
			if use.At.Line > 0 && terms[i].Schema.Field(use.Field) == nil {
				a.unknownField(s, terms[i], use.Field, use.At)
			}
		}
	}
}

// eachShape is that of a function over terms, of which the text says what it does with its
// parameters; without a text it may do anything.
func eachShape(f *lua.LFunction, terms []*decl.Component, text *facts.Each) *exec.EachShape {
	shape := &exec.EachShape{
		Function: f, Args: make([]exec.EachArg, 0, len(terms)+1), Written: make([]bool, len(terms)), Text: text,
	}
	known := text != nil && text.Params != nil
	for i, c := range terms {
		shape.Args = append(shape.Args, wholeArg(i, c))
		shape.Written[i] = !c.Tag() && (!known || i < len(text.Params) && mayWrite(c, text.Params[i]))
	}
	shape.Args = append(shape.Args, exec.EachArg{Kind: exec.ArgContext})
	return shape
}

// mayWrite reports whether a function may write a component that is one of its parameters.
func mayWrite(c *decl.Component, p facts.Param) bool {
	return p.Table || slices.ContainsFunc(p.Uses, func(use facts.Use) bool {
		f := c.Schema.Field(use.Field)
		return use.Assigned.Line > 0 || f == nil || f.Len > 0 || f.Kind == ecs.Struct
	})
}

func wholeArg(term int, c *decl.Component) exec.EachArg {
	if c.Tag() {
		return exec.EachArg{Kind: exec.ArgTag, Term: term}
	}
	return exec.EachArg{Kind: exec.ArgRow, Term: term}
}

func (a *args) unknownField(s *exec.System, c *decl.Component, name string, at diag.Place) {
	e := value.NoField(a.L, c.Schema, name)
	switch {
	case slices.Contains(exec.ContextFields, name):
		e = value.UnknownField(c.Schema, name, ": "+eachTakes)
	case c.Tag():
		e.Message += "; the query lists it, so it takes a parameter; tags that need none go into with = { }"
	}
	a.note(s.Own(e.On(at)))
}

// contextNames complains about what ctx does not have, and about assignments to it.
func (a *args) contextNames(s *exec.System, uses []facts.Use) {
	for _, use := range uses {
		var e *diag.Error
		switch name := use.Field; {
		case use.Assigned.Line > 0:
			e = exec.ContextFixed(lua.LString(name)).On(use.Assigned)
		case use.At.Line > 0 && !slices.Contains(exec.ContextFields, name):
			e = exec.ContextLacks(name).On(use.At)
		default:
			continue
		}
		a.note(s.Own(e))
	}
}

// The first parameter of an each function, and of an observer, is the entity. Whoever
// forgets it asks a number for a field, and nothing in "attempt to index a number
// value" says so. Where every call comes there, before anything that it decides, the text
// alone shows it, and so it is reported at the load. After a branch it is not: a function
// that has other callers, too, may have asked what it got.

// eachTakes, observerGets and notifiedOf say what such functions get.
const (
	eachTakes    = "each takes the entity, then the query's components in order, also the optional ones, then ctx"
	observerGets = "it takes the entity, then the fields, then ctx"
	notifiedOf   = "it takes the entity, then ctx"
)

// entityIndexed finds where a function asks its first parameter for a field before it
// branches for the first time, and says what is wrong with it. whose is what the function
// is called, takes what it gets.
func entityIndexed(L *lua.LState, f *lua.LFunction, whose, takes string) *diag.Error {
	p := lua.Proto(f)
	if p.NumParameters == 0 || len(p.DbgLocals) == 0 {
		return nil
	}
	pc, key := bytecode.Indexed(p, 0)
	if pc < 0 {
		return nil
	}
	has := "and has no fields"
	if name, ok := key.(lua.LString); ok {
		has = diag.Format("which has no field %q", string(name))
	}
	return diag.New("the first parameter of %s, %q, is the entity, a number, %s: %s", whose, p.DbgLocals[0].Name, has, takes).On(fault.Instruction(L, p, pc))
}

// textOf returns what the text says of a function over rows.
func (m *core) textOf(fn *lua.LFunction) *facts.Each {
	if m.opts.Source != nil && fn != nil {
		if known := m.opts.Source.Each(lua.Proto(fn)); known != nil {
			return known
		}
	}
	return &facts.Each{}
}

// optionPlaces returns the places of the options of the table with which the running
// call declares a system.
func (a *args) optionPlaces(t *lua.LTable) map[string]facts.OptionPlace {
	if a.opts.Source == nil {
		return nil
	}
	var functions []*lua.FunctionProto
	for _, key := range []string{"each", "batch", "run"} {
		if fn, ok := t.RawGetString(key).(*lua.LFunction); ok && !lua.IsGo(fn) {
			functions = append(functions, lua.Proto(fn))
		}
	}
	caller, pc := frame(a.L, 1)
	return a.opts.Source.Options(caller, pc, functions)
}

// frame returns the function of a level of the stack, and the instruction at which it
// is; nil when that is no function of a script.
func frame(L *lua.LState, level int) (*lua.FunctionProto, int) {
	if f := lua.Running(L).Outside(level); f != nil && !lua.IsGo(f.Fn) {
		return lua.Proto(f.Fn), f.At()
	}
	return nil, 0
}

// keepQuery counts what the query of a system lists, and the code that its each
// function may become.
func (a *args) keepQuery(s *exec.System) {
	q := s.Query
	if q == nil {
		return
	}
	if s.Each != nil && s.Compiled.Mode != exec.KernelOff {
		a.keep(decl.PerKernel)
	}
	n := len(q.List)
	for _, list := range q.Parts() {
		n += len(*list)
	}
	a.keep(decl.PerTerm * int64(n))
}
