package bindings

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Script is what one file declared.
type Script struct {
	Name       string
	Components []*decl.Component
	Systems    []*exec.System
	Problems   []*diag.Error // faults of declarations that did not end the file

	events     []*decl.Event
	prefabs    []*decl.Prefab
	observers  []*observer
	kernels    []*callable
	handlers   []*handler
	starts     []start
	reactions  []*reaction
	uses       []string // "component name" and "event name"
	fetched    []string // those of uses that it knows as they are in force
	onUnload   *swapHook
	onReload   []*swapHook
	states     []stateDefaults
	stateNames []string
	drops      []dropping
	begun      []*unfinished
	declared   declared
	named      map[string]int // how often a kind of name was given, with its kind
}

// Declares names all that the script has declared, with its kind.
func (s *Script) Declares() map[string]bool {
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

// Starts reports whether the script has on_start functions.
func (s *Script) Starts() bool { return len(s.starts) > 0 }

// staging is what the files of one load have declared so far: files that load
// later see it, the world does not.
type staging struct {
	components map[string]*decl.Component
	renamed    map[string]*decl.Component // by the name that they say they had
	drops      map[string]bool            // components whose values go
	moves      []moved                    // values that go over to other components
	events     map[string]*decl.Event
	states     map[string]*lua.LTable
	wrote      []tx.Written   // into state tables that were there
	kernels    []rows.Kernel  // made by Check, nobody's until Commit
	notes      []string       // what happens to values that exist
	change     *ecs.Migration // prepared by Check; nil when no values change
	bytes      int64          // that the files of this load have declared
}

// Begin starts a load. Declarations are recorded until Commit or Abandon.
func (m *Module) Begin() {
	m.staged = &staging{
		components: map[string]*decl.Component{}, events: map[string]*decl.Event{}, states: map[string]*lua.LTable{},
		renamed: map[string]*decl.Component{},
	}
}

// Abandon ends a load that was refused. Nothing of it remains, not even what its
// top level wrote into state tables.
func (m *Module) Abandon() {
	if m.staged != nil {
		tx.UndoWrites(m.staged.wrote)
		for _, k := range m.staged.kernels {
			k.Close()
		}
		if m.staged.change != nil {
			m.staged.change.Drop()
		}
	}
	m.staged = nil
}

// Declare runs a script's top level and returns what it declared, with every
// fault in Problems: none means that the file is good on its own. A script that
// another one requires is declared inside the other's Declare, on the state L
// that requires it; the outermost has a nil L.
func (m *Module) Declare(L *lua.LState, name string, run func(L *lua.LState)) *Script {
	outer, s := m.script, &Script{Name: name}
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
		switch e.Script {
		case name:
		case "":
			e.Script = name
		default:
			e.Message += calledIn(name, e.Trace)
		}
		s.Problems = append(s.Problems, e)
	} else {
		s.noTables()
	}
	return s
}

// calledIn says in which line of a file whose top level was running a function of
// another file was called that has failed.
func calledIn(name string, calls diag.Trace) string {
	for _, f := range calls {
		if f.At.Script == name {
			return fmt.Sprintf(" (called in %s:%d)", name, f.At.Line)
		}
	}
	return fmt.Sprintf(" (while the top level of %s was running)", name)
}

func systemNames(scripts []*Script) []string {
	var names []string
	for _, s := range scripts {
		for _, sys := range s.Systems {
			names = append(names, sys.Name)
		}
	}
	return names
}

// Commit makes a checked load real: components and events are registered, the
// scripts in gone end, those in fresh begin. The error is the world's, for what
// Check cannot see: limits.
func (m *Module) Commit(gone, fresh []*Script) error {
	defer m.Abandon()
	for _, s := range fresh {
		if err := m.register(s); err != nil {
			return err
		}
	}
	var add []ecs.System
	for _, s := range fresh {
		for _, sys := range s.Systems {
			add = append(add, m.build(sys))
		}
	}
	if err := m.world.Schedule().Change(systemNames(gone), add); err != nil {
		return err
	}
	m.staged.kernels = nil // the systems' from here on
	m.commitChanges()
	m.notes = m.staged.notes
	moves, drops := m.staged.moves, m.staged.drops
	m.retire(gone)
	if err := m.begin(fresh); err != nil {
		return err
	}
	m.settleNames(moves, drops)
	return nil
}

// register gives components and events their numbers.
func (m *Module) register(s *Script) error {
	for _, c := range s.Components {
		if c.Changes == nil {
			id, err := m.world.Raw().Define(*c.Schema, c.Sparse)
			if err != nil {
				return err
			}
			schema := *m.world.Raw().Schema(id)
			schema.Default = c.Schema.Default // that of the newest text
			c.ID, c.Schema = id, &schema
		}
		c.Ready = true
		m.components[c.Name] = c
		issue(m.issued, c.Name, c)
	}
	for _, e := range s.events {
		if e.Changes == nil {
			id, err := m.world.Raw().DefineEvent(*e.Schema)
			if err != nil {
				return err
			}
			e.ID = id
		}
		e.Ready = true
		m.events[e.Name] = e
		issue(m.issuedEvents, e.Name, e)
	}
	return nil
}

// retire ends what the old scripts had outside of the schedule.
func (m *Module) retire(gone []*Script) {
	for _, s := range gone {
		for _, o := range s.observers {
			m.world.Unobserve(o.name)
			delete(m.observing, o.name)
		}
		for _, h := range s.handlers {
			delete(m.handlers, h.name)
		}
		m.dropReactions(s)
		m.undoubt(s)
		for _, sys := range s.Systems {
			sys.Compiled.Close()
			if sys.Faults != nil {
				m.exec.Unpark(sys.Faults)
			}
		}
		for _, k := range s.kernels {
			m.endKernel(k)
		}
	}
}

// begin starts what the new scripts have outside of the schedule, and forgets
// the event readers of systems that are gone.
func (m *Module) begin(fresh []*Script) error {
	handled := map[string]bool{}
	for _, s := range fresh {
		for _, sys := range s.Systems {
			if sys.Faults != nil {
				m.exec.Faulty = append(m.exec.Faulty, sys.Faults)
			}
		}
		for _, k := range s.kernels {
			m.beginKernel(k)
		}
		for _, o := range s.observers {
			if err := m.world.Observe(m.buildObserver(o)); err != nil {
				return err
			}
			m.observing[o.name] = true
		}
		for _, h := range s.handlers {
			m.handlers[h.name] = h
			handled[h.name] = true
		}
		m.addReactions(s)
		for _, d := range s.states {
			m.mergeDefaults(m.main, d.table, d.defaults)
			m.doubt(d)
		}
	}
	m.tx.Timers.Belong(m.ownerOf, handled)
	for name, t := range m.staged.states {
		m.states[name] = t
	}
	m.staged.wrote = nil // what the new scripts wrote stays
	m.dropReaders()
	return nil
}

func (m *Module) dropReaders() {
	for key, r := range m.readers {
		if !m.lives(key.system) {
			r.Close()
			delete(m.readers, key)
		}
	}
}

// Start runs a script's on_start functions from a number on, up to the first
// that fails. Each is a transaction. It returns how many have run, those before
// from included, and whether these are all there are. The error may also tell of what
// those that have run could not do.
func (m *Module) Start(s *Script, from int) (done int, all bool, err error) {
	for done = from; done < len(s.starts); done++ {
		var ctx exec.Context
		undone, e := m.between("on_start "+s.Name, s.starts[done].at, func(t *ecs.Tick) error {
			return m.tx.Invoke(t, s.Name, "on_start", func(L *lua.LState) {
				m.tx.Call.Once = true
				L.Push(s.starts[done].fn)
				L.Push(m.exec.Fill(&ctx, t))
				L.Call(1, 0)
			})
		})
		if err = errors.Join(err, e); undone {
			return done, false, err
		}
	}
	return done, len(s.starts) > 0, err
}
