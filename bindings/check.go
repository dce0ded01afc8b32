package bindings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Check finds what is wrong with the scripts of a load taken together with
// those that stay: names used twice, an order that cannot be, a system that
// must have a kernel and has none, more components than a world has room for.
// gone are the scripts that the load replaces or removes. Scripts that have faults
// of their own are represented by what they declared before these, and by the
// systems of their old version, so that others are not blamed for them.
func (m *Module) Check(stay, gone, fresh []*Script) []*diag.Error {
	problems := m.checkTogether(stay, gone, fresh)
	problems = append(problems, m.compile(fresh)...)
	if len(problems) > 0 || slices.ContainsFunc(fresh, func(s *Script) bool { return len(s.Problems) > 0 }) {
		return problems
	}
	return m.prepareChanges()
}

// Review is Check for scripts that were declared in a rehearsal and have faults:
// it finds what else is wrong. Kernels and values are left alone.
func (m *Module) Review(rehearsal *Module, stay, gone, fresh []*Script) []*diag.Error {
	m.staged = rehearsal.staged
	defer func() { m.staged = nil }()
	return m.checkTogether(stay, gone, fresh)
}

func (m *Module) checkTogether(stay, gone, fresh []*Script) []*diag.Error {
	problems := duplicates(stay, fresh)
	if len(problems) == 0 {
		problems = m.checkOrder(stay, gone, fresh)
	}
	if e := m.checkRoom(fresh); e != nil {
		problems = append(problems, e)
	}
	if e := m.checkDeclared(stay, fresh); e != nil {
		problems = append(problems, e)
	}
	problems = append(problems, m.checkNames(stay, gone, fresh)...)
	m.noteHidden(stay, gone, fresh)
	m.noteForgotten(stay, gone, fresh)
	m.noteStates(fresh)
	problems = append(problems, m.checkChanges()...)
	return append(problems, m.checkMoves()...)
}

// checkRoom finds out whether the world has numbers for the new components.
func (m *Module) checkRoom(fresh []*Script) *diag.Error {
	count := m.world.Raw().ComponentCount()
	for _, c := range m.staged.components {
		if !c.Ready && !c.Broken && c.Changes == nil {
			count++
		}
	}
	if count <= ecs.MaxComponents || len(fresh) == 0 {
		return nil
	}
	return diag.New("there would be %d components; a world has at most %d", count, ecs.MaxComponents).On(fresh[0].Name, 0)
}

// maxPlanFaults is how many faults of the order one load reports.
const maxPlanFaults = 20

// checkOrder finds every system that has no place. The schedule reports one at a
// time: to find the next, the system is tried again without its wishes.
func (m *Module) checkOrder(stay, gone, fresh []*Script) []*diag.Error {
	remove, add := m.replaced(gone, fresh), []ecs.System{}
	for _, s := range fresh {
		for _, sys := range s.Systems {
			if slices.ContainsFunc(add, func(other ecs.System) bool { return other.Name == sys.Name }) {
				continue // a problem of the script's own
			}
			dry := sys.Spec
			dry.Run = func(*ecs.Tick) error { return nil }
			add = append(add, dry)
		}
	}
	var problems []*diag.Error
	for len(problems) < maxPlanFaults {
		err := m.world.Schedule().Check(remove, add)
		if err == nil {
			break
		}
		e := m.planFault(err, remove, slices.Concat(stay, fresh))
		problems = append(problems, e)
		i := slices.IndexFunc(add, func(s ecs.System) bool { return s.Name == e.System })
		e.System = "" // the message names it
		if i < 0 || add[i].Before == nil && add[i].After == nil && add[i].Requires == nil && add[i].Priority == 0 {
			break
		}
		add[i] = ecs.System{Name: add[i].Name, Phase: add[i].Phase, Fixed: add[i].Fixed, Run: add[i].Run}
	}
	return problems
}

// replaced names the systems that a load takes away. Those of scripts whose new
// version has faults stay for the time being, but for what is declared anew.
func (m *Module) replaced(gone, fresh []*Script) []string {
	faulty, anew := map[string]bool{}, systemNames(fresh)
	for _, s := range fresh {
		faulty[s.Name] = len(s.Problems) > 0
	}
	var names []string
	for _, s := range gone {
		for _, name := range systemNames([]*Script{s}) {
			if !faulty[s.Name] || slices.Contains(anew, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// planFault puts a fault of the order at the system that it names. remove are
// the systems that go, scripts those that would be there.
func (m *Module) planFault(err error, remove []string, scripts []*Script) *diag.Error {
	e := &diag.Error{Message: err.Error(), Err: err}
	var plan *ecs.PlanError
	if !errors.As(err, &plan) {
		return e
	}
	names := slices.DeleteFunc(m.world.Schedule().Names(), func(name string) bool { return slices.Contains(remove, name) })
	for _, s := range scripts {
		names = append(names, systemNames([]*Script{s})...)
		for _, sys := range s.Systems {
			if sys.Name == plan.System {
				e.Script, e.Line, e.System = sys.Script, sys.Line, sys.Name
			}
		}
	}
	// The sentinels are for programs: "which does not exist" and "exists already" say
	// the same to people.
	e.Message = strings.TrimPrefix(strings.TrimPrefix(e.Message, ecs.ErrUnknown.Error()+": "), ecs.ErrConflict.Error()+": ")
	if plan.Missing != "" {
		e.Message += diag.DidYouMean(plan.Missing, names)
	}
	return e
}

// duplicates finds systems, kernels and handlers that two scripts declare.
func duplicates(stay, fresh []*Script) []*diag.Error {
	var problems []*diag.Error
	owner := map[string]string{}
	claim := func(script *Script, line int, kind, name string, isNew bool) {
		key := kind + " " + name
		if other, taken := owner[key]; taken && isNew && other != script.Name {
			problems = append(problems, &diag.Error{
				Script: script.Name, Line: line, Message: fmt.Sprintf("%s %q is declared in %s already", kind, name, other),
			})
		}
		owner[key] = script.Name
	}
	for i, s := range slices.Concat(stay, fresh) {
		isNew := i >= len(stay)
		for _, sys := range s.Systems {
			claim(s, sys.Line, "system", sys.Name, isNew)
		}
		for _, k := range s.kernels {
			claim(s, k.Line, "kernel", k.Name, isNew)
		}
		for _, h := range s.handlers {
			claim(s, h.line, "handler", h.name, isNew)
		}
	}
	return problems
}

// A load never throws away what a script has forgotten: values of a component that no
// file declares any more stay with their entities, and what ecs.state holds stays when
// its default is something else by now. The verdict says so, because nobody sees them.

// noteHidden notes what scripts cannot reach any more once the load is accepted.
func (m *Module) noteHidden(stay, gone, fresh []*Script) {
	known := map[string]bool{}
	for _, s := range slices.Concat(stay, fresh) {
		for _, c := range s.Components {
			known[c.Name] = true
			if c.Was != "" {
				known[c.Was] = true // whatever becomes of it is said elsewhere
			}
		}
		for _, d := range s.drops {
			known[d.name] = true
		}
	}
	for _, s := range gone {
		for _, c := range s.Components {
			if known[c.Name] || !c.Ready {
				continue
			}
			known[c.Name] = true
			if n := m.holders(c.ID); n > 0 {
				m.staged.notes = append(m.staged.notes, fmt.Sprintf(
					"%s: %s have it, and no file declares it any more: their values stay, unseen, until one declares %q again; "+
						"if it has another name now, give that the option was = %q; if they can go, ecs.drop(%q)",
					c.Name, heads(n), c.Name, c.Name, c.Name))
			}
		}
	}
}

// noteForgotten notes the state tables that no script names any more.
func (m *Module) noteForgotten(stay, gone, fresh []*Script) {
	known := map[string]bool{}
	for _, s := range slices.Concat(stay, fresh) {
		for _, name := range s.stateNames {
			known[name] = true
		}
	}
	for _, s := range gone {
		for _, name := range s.stateNames {
			t := m.states[name]
			if known[name] || t == nil {
				continue
			}
			known[name] = true
			if k, _ := value.Unwrap(t).Next(lua.LNil); k != lua.LNil {
				m.staged.notes = append(m.staged.notes, fmt.Sprintf(
					"ecs.state %q: no file uses it any more: what it holds stays, unseen, until one does again", name))
			}
		}
	}
}

// noteStates notes the keys of ecs.state that hold something else than what their
// new defaults are.
func (m *Module) noteStates(fresh []*Script) {
	for _, s := range fresh {
		for _, d := range s.states {
			content := value.Unwrap(d.table)
			value.Pairs(d.defaults, func(k, v lua.LValue) {
				held := content.RawGet(k)
				if held == lua.LNil || held.Type() == v.Type() {
					return
				}
				m.staged.notes = append(m.staged.notes, fmt.Sprintf(
					"ecs.state %q in %s: key %s holds a %s and keeps it, the default is a %s now: convert it, or use another key",
					m.stateName(d.table), s.Name, value.Describe(k), held.Type(), v.Type()))
			})
		}
	}
}

// stateName returns the name of a state table.
func (m *Module) stateName(t *lua.LTable) string {
	for name, known := range m.states {
		if known == t {
			return name
		}
	}
	return ""
}
