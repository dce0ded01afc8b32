package bindings

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// declared is how much a file has declared.
//
// Bytes are those of a model, the same on every machine: what a declaration is
// given, names and default values among it, and a prefab as it is when it is
// spawned. A prefab that lists another one twice is twice as large, although the
// two share memory until then: what doubles sixty times must end before.
type declared struct {
	count int
	bytes int64
}

// again notes that something of a kind has a name, and reports whether there was one
// before.
func (s *Declarations) again(kind, name string) bool {
	if s.named == nil {
		s.named = map[string]int{}
	}
	s.named[kind+" "+name]++
	return s.named[kind+" "+name] > 1
}

// first notes where something of a kind has got a name, and returns the place of the one
// before it that has the same.
func (s *Declarations) first(kind, name string, at diag.Place) (first diag.Place, taken bool) {
	if s.firsts == nil {
		s.firsts = map[string]diag.Place{}
	}
	first, taken = s.firsts[kind+" "+name]
	if !taken {
		s.firsts[kind+" "+name] = at
	}
	return first, taken
}

// mostTogether is how many problems of one kind are told that scripts have with each other, or with the world: a step
// waits until they are written.
const mostTogether = 100

// setOf returns names as a set.
func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// Declarations are what one file declared.
type Declarations struct {
	Name       string
	Components []*decl.Component
	Systems    []*exec.System
	Problems   []*diag.Error // faults of declarations that did not end the file
	Ended      bool          // the top level ran to its end, so that what functions capture is there

	events     []*decl.Event
	prefabs    []*decl.Prefab
	observers  []*observer
	kernels    []*callable
	handlers   []*handler
	starts     []start
	reactions  []*reaction
	uses       []string // "component name" and "event name"
	onUnload   *swapHook
	onReload   []*swapHook
	onSave     *swapHook
	onLoad     *swapHook
	states     []stateDefaults
	stateNames []string
	drops      []dropping

	dropsHandover bool // the version before may hand over nothing
	begun         []*unfinished
	declared      declared
	invariants    int                   // how many
	places        map[string]diag.Place // see Place; nil until it is asked for
	named         map[string]int        // how often a kind of name was given, with its kind; nil after Declare
	firsts        map[string]diag.Place // where it was given first, of those that nothing else may have; likewise
}

// Declares names all that the script has declared, with its kind.
func (s *Declarations) Declares() map[string]bool {
	names := map[string]bool{}
	for _, sys := range s.Systems {
		names["system "+sys.Name] = true
	}
	for _, k := range s.kernels {
		names["kernel "+k.Name] = true
	}
	for _, h := range s.handlers {
		names["handler "+h.name] = true
	}
	for _, c := range s.Components {
		names["component "+c.Name] = true
	}
	for _, e := range s.events {
		names["event "+e.Name] = true
	}
	for _, p := range s.prefabs {
		names["prefab "+p.Name] = true
	}
	for _, name := range s.stateNames {
		names["state "+name] = true
	}
	return names
}

// StartsFrom returns the lines of the on_start functions from a number on, in the order in which they run.
func (s *Declarations) StartsFrom(n int) (lines []int) {
	for _, start := range s.starts[min(n, len(s.starts)):] {
		lines = append(lines, start.at.Line)
	}
	return lines
}

// Starts reports whether the script has on_start functions.
func (s *Declarations) Starts() bool { return len(s.starts) > 0 }

// staging is what the files of one load have declared so far: files that load
// later see it, the world does not.
type staging struct {
	renamed map[string]*decl.Component // by the name that they say they had
	states  map[string]*lua.LTable
	wrote   tx.StateWrites // into state tables that were there
	kernels []rows.Kernel  // made by Check, nobody's until Commit
	bytes   int64          // that the files of this load have declared
}

// toldOf reports whether the script has a problem in the line of another one, which then
// comes of it.
func (s *Declarations) toldOf(e *diag.Error) bool {
	return slices.ContainsFunc(s.Problems, func(p *diag.Error) bool { return p.Line == e.Line && p.Script == e.Script })
}

// handlerNames lists the handlers that scripts declare, and systemNames their systems.
func handlerNames(scripts []*Declarations) []string {
	return listed(scripts, func(s *Declarations) []*handler { return s.handlers }, func(h *handler) string { return h.name })
}

func systemNames(scripts []*Declarations) []string {
	return listed(scripts, func(s *Declarations) []*exec.System { return s.Systems }, func(sys *exec.System) string { return sys.Name })
}

// listed names what each of some scripts has of a kind.
func listed[T any](scripts []*Declarations, of func(*Declarations) []T, name func(T) string) (names []string) {
	for _, s := range scripts {
		for _, x := range of(s) {
			names = append(names, name(x))
		}
	}
	return names
}

// unfinished is a system of which only the name was given so far.
type unfinished struct {
	system string
	at     diag.Place
	done   bool
}

// noTables complains about systems that never got their table.
func (s *Declarations) noTables() {
	for _, u := range s.begun {
		if !u.done {
			s.Problems = append(s.Problems, diag.New("system %q has no table: write ecs.system %q { … }", u.system, u.system).On(u.at))
		}
	}
	s.begun = nil
}

// start is an ecs.on_start function.
type start struct {
	at diag.Place
	fn *lua.LFunction
}

// Place returns where a system or an observer of the script is declared: the world
// knows its name alone. Call it once the script has declared all. O(1) but for the first call: thousands of systems
// may fail in a tick.
func (s *Declarations) Place(name string) (at diag.Place, ok bool) {
	if s.places == nil {
		s.places = make(map[string]diag.Place, len(s.Systems)+len(s.observers))
		for _, o := range s.observers {
			s.places[o.name] = o.at
		}
		for _, sys := range s.Systems {
			s.places[sys.Name] = sys.Place
		}
	}
	at, ok = s.places[name]
	return at, ok
}

// reaction is an ecs.on_error function. One that has failed is not called again
// until its script is loaded anew: a fault in what deals with faults must not
// make more of them.
type reaction struct {
	script  string
	at      diag.Place
	fn      *lua.LFunction
	context exec.Context
	failed  bool
}

// swapHook is a function that runs when a version of its script ends (ecs.on_unload), when
// one has taken the place of another (ecs.on_reload), or when what scripts keep is captured or
// restored (ecs.on_save, ecs.on_load).
type swapHook struct {
	fn      *lua.LFunction
	at      diag.Place
	context exec.Context
}

// observer is ecs.on_add and its kin as a script declared it.
type observer struct {
	name    string
	called  string // the author's name for it, else what it waits for
	at      diag.Place
	on      ecs.Trigger
	comp    *decl.Component // nil for spawn and despawn
	fn      *lua.LFunction
	row     *exec.RowTable
	context exec.Context
}

// callable is ecs.kernel([name,] query, fn [, options]): an each function that no
// schedule runs. Functions of scripts call it as often as they like, and hosts
// run it by its name. It is compiled as the each of a system is, and rows that
// fail are undone and their entities parked as there.
//
// A callable can run from the commit of its script until that script is loaded
// anew or goes: then run is nil, and whoever has kept the value is told so. It
// runs one call at a time.
//
// Invariant: what it writes is undone with the call that it is part of, since
// the columns are kept in that call.
type callable struct {
	*exec.System                  // with a query and an each function; the schedule does not have it
	run          *exec.EachRunner // nil: not yet, or no longer
	thread       *lua.LState      // for the next call; nil: none is good
	running      bool
	title        string // of calls by the host
}

func (k *callable) Describe() string { return fmt.Sprintf("the kernel %q", k.Name) }

// Use says what the kernel is for.
func (k *callable) Use() string { return "it is called with a batch" }

// Kernels lists what the script has declared with ecs.kernel.
func (s *Declarations) Kernels() []*exec.System {
	var list []*exec.System
	for _, k := range s.kernels {
		list = append(list, k.System)
	}
	return list
}

// handler is a function that timers find by name, so that they survive a
// reload of its script.
type handler struct {
	name    string
	at      diag.Place
	fn      *lua.LFunction
	context exec.Context
}

// dropping is one ecs.drop.
type dropping struct {
	name string
	at   diag.Place
}

// stateDefaults are keys to be added to a state table when a load is accepted.
type stateDefaults struct {
	table, defaults *lua.LTable
	name            string
	at              diag.Place
}

// OnUnload returns the on_unload function of the script, nil for none.
func (s *Declarations) OnUnload() *lua.LFunction {
	if s.onUnload == nil {
		return nil
	}
	return s.onUnload.fn
}

// DropsHandover reports whether the script says that what the version before would hand over may be lost
// if its on_unload fails.
func (s *Declarations) DropsHandover() bool { return s.dropsHandover }

// TakesHandover reports whether the script has on_reload functions.
func (s *Declarations) TakesHandover() bool { return len(s.onReload) > 0 }

// Functions yields the functions that the script has declared. O(declarations).
func (s *Declarations) Functions(yield func(fn *lua.LFunction)) {
	s.functions(func(_, _ string, fn *lua.LFunction) { yield(fn) })
}

// functions visits the functions that the script has declared: what each belongs to, and the name of that, if it has one.
func (s *Declarations) functions(see func(of, name string, fn *lua.LFunction)) {
	visit := func(of, name string, functions ...*lua.LFunction) {
		for _, fn := range functions {
			if fn != nil {
				see(of, name, fn)
			}
		}
	}
	for _, sys := range s.Systems {
		visit("system", sys.Name, sys.Each, sys.Batch, sys.Run, sys.When)
	}
	for _, k := range s.kernels {
		visit("kernel", k.Name, k.Each)
	}
	for _, o := range s.observers {
		visit("the observer", o.name, o.fn)
	}
	for _, r := range s.reactions {
		visit("on_error", "", r.fn)
	}
	for _, h := range s.handlers {
		visit("handler", h.name, h.fn)
	}
	if s.onUnload != nil {
		visit("on_unload", "", s.onUnload.fn)
	}
	for _, x := range s.onReload {
		visit("on_reload", "", x.fn)
	}
	for name, hook := range map[string]*swapHook{"on_save": s.onSave, "on_load": s.onLoad} {
		if hook != nil {
			visit(name, "", hook.fn)
		}
	}
	for _, x := range s.starts {
		visit("on_start", "", x.fn)
	}
}
