package bindings

import (
	"cmp"
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
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
	s := a.m.script
	begun := &unfinished{system: name}
	begun.script, begun.line = fault.Here(a.L)
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
	s := &exec.System{Name: name, Spec: ecs.System{Name: name, Phase: ecs.Logic}}
	s.Script, s.Line = fault.Here(a.L)
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
	for _, names := range [][]string{s.Spec.Before, s.Spec.After, s.Spec.Requires} {
		a.keepNames(names)
	}
	a.keepQuery(s)
	if name != "" {
		a.m.script.Systems = append(a.m.script.Systems, s)
	}
}

// build makes the runnable system, once its components are committed.
func (m *Module) build(s *exec.System) ecs.System {
	out := s.Spec
	out.Serial = "scripts share one Lua state"
	if s.When != nil {
		s.Context.Lend(s.When, 0)
	}
	switch {
	case s.On != nil:
		out.Run = m.eventRunner(s)
	case s.Run != nil:
		s.Context.Lend(s.Run, 0)
		out.Run = m.exec.PlainRunner(s)
	case s.Batch != nil:
		s.Context.Lend(s.Batch, 1)
		q := s.Query.Build(m.world, func(int) bool { return true })
		out.Queries = []*ecs.Query{q}
		out.Run = m.exec.BatchRunner(s, q)
	default:
		q := s.Query.Build(m.world, s.Shape.Writes)
		out.Queries = []*ecs.Query{q}
		out.Run = m.exec.EachRunner(s, q)
	}
	return out
}
