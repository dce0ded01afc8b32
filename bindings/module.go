package bindings

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"unsafe"
	"weak"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Options say where a module's output goes. The zero value is useful.
type Options struct {
	// Log gets what scripts log: the script for which it happens, whose system runs,
	// and the script and line of the call. Nil means that it is thrown away.
	Log func(level slog.Level, payer, script string, line int, text string)
	// Text says how a value is logged, as tostring does. Nil means as gopher-lua does it.
	Text func(L *lua.LState, v lua.LValue) string
	// Place finds the innermost script and line. Nil means of the running thread only.
	Place func(L *lua.LState) (script string, line int)
	// Source is what is known of the texts of scripts. Nil means that nothing is.
	Source Source
	// Budget bounds what each call into a script may use. Nil means that nothing does.
	Budget tx.Budget
	// Compile makes the kernel of an each function, or says why there is none.
	// Nil means that there are no kernels.
	Compile func(exec.KernelSource) (rows.Kernel, *diag.Error)
	// Evaluator prepares a function that takes so many results to be run in another way
	// than by the VM, or returns nil. Nil means that the machine runs all.
	Evaluator func(fn *lua.LFunction, results int) vm.Evaluator
	// Limits bound what scripts record.
	Limits tx.Limits
	// Unsure is told, in a rehearsal, that a top level asks for something that only
	// the running game can answer; see [NewRehearsal].
	Unsure func()
}

// Module is the API of one world in one Lua state.
type Module struct {
	world *ecs.World // nil in a rehearsal
	main  *lua.LState
	opts  Options
	tag   uint8

	components map[string]*decl.Component // committed, by name
	events     map[string]*decl.Event
	readers    map[readerKey]*ecs.Reader
	queries    map[string]*ecs.Query // those of builtins, by what they ask for
	states     map[string]*lua.LTable
	defaults   map[string][]stateDefaults // in force, by the name of the table
	doubted    map[string]bool            // what Doubts has told
	doubts     []string
	handlers   map[string]*handler
	observing  map[string]bool // observers that are in force, by name
	kernels    map[string]*callable
	functions  []offer // of the ecs table, by name
	types      metatables

	script  *Script           // being declared, nil otherwise
	staged  *staging          // names that this load has declared so far
	tx      *tx.Runner        // of the calls into scripts
	exec    *exec.Executor    // of functions over rows
	parts   map[place]*nested // of resources, that the running call has read
	fence   *fence
	catalog *rehearsed // in a rehearsal only

	issued       map[string][]weak.Pointer[decl.Component] // that scripts may hold, by name
	issuedEvents map[string][]weak.Pointer[decl.Event]
	notes        []string        // see Notes
	dropped      map[string]bool // names that ecs.drop has named so far
	reactions    []*reaction
}

type readerKey struct {
	system string
	event  ecs.EventID
}

// New makes the API of a world for a state. The module sets nothing global.
func New(w *ecs.World, L *lua.LState, opts Options) *Module {
	m := newModule(L, opts)
	m.world, m.tx.World, m.exec.World, m.tag = w, w, w, w.Raw().Tag()
	m.exec.ScriptError = ecs.Register[exec.ScriptError](w, ecs.Named("ScriptError"))
	return m
}

func newModule(L *lua.LState, opts Options) *Module {
	m := &Module{
		main: L, opts: opts, tx: &tx.Runner{},
		components: map[string]*decl.Component{}, events: map[string]*decl.Event{},
		readers: map[readerKey]*ecs.Reader{}, parts: map[place]*nested{}, queries: map[string]*ecs.Query{}, states: map[string]*lua.LTable{}, defaults: map[string][]stateDefaults{}, doubted: map[string]bool{},
		issued: map[string][]weak.Pointer[decl.Component]{}, issuedEvents: map[string][]weak.Pointer[decl.Event]{},
		handlers: map[string]*handler{}, observing: map[string]bool{}, kernels: map[string]*callable{},
	}
	m.tx.Main, m.tx.Budget, m.tx.Limits = L, opts.Budget, &m.opts.Limits
	m.exec = &exec.Executor{
		Tx: m.tx, Main: L, Prepare: opts.Evaluator, Boxer: vm.NewBoxer(), Updates: map[*decl.Component][]*exec.Updated{},
	}
	m.fence = newFence(m)
	m.makeTypes(L)
	m.exec.BatchType, m.exec.ContextType, m.exec.Length = m.types.batch, m.types.context, m.types.stateLen
	m.functions = m.builtins(L)
	m.tx.NewThread()
	return m
}

// offer is one of the ecs table. Scripts share them: none can change one.
type offer struct {
	name  string
	value *lua.LFunction
}

// builtins lists the functions of the ecs table.
func (m *Module) builtins(L *lua.LState) []offer {
	var all []offer
	changes := m.changeFunctions()
	for name, fn := range changes {
		changes[name] = func(a *args) int {
			n := fn(a)
			a.spendSets()
			return n
		}
	}
	for _, group := range []map[string]func(*args) int{
		m.declareFunctions(), changes, m.lookupFunctions(),
		m.timeFunctions(), m.logFunctions(),
	} {
		for name, fn := range group {
			f := forms[name]
			call := func(L *lua.LState) int {
				a := m.called(L, name)
				a.atMost(&f)
				return fn(a)
			}
			all = append(all, offer{name, L.NewClosure(call, wrap(builtin(name), nil))})
		}
	}
	for _, k := range kindNames {
		all = append(all, offer{k.String(), L.NewFunction(m.fieldOf(k))})
	}
	slices.SortFunc(all, func(a, b offer) int { return cmp.Compare(a.name, b.name) })
	return all
}

// Table returns a fresh ecs table: each script has its own, so that none can
// change what another sees.
func (m *Module) Table(L *lua.LState) *lua.LTable {
	t := L.CreateTable(0, len(m.functions))
	for _, f := range m.functions {
		t.RawSetString(f.name, f.value)
	}
	t.Metatable = m.types.api
	return t
}

// unknownFunction answers for names that the ecs table does not have.
func (m *Module) unknownFunction(L *lua.LState) int {
	var names []string
	for _, f := range m.functions {
		names = append(names, f.name)
	}
	fault.Raise(L, Lacks(L.Get(2).String(), names))
	return 0
}

// Running returns the tick of the call that is running, nil when there is none.
func (m *Module) Running() *ecs.Tick {
	if m.tx.Call == nil {
		return nil
	}
	return m.tx.Call.Tick
}

// World returns the world behind the module.
func (m *Module) World() *ecs.World { return m.world }

// Uint64 draws from the generator of the running system, or of the world when
// none runs. It makes the module the source of math.random.
func (m *Module) Uint64() uint64 {
	if m.tx.Call != nil {
		return m.tx.Call.Tick.Random().Uint64()
	}
	if m.catalog != nil {
		return m.catalog.random.Uint64()
	}
	return m.world.Random().Uint64()
}

// metatables of the values that scripts hold.
type metatables struct {
	component, value, event, eventValue, prefab, kernel, batch, column, resource, field, context, api *lua.LTable
	stateWrite, stateLen                                                                              *lua.LFunction // of all state tables
	partWrite                                                                                         *lua.LFunction // of all tables of resources
}

func (m *Module) makeTypes(L *lua.LState) {
	m.types = metatables{
		component:  exec.NewMetatable(L, map[string]lua.LGFunction{"__call": m.callComponent}),
		value:      exec.NewMetatable(L, nil),
		event:      exec.NewMetatable(L, map[string]lua.LGFunction{"__call": m.callEvent}),
		eventValue: exec.NewMetatable(L, nil),
		prefab:     exec.NewMetatable(L, nil),
		kernel:     exec.NewMetatable(L, map[string]lua.LGFunction{"__call": m.callKernel}),
		field:      exec.NewMetatable(L, nil),
		column:     m.columnType(L),
		batch:      exec.NewMetatable(L, map[string]lua.LGFunction{"__index": m.batchIndex}),
		resource:   exec.NewMetatable(L, map[string]lua.LGFunction{"__index": m.resourceIndex, "__newindex": m.resourceSet}),
		api:        exec.NewMetatable(L, map[string]lua.LGFunction{"__index": m.unknownFunction}),
		context:    exec.NewMetatable(L, map[string]lua.LGFunction{"__index": exec.ContextIndex}),
		stateWrite: L.NewFunction(m.stateWrite),
		stateLen:   L.NewFunction(m.stateLen),
		partWrite:  L.NewFunction(m.partWrite),
	}
	m.closeTypes(L)
}

// closeTypes has the metatables of userdata answer for names that a value does not
// have. The machine would put the whole name into the message, however long it is.
func (m *Module) closeTypes(L *lua.LState) {
	refuse := L.NewFunction(func(L *lua.LState) int {
		fault.Raisef(L, "%s has no %q that a script can reach: ecs.get and each give the fields of an entity", value.Describe(L.Get(1)), diag.Cut(L.Get(2).String()))
		return 0
	})
	t := &m.types
	for _, meta := range []*lua.LTable{t.component, t.value, t.event, t.eventValue, t.prefab, t.kernel, t.field, t.column, t.resource} {
		for _, name := range []string{"__index", "__newindex"} {
			if meta.RawGetString(name) == lua.LNil {
				meta.RawSetString(name, refuse)
			}
		}
	}
}

// wrap makes the userdata that stands for a Go value in Lua.
func wrap(v any, meta *lua.LTable) *lua.LUserData {
	return &lua.LUserData{Value: v, Metatable: meta}
}

// Settle gives entities that have failed their ScriptError, and takes it from those that
// have not, or are free again. Call it between two ticks.
func (m *Module) Settle() { m.exec.Settle() }

// Faults returns what has failed since the last call without ending a system's run: the
// errors of entities, in order.
func (m *Module) Faults() []*diag.Error { return m.exec.Faults() }

// Number makes a Lua number, as lua.LNumber does, with less garbage.
func (m *Module) Number(v float64) lua.LValue { return m.exec.Boxed.Number(v) }

// Root is a value by which a script holds others, and its name for messages.
type Root struct {
	Name  string
	Value lua.LValue
}

// Roots lists the values by which a script holds others, beside its globals: the
// functions that it has declared, its state tables, and the data of timers that
// wait for its handlers. O(declarations + timers that wait).
func (m *Module) Roots(s *Script) []Root {
	var all []Root
	add := func(name string, functions ...*lua.LFunction) {
		for _, fn := range functions {
			if fn != nil {
				all = append(all, Root{name, fn})
			}
		}
	}
	for _, name := range s.stateNames {
		t := m.states[name]
		if t == nil && m.staged != nil {
			t = m.staged.states[name]
		}
		if t != nil {
			all = append(all, Root{fmt.Sprintf("the state %q", name), t})
		}
	}
	for _, sys := range s.Systems {
		add(fmt.Sprintf("the variables of system %q", sys.Name), sys.Each, sys.Batch, sys.Run, sys.When)
	}
	for _, k := range s.kernels {
		add(fmt.Sprintf("the variables of kernel %q", k.Name), k.Each)
	}
	for _, o := range s.observers {
		add(fmt.Sprintf("the variables of the observer %q", o.name), o.fn)
	}
	for _, r := range s.reactions {
		add("the variables of on_error", r.fn)
	}
	for _, h := range s.handlers {
		add(fmt.Sprintf("the variables of handler %q", h.name), h.fn)
	}
	if s.onUnload != nil {
		add("the variables of on_unload", s.onUnload.fn)
	}
	for _, x := range s.starts {
		add("the variables of on_start", x.fn)
	}
	for _, t := range m.tx.Timers.Queue {
		if h := m.handlers[t.Handler]; h != nil && h.script == s.Name && t.Data != nil && t.Data != lua.LNil {
			all = append(all, Root{fmt.Sprintf("the data of timers for %q", t.Handler), t.Data})
		}
	}
	return all
}

// Declaring returns the script whose top level is running; nil when there is no such script.
func (m *Module) Declaring() *Script { return m.script }

// Thread returns the thread on which calls into scripts run.
func (m *Module) Thread() *lua.LState { return m.tx.Thread }

// Weigh returns how many bytes a value of the API takes beside its userdata.
func Weigh(data any) int64 {
	switch v := data.(type) {
	case *decl.Value:
		return weighData(v.Comp.Schema, v.Data, v.Form == v.Comp.Form)
	case *decl.EventValue:
		return weighData(v.Event.Schema, v.Data, v.Form == v.Event.Form)
	case *decl.Prefab:
		n := int64(0)
		for _, part := range v.Values {
			n += Weigh(part)
		}
		for _, child := range v.Children {
			n += Weigh(child)
		}
		return n
	}
	return 0
}

// weighData adds the texts of a struct to its own size. A struct that is not
// current, from before a migration, has other fields than the schema says.
func weighData(s *ecs.Schema, data unsafe.Pointer, current bool) int64 {
	n := int64(s.Size)
	if data == nil || !current {
		return n
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind != ecs.String {
			continue
		}
		for at := range max(f.Len, 1) {
			n += int64(len(*(*string)(unsafe.Add(data, f.Offset+uintptr(at)*f.Stride))))
		}
	}
	return n
}
