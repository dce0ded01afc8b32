package bindings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// Begin starts a load. Declarations are recorded until Commit or Abandon.
func (m *Binding) Begin() {
	m.staged = &staging{states: map[string]*lua.LTable{}, renamed: map[string]*decl.Component{}}
	m.components.Staged, m.events.Staged = map[string]*decl.Component{}, map[string]*decl.Event{}
	m.migration = &migration{core: m.core, readers: m.readers, dropped: m.dropped, drops: map[string]diag.Place{}}
}

// Abandon ends a load that was refused. Nothing of it remains, not even what its
// top level wrote into state tables.
func (m *Binding) Abandon() {
	if m.staged != nil {
		m.staged.wrote.Undo()
		for _, k := range m.staged.kernels {
			k.Close()
		}
		m.migration.abandon()
	}
	m.forget()
}

// forget ends a load without a word to those who have a part in it.
func (m *Binding) forget() {
	m.staged, m.components.Staged, m.events.Staged, m.migration = nil, nil, nil, nil
}

// Affected returns the scripts among stay that must be run again because they declare a
// component or an event, too, which this load changes. first are the scripts that have
// the new text; run before all others, they are where everybody finds it.
func (m *Binding) Affected(stay []*Declarations) (names, first []string) {
	changed := map[string]bool{}
	for _, c := range m.components.Changed() {
		changed["component "+c.Name], changed["component "+c.Changes.Name] = true, true
		first = append(first, c.Script)
	}
	for _, e := range m.events.Changed() {
		changed["event "+e.Name] = true
		first = append(first, e.Script)
	}
	for _, s := range stay {
		if slices.ContainsFunc(s.uses, func(use string) bool { return changed[use] }) {
			names = append(names, s.Name)
		}
	}
	return names, first
}

// Declare runs a script's top level and returns what it declared, with every
// fault in Problems: none means that the file is good on its own. A script that
// another one requires is declared inside the other's Declare, on the state L
// that requires it; the outermost has a nil L.
func (m *Binding) Declare(L *lua.LState, name string, run func(L *lua.LState)) *Declarations {
	outer, s := m.script, &Declarations{Name: name}
	m.script = s
	defer func() { m.script = outer }()
	var err error
	if L != nil {
		err = tx.PCall(L, m.tx.Function(run))
	} else {
		err = m.tx.Protect(m.tx.Function(run))
	}
	if err != nil {
		e := value.Caught(err)
		if e.Script == "" {
			e.Script = name
		}
		e.Message += calledIn(name, e)
		s.Problems = append(s.Problems, e)
	} else {
		s.Ended = true
		s.noTables()
	}
	s.named, s.firsts = nil, nil // nothing is declared any more
	return s
}

// calledIn says in which line of a file, whose top level was running, a function was called
// that has failed. If it is one of the file's own, that is the line of the top level.
func calledIn(name string, e *diag.Error) string {
	calls := slices.DeleteFunc(slices.Clone(e.Trace), func(f diag.Frame) bool { return f.At.Script != name || f.At.Line == 0 })
	switch {
	case e.Script == name && (len(calls) == 0 || calls[len(calls)-1].At.Line == e.Line):
		return ""
	case e.Script == name:
		slices.Reverse(calls)
	case e.Trace.Caller(e.Script).Line > 0: // Error says it
		return ""
	case len(calls) == 0:
		return fmt.Sprintf(" (while the top level of %s was running)", name)
	}
	return fmt.Sprintf(" (called in %s)", calls[0].At)
}

// Commit makes a checked load real: components and events are registered, the
// scripts in gone end, those in fresh begin. The error is the world's, for what
// Check cannot see: limits.
func (m *Binding) Commit(gone, fresh []*Declarations) error {
	defer m.Abandon()
	m.scripted.stale = true
	var add []ecs.System
	for _, s := range fresh {
		if err := m.register(s); err != nil {
			return err
		}
	}
	for _, s := range fresh {
		for _, sys := range s.Systems {
			add = append(add, m.build(sys))
		}
	}
	switched := m.switches.during(m.world.Schedule(), gone, fresh)
	if err := m.world.Schedule().Change(systemNames(gone), add); err != nil {
		return err
	}
	m.switches = switched
	m.switches.apply(m.world.Schedule(), fresh)
	m.staged.kernels = nil // the systems' from here on
	for _, s := range fresh {
		for _, sys := range append(s.Kernels(), s.Systems...) {
			m.exec.Commence(sys)
		}
	}
	m.migration.commit()
	for _, s := range fresh {
		m.components.Renew(s.Components)
		m.events.Renew(s.events)
	}
	m.notes = m.migration.notes
	m.keepInvariants(gone, fresh)
	for _, s := range gone {
		m.retire(s)
	}
	m.readers.inherit(heirs(gone, fresh))
	err := m.begin(fresh)
	m.exec.Records.Take(systemsOf(gone), systemsOf(fresh))
	if err != nil {
		return err
	}
	m.migration.settle()
	return nil
}

// systemsOf returns all systems and kernels of some scripts.
func systemsOf(scripts []*Declarations) (list []*exec.System) {
	for _, s := range scripts {
		list = slices.Concat(list, s.Systems, s.Kernels())
	}
	return list
}

// Gone returns the systems and kernels that loads have removed, and that have a record: at most a
// thousand of them, those that went first first. They are good until the next load.
func (m *Binding) Gone() []exec.GoneSystem { return m.exec.Records.Gone }

// Notes says what the load that was accepted last has done to values that exist.
func (m *Binding) Notes() []string {
	notes := m.notes
	m.notes = nil
	return notes
}

// register gives components and events their numbers. Those whose values the load changes
// have one, and stay as they are until nothing can refuse the load any more.
func (m *Binding) register(s *Declarations) error {
	err := m.components.Accept(s.Components, func(c *decl.Component) error {
		come := m.Keeper.Adopting([]Unseen{{false, c.Name}})
		id, err := m.world.Raw().Define(*c.Schema, c.Sparse, c.Options()...)
		if err != nil {
			return err
		}
		come()
		schema := *m.world.Raw().Schema(id)
		schema.Default = c.Schema.Default // that of the newest text
		c.ID, c.Schema = id, &schema
		return nil
	})
	if err != nil {
		return err
	}
	return m.events.Accept(s.events, func(e *decl.Event) error {
		come := m.Keeper.Adopting([]Unseen{{true, e.Name}})
		id, err := m.world.Raw().DefineEvent(*e.Schema)
		e.ID = id
		come()
		return err
	})
}

// retire ends what an old script had outside of the schedule.
func (m *Binding) retire(s *Declarations) {
	m.callbacks.retire(s)
	m.timers.retire(s)
	m.states.undoubt(s)
	for _, sys := range s.Systems {
		sys.Compiled.Close()
		if sys.Faults != nil {
			m.exec.Unpark(sys.Faults)
		}
	}
	for _, k := range s.kernels {
		m.kernels.end(k)
	}
}

// begin starts what the new scripts have outside of the schedule, and forgets
// the event readers of systems that are gone.
func (m *Binding) begin(fresh []*Declarations) error {
	handled := map[string]bool{}
	defer m.callbacks.order()
	for _, s := range fresh {
		for _, sys := range s.Systems {
			if sys.Faults != nil {
				m.exec.Faulty = append(m.exec.Faulty, sys.Faults)
			}
		}
		for _, k := range s.kernels {
			m.kernels.begin(k)
		}
		if err := m.callbacks.begin(s); err != nil {
			return err
		}
		m.timers.begin(s, handled)
		for _, d := range s.states {
			m.states.mergeDefaults(m.main, d.table, d.defaults)
			m.states.doubt(d)
		}
	}
	m.tx.Timers.Belong(m.timers.ownerOf, handled)
	maps.Copy(m.states.tables, m.staged.states)
	m.states.written++
	m.staged.wrote = tx.StateWrites{} // what the new scripts wrote stays
	m.readers.close(m.lives)
	return nil
}

// lives reports whether what calls itself so may ask for events again: a system, the
// handler of a timer, an observer, a handler of errors.
func (m *Binding) lives(name string) bool {
	_, isSystem := m.world.Schedule().Health(name)
	return isSystem || m.timers.lives(name) || m.callbacks.lives(name)
}

// build makes the runnable system, once its components are committed.
func (m *Binding) build(s *exec.System) ecs.System {
	out := s.Spec
	out.Serial = "scripts share one Lua state"
	out.Unchanged = func(*ecs.World) bool { return s.Restless() }
	if s.When != nil {
		s.Context.Lend(s.When, 0)
	}
	switch {
	case s.On != nil:
		out.Run, out.Event = m.readers.eventRunner(s), s.On.Name
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
	out.Run = idling(s, out.Run)
	return out
}

// idling has runs in which the system had nothing to do, neither a row nor a call, say so: one
// that fails for each event is not well because there was none.
func idling(s *exec.System, run func(*ecs.Tick) error) func(*ecs.Tick) error {
	return func(t *ecs.Tick) error {
		before := s.Ran.Turns()
		err := run(t)
		if err == nil && s.Ran.Turns() == before {
			t.Idle()
		}
		return err
	}
}

// A designer deletes a file, or the text of a system, and brings it back with a later save. What
// ecs.enable said of the system is of the game, as ecs.state is, and holds again then.

// switches are the systems that are gone and that were the other way than their text asked for:
// off by ecs.enable(name, false), or on by ecs.enable(name, true) with enabled = false. Those that went
// first come first.
//
// Invariant: no name stands twice, no name is that of a system in the schedule, and there are no more than
// mostSwitches. So games that load and drop systems without end take no more memory.
type switches []switched

// switched says how a system was. What its text asked for was the contrary.
type switched struct {
	system string
	on     bool
}

// mostSwitches is how many are kept: the oldest goes for one more.
const mostSwitches = 1000

// during returns the switches after a change of the schedule, which may still be refused: those of
// systems that go and do not come again are new. O(systems that go and come, switches).
func (list switches) during(s *ecs.Schedule, gone, fresh []*Declarations) switches {
	list = slices.Clone(list)
	come := map[string]bool{}
	for _, d := range fresh {
		for _, sys := range d.Systems {
			come[sys.Name] = true
		}
	}
	going := setOf(systemNames(gone))
	for name, on := range s.Switched() {
		if !come[name] && going[name] {
			list = append(list, switched{name, on})
		}
	}
	return list.newest()
}

// appendTo appends the switches to others, and those that systems would leave if they went now: a world that is
// restored may be one of which they have gone. O(systems).
func (list switches) appendTo(others switches, s *ecs.Schedule, scripts []*Declarations) switches {
	others = append(others, list...)
	var declared map[string]bool // made for the first that is switched: a ring captures in each tick
	for name, on := range s.Switched() {
		if declared == nil {
			declared = setOf(systemNames(scripts))
		}
		if declared[name] {
			others = append(others, switched{name, on})
		}
	}
	return others.newest()
}

// newest drops the oldest switches above mostSwitches, and keeps the memory.
func (list switches) newest() switches {
	return slices.Delete(list, 0, max(0, len(list)-mostSwitches))
}

// apply gives systems that have come what there is about them, unless their text asks for something
// else than it did, and forgets it. O(systems that come, switches).
func (list *switches) apply(s *ecs.Schedule, fresh []*Declarations) {
	if len(*list) == 0 {
		return
	}
	come := map[string]*exec.System{}
	for _, d := range fresh {
		for _, sys := range d.Systems {
			come[sys.Name] = sys
		}
	}
	*list = slices.DeleteFunc(*list, func(x switched) bool {
		sys := come[x.system]
		if sys != nil && sys.Spec.Disabled == x.on { // it asks for what it asked for when it went
			s.Enable(x.system, x.on)
		}
		return sys != nil
	})
}
