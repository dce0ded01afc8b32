package bindings

import (
	"cmp"
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// System is a system as a script declared it.
type System struct {
	Name   string
	Script string
	Line   int

	spec                   ecs.System // without queries and Run
	query                  *decl.Query
	on                     *decl.Event
	each, batch, run, when *lua.LFunction
	shape                  *eachShape
	context                context
	kernel                 kernelState
	faults                 *eachFaults // of a built each system
	called                 bool        // it is one of ecs.kernel
}

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
	s := a.m.script
	begun := &unfinished{system: name}
	begun.script, begun.line, _ = value.SplitPlace(a.L.Where(1))
	s.begun = append(s.begun, begun)
	a.L.Push(a.L.NewFunction(func(L *lua.LState) int {
		begun.done = true
		inner := &args{a.m, L, "system"}
		inner.declaring()
		inner.system(name, inner.table(1))
		return 0
	}))
	return 1
}

// unfinished is a system of which only the name was given so far.
type unfinished struct {
	system, script string
	line           int
	done           bool
}

// noTables complains about systems that never got their table.
func (s *Script) noTables() {
	for _, u := range s.begun {
		if !u.done {
			s.Problems = append(s.Problems, &diag.Error{
				Script: u.script, Line: u.line,
				Message: fmt.Sprintf("system %q has no table: write ecs.system %q { … }", u.system, u.system),
			})
		}
	}
	s.begun = nil
}

func (a *args) system(name string, t *lua.LTable) {
	s := &System{Name: name, spec: ecs.System{Name: name, Phase: ecs.Logic}}
	s.Script, s.Line, _ = value.SplitPlace(a.L.Where(1))
	r := optionReader{a: a, s: s, t: t, wrong: map[string]bool{}, line: s.Line}
	complain := r.complain
	if first, taken := a.m.script.first("system", name, s.Line); taken {
		complain("the name is used twice, first in line %d", first)
	}
	lines := a.optionLines(t)
	value.Pairs(t, func(k, v lua.LValue) {
		key := k.String()
		r.line = cmp.Or(lines[key], s.Line)
		r.option(key, v)
	})
	for _, key := range absentKeys(t) {
		r.line = cmp.Or(lines[key], s.Line)
		complain("%s", nilValue(a.L, key))
		r.wrong[key] = true
	}
	r.line = s.Line
	r.finish()
	for _, names := range [][]string{s.spec.Before, s.spec.After, s.spec.Requires} {
		a.keepNames(names)
	}
	a.keepQuery(s)
	if name != "" {
		a.m.script.Systems = append(a.m.script.Systems, s)
	}
}

// build makes the runnable system, once its components are committed.
func (m *Module) build(s *System) ecs.System {
	out := s.spec
	out.Serial = "scripts share one Lua state"
	if s.when != nil {
		s.context.lend(s.when, 0)
	}
	switch {
	case s.on != nil:
		out.Run = m.eventRunner(s)
	case s.run != nil:
		s.context.lend(s.run, 0)
		out.Run = m.exec.plainRunner(s)
	case s.batch != nil:
		s.context.lend(s.batch, 1)
		q := s.query.Build(m.world, func(int) bool { return true })
		out.Queries = []*ecs.Query{q}
		out.Run = m.exec.batchRunner(s, q)
	default:
		q := s.query.Build(m.world, s.shape.writes)
		out.Queries = []*ecs.Query{q}
		out.Run = m.exec.eachRunner(s, q)
	}
	return out
}

// due calls the when function of a system. When that says no, the system has not run.
func (m *executor) due(L *lua.LState, s *System, ctx lua.LValue) bool {
	if s.when == nil {
		return true
	}
	L.Push(s.when)
	L.Push(ctx)
	L.Call(1, 1)
	ok := lua.LVAsBool(L.Get(-1))
	L.Pop(1)
	if !ok {
		m.tx.Call.Tick.Pass()
	}
	return ok
}

// plainRunner runs a system that is one function without a query.
func (m *executor) plainRunner(s *System) func(*ecs.Tick) error {
	whole := m.tx.Function(func(L *lua.LState) {
		ctx := m.fill(&s.context, m.tx.Call.Tick)
		if !m.due(L, s, ctx) {
			return
		}
		L.Push(s.run)
		L.Push(ctx)
		L.Call(1, 0)
	})
	return func(t *ecs.Tick) error { return m.tx.Perform(t, s.Script, s.Name, whole) }
}
