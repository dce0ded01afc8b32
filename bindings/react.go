package bindings

import (
	"cmp"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// reaction is an ecs.on_error function. One that has failed is not called again
// until its script is loaded anew: a fault in what deals with faults must not
// make more of them.
type reaction struct {
	script  string
	at      origin
	fn      *lua.LFunction
	context exec.Context
	failed  bool
}

// declareOnError is ecs.on_error(function(err, ctx) … end).
func declareOnError(a *args) int {
	s := a.declares()
	r := &reaction{script: s.Name, at: a.origin(), fn: a.function(1)}
	r.context.Lend(r.fn, 1)
	s.reactions = append(s.reactions, r)
	return 0
}

// addReactions takes in those of a new script; they are called in the order of
// their scripts' names.
func (m *Module) addReactions(s *Script) {
	m.reactions = append(m.reactions, s.reactions...)
	slices.SortStableFunc(m.reactions, func(a, b *reaction) int { return cmp.Compare(a.script, b.script) })
}

func (m *Module) dropReactions(s *Script) {
	m.reactions = slices.DeleteFunc(m.reactions, func(r *reaction) bool { return slices.Contains(s.reactions, r) })
}

// reactionPrefix begins the names of calls of on_error functions.
const reactionPrefix = "on_error "

// React tells the on_error functions of a fault, each in a transaction of its
// own; report gets the failures. Call it between two ticks.
func (m *Module) React(e *diag.Error, report func(error)) {
	for _, r := range slices.Clone(m.reactions) {
		if r.failed {
			continue
		}
		name := reactionPrefix + r.script
		_, err := m.between(name, r.at, func(t *ecs.Tick) error {
			return m.tx.Invoke(t, r.script, name, func(L *lua.LState) {
				L.Push(r.fn)
				L.Push(m.faultTable(e))
				L.Push(m.exec.Fill(&r.context, t))
				L.Call(2, 0)
			})
		})
		if err != nil {
			r.failed = true
			report(err)
		}
	}
}

// faultTable is what an on_error function gets.
func (m *Module) faultTable(e *diag.Error) *lua.LTable {
	t := m.main.CreateTable(0, 10)
	t.RawSetString("script", lua.LString(e.Script))
	t.RawSetString("line", lua.LNumber(e.Line))
	t.RawSetString("system", lua.LString(e.System))
	t.RawSetString("message", lua.LString(e.Message))
	t.RawSetString("text", lua.LString(e.Error()))
	t.RawSetString("tick", lua.LNumber(e.Tick))
	t.RawSetString("times", lua.LNumber(max(e.Times, 1)))
	t.RawSetString("parked", lua.LBool(e.Parked))
	if e.Entity != 0 {
		t.RawSetString("entity", lua.LNumber(e.Entity))
	}
	return t
}
