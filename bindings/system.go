package bindings

import (
	"cmp"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
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
		inner := &args{a.core, L, "system"}
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
	proxy.Pairs(t, func(k, v lua.LValue) {
		key := k.String()
		r.at, r.key = cmp.Or(places[key].Value, s.Place), cmp.Or(places[key].Key, s.Place)
		r.option(key, v)
	})
	for _, key := range holes.Keys(t) {
		r.at = cmp.Or(places[key].Key, s.Place)
		complain("%s", holes.Key(a.L, key))
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
}

// complain notes a fault of the option at hand.
func (r *optionReader) complain(format string, v ...any) {
	e := r.s.Own(diag.New(format, v...).On(r.at))
	r.a.note(e)
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
			s.Query = parseQuery(r.a.L, t, r.complain)
		} else {
			r.complain("query: expected a table of components, got %s", value.Describe(v))
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
		if i := holes.First(v); i > 0 {
			r.complain("%s", holes.Item(r.a.L, key, i))
		}
		proxy.Pairs(v, func(_, item lua.LValue) {
			if s, ok := item.(lua.LString); ok {
				names = append(names, string(s))
				return
			}
			r.complain("%s: expected the name of a system, got %s", key, value.Describe(item))
		})
		return names
	}
	r.complain("%s: expected a list of system names, got %s", key, value.Describe(v))
	return nil
}

func (r *optionReader) on(v lua.LValue) {
	if ud, ok := v.(*lua.LUserData); ok {
		if ev, ok := ud.Value.(*decl.Event); ok {
			r.s.On = ev
			return
		}
	}
	r.complain("on: expected an event, got %s", value.Describe(v))
}

func (r *optionReader) function(key string, v lua.LValue) *lua.LFunction {
	f, ok := v.(*lua.LFunction)
	if !ok || f.IsG {
		r.complain("%s: expected %s, got %s", key, functionFor(v), value.Describe(v))
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
	switch {
	case set != 1:
		r.complain("expected exactly one of each, batch and run, got %d", set)
	case r.wrong["on"] || r.wrong["query"]:
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
	r.complain("kernel: expected one of %q, got %s", modes, value.Describe(v))
}

// precision reads the option. It is about kernels alone: the VM has one
// kind of numbers.
func (r *optionReader) precision(v lua.LValue) {
	widths := []string{"f64", "f32"}
	if s, ok := v.(lua.LString); ok && slices.Contains(widths, string(s)) {
		r.s.Compiled.Single = s == "f32"
		return
	}
	r.complain("precision: expected one of %q, got %s", widths, value.Describe(v))
}
