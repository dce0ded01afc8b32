package scripting

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/scripting/internal/data"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// interpreter is a Lua state with everything that a script finds in it. A host has one, in
// which the scripts live. Each dry run has one of its own, and shares only texts and
// prototypes with the host: these never change.
type interpreter struct {
	limits  *Limits
	state   *lua.LState
	library *library
	binding *bindings.Binding
	limiter *limiter
	exposed map[string]lua.LValue // by the host program
	memory  func() kernel.Memory  // of the world

	live    map[string]*module
	untaken map[string]bindings.Handover // by script: what is to be handed over again
	// unloaded is what on_save had returned at the capture that was restored last, by script, and no on_load
	// has taken: the script has no such function now, or is gone.
	unloaded map[string]lua.LValue
	loader   *loader // of the load that is going on
	trial    *loader // of the load that is being checked

	dataFiles  map[string]*source         // that live scripts have asked for
	tables     map[*data.File]*dataTables // made of these
	dataFolder dataFolder                 // where the others are
	offered    map[string]*source         // data files that a dry run has read for the load that follows

	old     prototypes
	console *Console // nil: it is of a dry run

	compiling    *kernel.CompileBudget // of the load that is going on
	translations *kernel.Translations  // of a Program; nil: there is none
	tried        *kernel.Tried         // of the dry run whose set is being taken over, or that this is; nil: there is none

	heldWatch heldWatch
	boxed     lua.Numbers                                                                 // that kernels write into captured values
	stateRead bool                                                                        // by the translation of a kernel
	log       func(level slog.Level, payer string, at diag.Place, text string, bytes int) // nil: nowhere
	vectors   int                                                                         // for tests that compare; see vector.New
	growing   bool                                                                        // for tests that compare; see kernel.Signature
	onCapture func(name string)                                                           // for tests of faults: the compiler calls it for each local that a function captures; may be nil
}

// newInterpreter makes a state and its limiter. furnish adds the library.
func newInterpreter(limits *Limits) *interpreter {
	vm := &interpreter{
		limits: limits, state: newState(limits), limiter: newLimiter(*limits), exposed: map[string]lua.LValue{},
		live: map[string]*module{}, untaken: map[string]bindings.Handover{}, unloaded: map[string]lua.LValue{},
		dataFiles: map[string]*source{}, tables: map[*data.File]*dataTables{},
	}
	vm.heldWatch = newHeldWatch(limits)
	vm.limiter.gauge, vm.limiter.count = newHeapGauge(limits), vm.count
	if most := limits.mostHeld(); most > 0 {
		vm.limiter.budget.Weigh, vm.limiter.budget.First = vm.countMade, most/2
	}
	return vm
}

// furnish puts the library into the state. clock returns the time of the simulation.
func (vm *interpreter) furnish(binding *bindings.Binding, clock func() float64) {
	vm.binding = binding
	vm.library = newLibrary(vm.state, libraryOptions{
		Print:    func(L *lua.LState, text string, bytes int) { binding.Log(L, slog.LevelInfo, text, bytes) },
		MaxPrint: diag.LongestLog, Clock: clock, Random: binding,
		MaxCoroutines: vm.limits.Coroutines, CollectSteps: collectSteps(vm.limits), MaxNesting: vm.limits.Nesting, MaxCallbacks: vm.limits.Callbacks, MaxTable: vm.limits.Table,
	})
	vm.limiter.serve(vm.library)
	binding.Number(vm.library)
	fault.Serve(vm.state, vm.texts())
}

// texts is what the texts of the loaded scripts say.
func (vm *interpreter) texts() texts { return texts{vm.program, &vm.old} }

// options are the options of the binding that are the same in a host and in a dry run.
func (vm *interpreter) options() bindings.Options {
	return bindings.Options{
		Source: vm.texts(),
		Budget: vm.limiter,
		Output: scriptLog{vm},
		Data:   vm.readData,
		Limits: bindings.Limits{
			Commands: vm.limits.Commands, TickCommands: vm.limits.TickCommands,
			Spawned: vm.limits.Spawned, TickSpawned: vm.limits.TickSpawned,
			Timers: vm.limits.Timers, EventBytes: vm.limits.EventBytes, FieldText: vm.limits.FieldText, FieldTexts: vm.limits.FieldTexts, CommandBytes: vm.limits.CommandBytes, TickCommandBytes: vm.limits.TickCommandBytes,
			Saved: vm.limits.Saved, Converted: vm.limits.Converted,
			Archetypes: vm.limits.Archetypes, ArchetypesTotal: vm.limits.ArchetypesTotal,
			Declarations: vm.limits.Declarations, Declared: vm.limits.Declared, DeclaredTotal: vm.limits.DeclaredTotal, Systems: vm.limits.Systems,
		},
	}
}

// scriptLog is where the log of an interpreter's scripts goes: in a dry run nowhere.
type scriptLog struct{ vm *interpreter }

// Log implements bindings.Output.
func (o scriptLog) Log(level slog.Level, payer string, at diag.Place, text string, bytes int) {
	if payer == consoleName {
		o.vm.console.say(level, at, text, bytes)
	}
	if o.vm.log != nil {
		o.vm.log(level, payer, at, text, bytes)
	}
}

// Text implements bindings.Output.
func (o scriptLog) Text(L *lua.LState, v lua.LValue) string { return o.vm.library.Text(L, v) }

// Place implements bindings.Output.
func (o scriptLog) Place(L *lua.LState) diag.Place { return o.vm.library.Place(L) }

// environment makes the globals of one script. Reading a name that was never
// set is an error: it is a typing mistake far more often than a question.
func (vm *interpreter) environment(script *module) *lua.LTable {
	env := vm.library.Env()
	var api, host *lua.LTable
	env.RawSetString("require", vm.state.NewFunction(func(L *lua.LState) int {
		name := moduleName(L)
		switch name {
		case "ecs":
			if api == nil {
				api = vm.binding.Table(L)
			}
			L.Push(api)
		case "host":
			if host == nil {
				host = vm.hostTable(L)
			}
			L.Push(host)
		default:
			L.Push(vm.require(L, script, name))
		}
		return 1
	}))
	refuseUnknown(vm.state, env, func() *program { return script.program }, nil)
	return env
}

// longestModule is how many bytes a name has at most that require looks for: no file has a
// longer one.
const longestModule = 1 << 10

// moduleName reads the argument of require.
func moduleName(L *lua.LState) string {
	name, ok := L.Get(1).(lua.LString)
	if !ok {
		fault.RaiseAt(L, fault.Argument(1), "require: argument 1: expected a string, got %s", fault.Kind(L.Get(1)))
	}
	return string(name[:min(len(name), longestModule)])
}

// refuseUnknown makes it an error to read a global that was never set, and says
// which name of the script's text was meant. Without known there are no names but the globals.
func refuseUnknown(L *lua.LState, env *lua.LTable, text func() *program, known *knownNames) {
	meta := L.NewTable()
	meta.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		name, p := fault.Written(L.Get(2)), text()
		if v := known.find(L, name); v != nil {
			L.Push(v)
			return 1
		}
		charge(L, len(p.text.Bytes())/4) // to look for what it could mean
		here := fault.Here(L)
		at := syntax.At(here.Line, here.Column)
		tree := p.learned().Tree
		hint := howToGet(tree, name, at)
		if hint == "" {
			var visible []string
			if len(p.text.Bytes()) <= longestSearched {
				visible = tree.Visible(at)
			}
			hint = unknownName(name, suggestion(L, name, names(env, append(visible, known.all()...))))
		}
		fault.Raisef(L, "unknown name %q%s", diag.Cut(name), hint)
		return 0
	}))
	lua.SetMetatable(env, meta)
}

// knownNames are names that are globals without being set. Nil has none.
type knownNames struct {
	value func(L *lua.LState, name string) lua.LValue // nil for no such name
	list  func() []string
}

func (k *knownNames) find(L *lua.LState, name string) lua.LValue {
	if k == nil {
		return nil
	}
	return k.value(L, name)
}

func (k *knownNames) all() []string {
	if k == nil {
		return nil
	}
	return k.list()
}

// longestSearched is how many bytes a text has at most in which an error of a tick looks for the locals that may be meant: that
// takes four milliseconds. For longer ones it looks among the globals.
const longestSearched = 64 << 10

// howToGet says how a script gets what it means by a name that is unknown at a place: one of
// the host's tables, ctx, or what the text declares further down; "" for any other name.
func howToGet(text *syntax.Tree, name string, at syntax.Pos) string {
	switch name {
	case "ecs", "host":
		return fmt.Sprintf(": begin the file with local %s = require %q", name, name)
	case "ctx":
		return ": the functions of systems, observers and handlers get ctx as their last parameter, so name it there"
	}
	if line := text.DeclaredAfter(name, at); line > 0 {
		return fmt.Sprintf(": line %d declares it, and only what stands after that knows it; move it up", line)
	}
	return ""
}

// suggestion is [diag.DidYouMean], charged to the script, which could catch the error and
// ask again without end.
func suggestion(L *lua.LState, name string, names []string) string {
	charge(L, diag.StepsToSuggest(name, names))
	return diag.DidYouMean(name, names)
}

// names lists what a script could have meant: the names that are visible, and its globals.
func names(env *lua.LTable, visible []string) []string {
	if lua.Entries(env) > mostGuessed {
		return visible
	}
	env.ForEach(func(k, _ lua.LValue) {
		if name, ok := k.(lua.LString); ok {
			visible = append(visible, string(name))
		}
	})
	return visible
}

// mostGuessed is how many globals there are at most for one of them to be what was meant.
const mostGuessed = 10_000

// collectSteps is what a run of the collector counts as, of which a call should not
// pay for more than some.
func collectSteps(l *Limits) int {
	if l.Instructions <= 0 {
		return 0
	}
	return int(min(l.Instructions/10, 5_000_000))
}

// hostTable makes a script's own table of the values that the host has exposed. It is a
// proxy, so that no function which gets it can change it.
func (vm *interpreter) hostTable(L *lua.LState) *lua.LTable {
	t := L.CreateTable(0, len(vm.exposed))
	names := slices.Sorted(maps.Keys(vm.exposed))
	for _, name := range names {
		t.RawSetString(name, vm.exposed[name])
	}
	meta := L.NewTable()
	meta.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		name := fault.Written(L.Get(2))
		fault.Raisef(L, "the host exposes no %q%s", diag.Cut(name), suggestion(L, name, names))
		return 0
	}))
	lua.SetMetatable(t, meta)
	fixed := L.NewFunction(func(L *lua.LState) int {
		fault.Raise(L, vm.fixedField("host", fault.Written(L.Get(2))))
		return 0
	})
	return lua.Empty(proxy.Meta(L, t, t, fixed, L.NewFunction(proxy.Length)))
}
