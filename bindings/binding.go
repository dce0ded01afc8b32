package bindings

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/fence"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// Binding is the API of one world in one Lua state. It wires the parts together, of which
// each owns what it is named for, and begins and ends loads.
type Binding struct {
	*core

	states    *states
	resources *resources
	queries   *queries
	readers   *readers
	timers    *timers
	callbacks *callbacks
	kernels   *kernels
	batches   *batches
	fence     *fence.Fence
	functions []builtinEntry // of the ecs table, by name
	names     *machine.Keys  // theirs, and last "draw"
	drawing   []builtinEntry // of the table ecs.draw: "draw.line"
	drawn     *machine.Keys  // their names in it

	migration *migration // of the running load; nil: there is no load
	notes     []string   // see Notes

	Keeper  Keeper          // of what scripts keep
	dropped map[string]bool // names that ecs.drop has named so far

	switches switches
	scripted scripted
	console  console

	numbers Identities // in the texts of values
	ticked  bool       // a step has begun, so that
	loaded  uint64     // was the last number when the files were loaded
}

// New makes the API of a world for a state. It sets nothing global.
func New(w *ecs.World, L *lua.LState, opts Options) *Binding {
	m := newBinding(liveWorld{w}, L, opts)
	m.world, m.tx.World, m.exec.World, m.tag = w, w, w, w.Raw().Tag()
	m.exec.ScriptError = ecs.Register[exec.ScriptError](w, ecs.Named("ScriptError"))
	w.Raw().CallersFrom(m.callerNow)
	return m
}

// NewRehearsal makes a binding without a world, in which top levels can be tried:
// Begin, Declare, Rehearse and Abandon work, nothing else does. Functions of the
// ecs table answer as they would in the game, but for what only the running game
// knows: what is in a state table or in a resource. A top level that asks for that,
// or for a component, an event or a resource that is not in the catalogue, gets an
// error, and Options.Unsure is told that it says nothing about the file.
func NewRehearsal(c *Catalog, L *lua.LState, opts Options) *Binding {
	return newBinding(&rehearsed{c, rand.NewPCG(1, 1)}, L, opts)
}

func newBinding(g ground, L *lua.LState, opts Options) *Binding {
	c := &core{main: L, opts: opts, tx: &tx.Runner{}, ground: g}
	c.components = decl.NewRegistry("component", g.components())
	c.events = decl.NewRegistry("event", g.events())
	c.tx.Main, c.tx.Budget, c.tx.Limits = L, opts.Budget, &c.opts.Limits
	c.exec = &exec.Executor{
		Tx: c.tx, Main: L, Compile: opts.Compile, Updates: map[*decl.Component][]*exec.Updated{},
	}
	m := &Binding{numbers: noIdentities{},
		core: c, scripted: scripted{components: map[ecs.ComponentID]bool{}, events: map[ecs.EventID]bool{}}, states: newStates(c), fence: fence.New(L, c.tx), batches: &batches{c}, dropped: map[string]bool{},
		resources: &resources{c, map[partAddress]*nested{}}, queries: &queries{c, map[string]*ecs.Query{}},
		readers: newReaders(c), timers: &timers{c, map[string]*handler{}},
		callbacks: &callbacks{core: c, observing: map[string]bool{}}, kernels: &kernels{c, map[string]*callable{}},
	}
	m.Keeper.Binding = m
	vm := lua.VM(L)
	vm.HoldText, vm.MeantOfNumber, vm.WhyNil = c.tx.HoldText, c.meantOfNumber, whyNil
	vm.WhyMissing = m.states.whyMissing
	m.makeTypes(L)
	m.exec.BatchType, m.exec.ContextType, m.exec.Length = m.types.batch, m.types.context, m.types.stateLen
	m.functions, m.drawing = m.withKinds(L, m.builtins(m.groups()...)), m.builtins(drawFunctions())
	var names, drawn []string
	for _, f := range m.functions {
		names = append(names, f.name)
	}
	for _, f := range m.drawing {
		drawn = append(drawn, strings.TrimPrefix(f.name, drawPrefix))
	}
	m.names, m.drawn = vm.Heap.NewKeysFor(0, append(names, "draw")...), vm.Heap.NewKeysFor(0, drawn...)
	m.tx.NewThread()
	return m
}

// meantOfNumber says what is done with an entity whose fields a script looks for.
func (c *core) meantOfNumber(n float64) string {
	if e, why := value.ToEntity(n); c.world == nil || why != "" || !c.world.Alive(e) {
		return ""
	}
	return ": it is an entity, and entities are numbers: ecs.get(entity, Component) reads what it has, ecs.set and ecs.update change that"
}

// whyNil says why a function of ecs gives nil.
func whyNil(called string) string {
	switch called {
	case "ecs.get":
		return ": ecs.get gives nil where the entity has no such component, is dead, or is 0, which stands for none"
	case "ecs.find":
		return ": ecs.find gives nil where no entity matches"
	case "ecs.parent":
		return ": ecs.parent gives nil for an entity without a parent"
	}
	return ""
}

// Catalog makes the catalogue of the world as it is now, for rehearsals.
// O(components + events + resources).
func (m *Binding) Catalog() *Catalog { return newCatalog(m.world, m.components, m.events) }

// builtinEntry is an entry of the ecs table. Scripts share them: none can change one.
type builtinEntry struct {
	name  string
	value *lua.LFunction
}

// groups are the functions of the ecs table, but for the kinds of fields.
func (m *Binding) groups() []map[string]func(*args) int {
	changes := changeFunctions()
	changes["despawn_all"] = m.queries.despawnAll
	for name, fn := range changes {
		changes[name] = func(a *args) int {
			n := fn(a)
			a.spendSets()
			return n
		}
	}
	return []map[string]func(*args) int{
		typeFunctions(), callbackFunctions(), m.timers.functions(),
		{"prefab": declarePrefab, "system": declareSystem, "kernel": declareKernel, "state": m.states.declare},
		changes, lookupFunctions(), m.queries.functions(), sceneFunctions(),
		{"events": m.readers.events, "resource": m.resources.find, "data": readData, "asset": findAsset},
		{"save": askForSlot, "load": askForSlot},
		{"log": logAt(slog.LevelInfo), "warn": logAt(slog.LevelWarn), "random": drawNumber},
	}
}

// builtins lists functions by name.
func (m *Binding) builtins(groups ...map[string]func(*args) int) []builtinEntry {
	var all []builtinEntry
	for _, group := range groups {
		for name, fn := range group {
			f := forms[name]
			call := func(c *machine.Call) {
				a := called(m.core, (*lua.LState)(c.Thread()), name)
				if c.Top() > f.most {
					a.tooMany(f)
				}
				c.Return(fn(a))
				a.done()
			}
			all = append(all, builtinEntry{name, lua.NewNative(call, nil)})
		}
	}
	return sorted(all)
}

// withKinds adds the kinds of fields to the functions of the ecs table.
func (m *Binding) withKinds(L *lua.LState, all []builtinEntry) []builtinEntry {
	for _, k := range kindNames {
		all = append(all, builtinEntry{k.String(), L.NewFunction(m.fieldOf(k))})
	}
	return sorted(all)
}

// sorted sorts functions by name.
func sorted(all []builtinEntry) []builtinEntry {
	slices.SortFunc(all, func(a, b builtinEntry) int { return cmp.Compare(a.name, b.name) })
	return all
}

// stepsToMeasure is what it counts as to find out how long a value is that the line has no room for.
const stepsToMeasure = 16

// logAt is ecs.log(…) and ecs.warn(…): a line in the host's log.
func logAt(level slog.Level) func(*args) int {
	return func(a *args) int {
		var line strings.Builder
		bytes := 0
		for i := 1; i <= a.L.GetTop(); i++ {
			if line.Len() >= diag.LongestLog {
				value.Charge(a.L, stepsToMeasure)
			}
			if i > 1 {
				bytes++
				if line.Len() < diag.LongestLog {
					line.WriteByte(' ')
				}
			}
			word := a.logged(a.L.Get(i))
			bytes += len(word)
			word = word[:min(len(word), max(diag.LongestLog-line.Len(), 0))]
			value.ChargeBytes(a.L, len(word))
			line.WriteString(word)
		}
		a.Log(a.L, level, line.String(), bytes)
		return 0
	}
}

// logged returns what a line of the log shows of a value: of a table what is in it, unless a
// metatable of the script says how it is shown. Tables of the host that hold nothing by
// themselves, such as ctx, are shown as they are by tostring.
func (a *args) logged(v lua.LValue) string {
	if t, ok := v.(*lua.LTable); ok && proxy.Over(t) == "" {
		said, scripts := a.L.GetMetaField(t, "__tostring").(*lua.LFunction)
		if scripts = scripts && !lua.IsGo(said); !scripts {
			text, entries := value.Logged(t)
			value.Charge(a.L, entries*value.StepsPerEntry)
			if entries > 0 || lua.Metatable(t) == lua.LNil {
				return text
			}
		}
	}
	return a.core.shown(a.L, v)
}

// drawNumber is ecs.random(), ecs.random(n) and ecs.random(a, b), as math.random.
func drawNumber(a *args) int {
	if a.L.GetTop() == 0 {
		return a.numberResult(float64(a.Uint64()>>11) / (1 << 53))
	}
	low, high := a.bounds()
	return a.numberResult(low + float64(a.Uint64()%uint64(high-low+1)))
}

// bounds reads the last whole number of a range, or the first and the last.
func (a *args) bounds() (low, high float64) {
	if low, high = 1, a.number(1); a.L.GetTop() > 1 {
		low, high = high, a.number(2)
	}
	if !(low <= high) || high-low >= 1<<53 || low != math.Trunc(low) || high != math.Trunc(high) || low < -1<<63 || high >= 1<<63 {
		if a.L.GetTop() == 1 {
			a.fail("expected a whole number from 1 up, got %v", high)
		}
		a.fail("expected whole numbers with low <= high, got %v and %v", low, high)
	}
	return low, high
}

// nameIn returns the name of a function of the ecs table that makes no field, false for any other
// function: the compiler of kernels knows them by their values, since a script may call them by any
// name. O(functions of the table).
func nameIn(table []builtinEntry, fn *lua.LFunction) (name string, ok bool) {
	for i := range table {
		if f := &table[i]; f.value == fn {
			return f.name, forms[f.name] != nil
		}
	}
	return "", false
}

// Table returns a fresh ecs table: each script has its own, so that none can
// change what another sees.
func (m *Binding) Table(L *lua.LState) *lua.LTable {
	t := m.names.New()
	for i, f := range m.functions {
		m.names.Set(t, i, lua.ToValue(f.value))
	}
	drawing := m.drawn.New()
	for i, f := range m.drawing {
		m.drawn.Set(drawing, i, lua.ToValue(f.value))
	}
	lua.SetMetatable((*lua.LTable)(drawing), m.types.drawing)
	m.names.Set(t, len(m.functions), lua.ToValue((*lua.LTable)(drawing)))
	lua.SetMetatable((*lua.LTable)(t), m.types.api)
	return (*lua.LTable)(t)
}

// Lacks says that the ecs table has no function of that name. Whoever
// comes from another language looks for the kinds of fields by the names there.
func (m *Binding) Lacks(name string) *diag.Error {
	names := []string{"draw"}
	for _, f := range m.functions {
		names = append(names, f.name)
	}
	hint := diag.DidYouMean(name, names)
	switch strings.ToLower(name) {
	case "string", "str", "text":
		hint = ": fields hold numbers, truths, enums, entities and arrays of them; an enum takes one of a few words"
	case "number", "float", "float32", "single":
		hint = ` (did you mean "f32"?)`
	case "double", "float64":
		hint = ` (did you mean "f64"?)`
	case "int", "integer", "int32":
		hint = ` (did you mean "i32"?)`
	case "boolean":
		hint = ` (did you mean "bool"?)`
	case "table", "list":
		hint = ` (did you mean "array"?)`
	}
	return diag.New("ecs has no %q%s", name, hint)
}

// raises makes a metamethod that raises what is wrong with the name after the value: it
// stands for names that a table does not have, or that a script must not assign.
func raises(reason func(name string) *diag.Error) lua.LGFunction {
	return func(L *lua.LState) int {
		fault.Raise(L, reason(fault.Written(L.Get(2))))
		return 0
	}
}

// Fixed says that a field of the ecs table cannot be assigned. Other engines call functions
// that a script puts into a table of theirs; here nothing would.
func (m *Binding) Fixed(name string) *diag.Error {
	how := "keep it in a local variable, or in a table that the file returns"
	if form, ok := forms[name]; ok && form.shown != "" {
		how = "write " + form.shown
	}
	return diag.New("ecs.%s cannot be assigned: %s", diag.Cut(name), how)
}

func (m *Binding) makeTypes(L *lua.LState) {
	m.types = metatables{
		component:  exec.NewMetatable(L, map[string]lua.LGFunction{"__call": m.callComponent}),
		value:      exec.NewMetatable(L, nil),
		event:      exec.NewMetatable(L, map[string]lua.LGFunction{"__call": m.callEvent}),
		eventValue: exec.NewMetatable(L, nil),
		prefab:     exec.NewMetatable(L, nil),
		kernel:     exec.NewMetatable(L, map[string]lua.LGFunction{"__call": m.kernels.called}),
		field:      exec.NewMetatable(L, nil),
		column:     m.batches.columnType(L),
		batch:      m.batches.metatable(L),
		resource:   exec.NewMetatable(L, map[string]lua.LGFunction{"__index": m.resources.index, "__newindex": m.resources.set}),
		api:        exec.NewMetatable(L, map[string]lua.LGFunction{"__index": raises(m.Lacks), "__newindex": raises(m.Fixed)}),
		drawing:    exec.NewMetatable(L, map[string]lua.LGFunction{"__index": raises(LacksDrawing), "__newindex": raises(fixedDrawing)}),
		context:    exec.NewMetatable(L, map[string]lua.LGFunction{"__index": exec.ContextIndex}),
		stateWrite: L.NewFunction(m.states.stateWrite),
		stateLen:   L.NewFunction(proxy.Length),
		partWrite:  L.NewFunction(m.resources.partWrite),
	}
	m.types.api.RawSetString(proxy.SealedKey, lua.LTrue)
	m.types.drawing.RawSetString(proxy.SealedKey, lua.LTrue)
	m.types.state = L.CreateTable(0, 4)
	m.types.state.RawSetString("__newindex", m.types.stateWrite)
	m.types.state.RawSetString("__metatable", lua.LFalse)
	m.types.state.RawSetString(proxy.SealedKey, lua.LTrue)
	m.types.state.RawSetString(proxy.StateKey, lua.LTrue)
	m.closeTypes(L)
}

// closeTypes has the metatables of userdata answer for names that a value does not
// have. The VM would put the whole name into the message, however long it is.
func (m *Binding) closeTypes(L *lua.LState) {
	refuse := L.NewFunction(lacks)
	t := &m.types
	for _, meta := range []*lua.LTable{t.component, t.value, t.event, t.eventValue, t.prefab, t.kernel, t.field, t.column, t.resource} {
		for _, name := range []string{"__index", "__newindex"} {
			if meta.RawGetString(name) == lua.LNil {
				meta.RawSetString(name, refuse)
			}
		}
	}
}

// lacks raises the error of a value that does not have a name.
func lacks(L *lua.LState) int {
	fault.Raise(L, lacking(L.Get(1), fault.Written(L.Get(2))))
	return 0
}

// lacking is that error.
func lacking(v lua.LValue, name string) *diag.Error {
	return diag.New("%s has no %q that a script can reach%s", value.Describe(v), name, fault.Use(v))
}

// Running returns the tick of the call that is running, nil when there is none.
func (m *Binding) Running() *ecs.Tick {
	if m.tx.Call == nil {
		return nil
	}
	return m.tx.Call.Tick
}

// Thread returns the thread on which calls into scripts run.
func (m *Binding) Thread() *lua.LState { return m.tx.Thread }

// Declaring returns the script whose top level is running; nil when there is no such script.
func (m *Binding) Declaring() *Declarations { return m.script }

// Settle gives entities that have failed their ScriptError, and takes it from those that
// have not, or are free again. It charges scripts for the sets of components that they have brought
// about. Call it between two ticks.
func (m *Binding) Settle() {
	m.exec.Settle()
	m.tx.SettleSets(m.world.Raw().Sets())
}

// NewTick begins a tick: the limits of all scripts in one tick count anew.
func (m *Binding) NewTick() {
	m.tx.NewTick()
	m.begun()
}

// begun notes that files were loaded, and which numbers the texts of values have got so far.
func (m *Binding) begun() {
	if !m.ticked {
		m.ticked, m.loaded = true, m.numbers.LastNumber()
	}
}

// Number says who numbers the texts of values. Without, nobody does.
func (m *Binding) Number(n Identities) { m.numbers = n }

// noIdentities are those of a binding without a library.
type noIdentities struct{}

func (noIdentities) LastNumber() uint64                          { return 0 }
func (noIdentities) RewindNumbers(uint64, uint64)                {}
func (noIdentities) NumberTable(*machine.Table, uint64)          {}
func (noIdentities) NumberedTables(func(*machine.Table, uint64)) {}

// Faults returns what has failed since the last call without ending a system's run: the
// errors of entities, in order.
func (m *Binding) Faults() []*diag.Error { return m.exec.Faults() }

// SetLimits bounds what scripts record from now on.
func (m *Binding) SetLimits(l Limits) { m.opts.Limits = l }

// LateUses returns the errors of functions of the host that have used the call of a script
// after its end, since the last call.
func (m *Binding) LateUses() []error { return m.tx.LateUses() }

// Unhurried says whether no frame waits for the calls that follow: new combinations of components
// do not count for the queries that look at them, then.
func (m *Binding) Unhurried(on bool) {
	m.tx.SettleSets(m.world.Raw().Sets())
	m.tx.Unhurried = on
}

// Start runs a script's on_start functions from a number on, up to the first that fails.
// Each is a transaction. It returns how many have run, those before from included, and
// whether these are all there are. The error may also tell of what those that have run
// could not do.
func (m *Binding) Start(s *Declarations, from int) (done int, all bool, err error) {
	return m.callbacks.start(s, from)
}

// Unloaded is what an on_unload function has handed over: plain data, nil for nothing, and in words what
// of it is left behind. Err is what has failed, by which nothing is handed over unless it came after
// the call.
type Unloaded struct {
	Value lua.LValue
	Left  string
	Err   error
}

// Unload runs the on_unload functions of scripts whose versions end with the load that Check has passed,
// before Commit: a version that cannot hand over may be a reason to refuse it. Each has the limits of a
// call. Those of bound scripts are one transaction: when one fails, all are undone, and their errors
// are returned. Each of the others is a transaction of its own, and its failure stops nothing.
//
// Values that the load converts are converted again when a function has run, because it may have
// changed them; problems of that are returned, too, and what the functions have done stays.
func (m *Binding) Unload(bound, others []*Declarations) (handed map[*Declarations]Unloaded, failed, problems []*diag.Error) {
	silent := func(s *Declarations) bool { return s.onUnload == nil }
	bound, others = slices.DeleteFunc(slices.Clone(bound), silent), slices.DeleteFunc(slices.Clone(others), silent)
	if len(bound)+len(others) == 0 || errors.Is(m.world.Raw().Ready(), ecs.ErrClosed) {
		return nil, nil, nil
	}
	func() { // they are no part of the load, which is put away, also when a function of the host ends the goroutine
		staged, components, events := m.staged, m.components.Staged, m.events.Staged
		m.staged, m.components.Staged, m.events.Staged = nil, nil, nil
		defer func() { m.staged, m.components.Staged, m.events.Staged = staged, components, events }()
		handed, failed = m.callbacks.unloadAll(bound, others)
	}()
	if len(failed) == 0 && m.migration.change != nil {
		m.migration.abandon()
		m.migration.moves = nil
		problems = m.migration.prepare()
	}
	return handed, failed, problems
}

// Reloaded runs the on_reload functions of a script that has taken the place of an older
// version, with a copy of what that one has handed over. Each is a transaction; report
// gets the failures. It returns whether all have succeeded: what is handed over is taken.
func (m *Binding) Reloaded(s *Declarations, handed lua.LValue, report func(error)) (taken bool) {
	return m.callbacks.reloaded(s, handed, report)
}

// React tells the on_error functions of a fault, each in a transaction of its own; report
// gets the failures. Call it between two ticks.
func (m *Binding) React(e *diag.Error, report func(error)) { m.callbacks.react(e, report) }

// RunTimers calls the handlers of all timers that are due at a time, each in a transaction
// of its own; report gets the failures. Call it between two ticks.
func (m *Binding) RunTimers(now float64, report func(error)) { m.timers.run(now, report) }

// RunKernel runs a kernel that a script has declared under that name, as one call of its
// script: undone as a whole when it fails as a whole. The error is an *diag.Error, or wraps
// ecs.ErrUnknown when there is none of that name, or ecs.ErrIterating inside of a call of
// a script.
func (m *Binding) RunKernel(t *ecs.Tick, name string) error { return m.kernels.run(t, name) }

// HostValue converts a Go value that the host exposes, as package fence says. Messages
// call it by the name.
func (m *Binding) HostValue(name string, given any) (lua.LValue, error) {
	return m.fence.Value(name, given)
}

// SetField sets a field of a table that scripts hold, as an assignment in the running call
// would: what a state table held is noted for the undo.
func (m *Binding) SetField(t *lua.LTable, name string, v lua.LValue) { m.states.setField(t, name, v) }

// Doubts returns what the last Commit took over and scripts may not have meant. A second
// call returns nothing.
func (m *Binding) Doubts() []string { return m.states.takeDoubts() }

// Roots adds the values by which a script holds others, beside its globals, each with
// its name for messages: the
// functions that it has declared, its state tables, and the data of timers that
// wait for its handlers. O(declarations + timers that wait).
func (m *Binding) Roots(s *Declarations, add func(name string, v lua.LValue)) {
	for _, name := range s.stateNames {
		t := m.states.tables[name]
		if t == nil && m.staged != nil {
			t = m.staged.states[name]
		}
		if t != nil {
			add(fmt.Sprintf("the state %q", name), t)
		}
	}
	s.functions(func(of, name string, fn *lua.LFunction) {
		if name != "" {
			of += " " + strconv.Quote(name)
		}
		add("the variables of "+of, fn)
	})
	if m.tx.Timers.Waiting[s.Name] == 0 {
		return
	}
	for t := range m.tx.Timers.OfScript(s.Name) {
		if t.Data != nil && t.Data != lua.LNil {
			add(fmt.Sprintf("the data of timers for %q", t.Handler), t.Data)
		}
	}
}
