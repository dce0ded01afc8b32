package exec

import (
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// Executor is what all runs of functions over rows share: the calls that they are part
// of, the tables that scripts get for one call, and the entities that rest because a
// function has failed for them.
//
// It knows nothing of declarations and loads. A binding has one.
type Executor struct {
	Tx      *tx.Runner
	World   *ecs.World // nil in a rehearsal
	Main    *lua.LState
	renewed struct { // kernels that were made anew in a tick
		tick uint64
		n    int
	}
	Compile func(KernelSource) (Compilation, *diag.Error) // nil: there are no kernels
	last    arrival                                       // of the kernel that was begun beside the ticks last

	BatchType, ContextType *lua.LTable // metatables
	BatchMethods           map[string]*lua.LFunction
	Length                 *lua.LFunction // the operator # of proxies

	boxed  lua.Numbers            // for ctx
	blanks lua.Blanks             // for the next loans
	overs  map[string]*lua.LTable // metatables of loans that are over, by what is said

	escapes map[returned]bool // whether what calls return escapes, as far as it is known

	Records Records                        // what ran where
	Batch   *Batch                         // that a batch function is working on, nil otherwise
	Updates map[*decl.Component][]*Updated // rows that no ecs.update uses just now
	updated *Updated                       // one more of them, which was given back last
	marks   marks                          // of entities, for kernels

	ScriptError ecs.Component[ScriptError]
	Faulty      []*eachFaults // of the running each systems, in the order in which they came
	Reports     []*diag.Error // of entities, since the host asked last
	settling    []ecs.Entity  // whose ScriptError may have to come, change or go
}

// NewMetatable makes a metatable that scripts can neither read nor replace.
//
// Why in the order of the names? What the machine makes for the keys of a table depends on
// their order, and counts as memory of the call that runs: it has to be the same each time.
func NewMetatable(L *lua.LState, methods map[string]lua.LGFunction) *lua.LTable {
	t := L.NewTable()
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		t.RawSetString(name, L.NewFunction(methods[name]))
	}
	t.RawSetString("__metatable", lua.LFalse)
	t.RawSetString("__tostring", L.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LString(value.Describe(L.Get(1))))
		return 1
	}))
	return t
}

// refusal makes a function that does nothing but raise an error.
func refusal(message string) lua.LGFunction {
	return func(L *lua.LState) int {
		fault.Raisef(L, "%s", message)
		return 0
	}
}

// Due calls the when function of a system, in the time of its record. When that says no, the system has
// not run.
func (m *Executor) Due(L *lua.LState, s *System, r *Recorder, ctx lua.LValue) bool {
	if s.When == nil {
		return true
	}
	L.Push(s.When)
	L.Push(ctx)
	L.Call(1, 1)
	ok := lua.LVAsBool(L.Get(-1))
	L.Pop(1)
	if !ok {
		r.passed = true
		m.Tx.Call.Tick.Pass()
	}
	return ok
}

// PlainRunner runs a system that is one function without a query.
func (m *Executor) PlainRunner(s *System) func(*ecs.Tick) error {
	record := m.NewRecorder(s)
	whole := m.Tx.Function(func(L *lua.LState) {
		m.Tx.Call.Ran = s.Ran
		ctx := m.Fill(&s.Context, m.Tx.Call.Tick)
		record.Begin()
		defer record.End()
		if !m.Due(L, s, &record, ctx) {
			return
		}
		record.ByVM(0, 1)
		L.Push(s.Run)
		L.Push(ctx)
		L.Call(1, 0)
	})
	return m.unlessRefused(s, func(t *ecs.Tick) error { return m.Tx.Perform(t, s.Script, s.Name, whole) })
}

// unlessRefused is the run of a system, for which something has to be left in the tick.
func (m *Executor) unlessRefused(s *System, run func(*ecs.Tick) error) func(*ecs.Tick) error {
	return func(t *ecs.Tick) error {
		rows := int64(0)
		if s.Compiled.Made != nil {
			rows = workOfRun + workOfChunk
		}
		if refused, err := m.Tx.Refuses(t, s.Name, s.Place, rows); refused {
			s.Ran.Refused++
			return err
		}
		return run(t)
	}
}
