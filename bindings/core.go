package bindings

import (
	"log/slog"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/facts"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/ecs"
)

// Options say where a binding's output goes. The zero value is useful.
type Options struct {
	// Output gets what scripts log. Nil means that it is thrown away.
	Output Output
	// Source is what is known of the texts of scripts. Nil means that nothing is.
	Source facts.Source
	// Budget bounds what each call into a script may use. Nil means that nothing does.
	Budget Budget
	// Compile begins the kernel of an each function, or says why there is none.
	// Nil means that there are no kernels.
	Compile func(KernelSource) (Compilation, *diag.Error)
	// Data returns what a data file holds, for the script that asks at its top level; of a table
	// with a key column, the rows by that. An error has its place in the file, or none if it is the
	// call's own. Nil means that there are no data files.
	Data func(L *lua.LState, script, file, key string) (lua.LValue, *diag.Error)
	// Asset returns the ID of the asset of a path, for a script that asks at its top level, and loads
	// it. Nil means that there are none.
	Asset func(L *lua.LState, name string) (uint32, error)
	// Slots lets scripts ask for saves and loads.
	Slots bool
	// Scenes are the scene files. Nil means that there are none, or that nobody knows them.
	Scenes Scenes
	// Limits bound what scripts record.
	Limits Limits
	// Unsure is told, in a rehearsal, that a top level asks for something that only
	// the running game can answer; see [NewRehearsal].
	Unsure func()
}

// Output is where the log of scripts goes, and what is said in it.
type Output interface {
	// Log writes a line: of the script for which it happens, whose system runs, and with
	// the place of the call. text is what was put together of its bytes, see diag.LongestLog.
	Log(level slog.Level, payer string, at diag.Place, text string, bytes int)
	// Text returns a value as it is logged, as tostring does.
	Text(L *lua.LState, v lua.LValue) string
	// Place returns the innermost place in a script.
	Place(L *lua.LState) diag.Place
}

// Identities are the numbers in the texts that tostring makes of values: they count up. See [Kept].
type Identities interface {
	// LastNumber returns the last one that was given.
	LastNumber() uint64
	// RewindNumbers makes last the last one; values have none above known any more.
	RewindNumbers(known, last uint64)
	// NumberTable gives a table its number.
	NumberTable(t *machine.Table, n uint64)
	// NumberedTables visits the tables that have one.
	NumberedTables(visit func(t *machine.Table, n uint64))
}

// core is what all parts of a binding share. It knows none of them.
type core struct {
	world *ecs.World // nil in a rehearsal
	main  *lua.LState
	opts  Options
	tag   uint16
	types metatables
	tx    *tx.Runner     // of the calls into scripts
	exec  *exec.Executor // of functions over rows

	ground     ground
	components *decl.Registry[decl.Component, *decl.Component]
	events     *decl.Registry[decl.Event, *decl.Event]

	script *Declarations   // being declared, nil otherwise
	judged *fault.Part     // what an error is about of a call that a Judge makes; nil: calls are real
	staged *staging        // what this load has declared so far; nil: there is no load
	free   *args           // of a call that has ended
	noted  *hostCall       // whose change is being made that a kernel has noted
	byName bool            // the call of a console is running, in which texts name components and the like
	among  []*Declarations // whose prefabs it knows by name
}

// metatables of the values that scripts hold.
type metatables struct {
	component, value, event, eventValue, prefab, kernel, batch, column, resource, field, context, api, drawing *lua.LTable
	state                                                                                                      *lua.LTable    // of all state tables that have their content
	stateWrite, stateLen                                                                                       *lua.LFunction // of all state tables
	partWrite                                                                                                  *lua.LFunction // of all tables of resources
}

// callerNow returns where the code of scripts is that records a command now, for tools that ask who has changed
// something.
func (c *core) callerNow() ecs.Caller {
	if c.noted != nil {
		return c.noted.caller
	}
	if fn, pc := lua.Where(c.main); fn != nil {
		return ecs.Caller{Code: fn, At: pc}
	}
	return ecs.Caller{}
}

// wrap makes the userdata that stands for a Go value in Lua.
func wrap(v any, meta *lua.LTable) *lua.LUserData {
	return lua.NewUserData(v, meta)
}

// ours reports whether a handle is 0 or was given out by this world, dead by now or
// not.
func (c *core) ours(e ecs.Entity) bool {
	return e == 0 || e.Tag() == c.tag && e.Generation() > 0
}

// unsure ends a rehearsed call that asks for what only the running game knows.
func (c *core) unsure(L *lua.LState) {
	if !c.ground.live() {
		c.opts.Unsure()
		fault.Raisef(L, "only the running game knows this")
	}
}

// newData returns memory for one value, filled with the default.
func (c *core) newData(of *decl.Component) unsafe.Pointer {
	if of.Broken {
		return nil // nothing is stored: see fill
	}
	if of.Ready {
		if t := c.ground.goType(of); t != nil {
			return value.NewGo(t, of.Schema)
		}
	}
	return newStruct(of.Schema)
}

// newStruct returns memory for a value without pointers, filled with the default.
func newStruct(s *ecs.Schema) unsafe.Pointer {
	p := value.PointerTo(make([]uint64, s.Size/8+1))
	copy(value.BytesAt(p, s.Size), s.Default)
	return p
}

// ecsValue gives the value in the form that commands take. The component must be in
// force.
func (c *core) ecsValue(v *decl.Value) ecs.Value { return c.world.Raw().ValueAt(v.Comp.ID, v.Data) }

// Uint64 draws from the generator of the running system, or of the world when
// none runs. It makes the binding the source of math.random.
func (c *core) Uint64() uint64 {
	if c.tx.Call != nil {
		return c.tx.Call.Tick.Random().Uint64()
	}
	return c.ground.draw()
}

// Log writes a line of so many bytes to the host's log with the place of the Lua code that
// is running; the host's print goes through it.
func (c *core) Log(L *lua.LState, level slog.Level, text string, bytes int) {
	if c.opts.Output == nil {
		return
	}
	at := c.opts.Output.Place(L)
	payer := at.Script
	switch {
	case c.tx.Call != nil && c.tx.Call.Script != "":
		payer = c.tx.Call.Script
	case c.script != nil:
		payer = c.script.Name
	}
	if at.Script == "" {
		at.Script = payer // a function of the host's that nothing of Lua called
	}
	c.opts.Output.Log(level, payer, at, text, bytes)
}

// shown returns a value as it is logged.
func (c *core) shown(L *lua.LState, v lua.LValue) string {
	if c.opts.Output != nil {
		return c.opts.Output.Text(L, v)
	}
	return L.ToStringMeta(v).String()
}

// Protect calls a function of a script, and returns what failed as an error, panics included;
// nil when nothing did.
func Protect(L *lua.LState, body *lua.LFunction, given ...lua.LValue) *diag.Error {
	return value.Protect(func() error { return tx.PCall(L, body, given...) })
}

// Limits bound what scripts record.
type Limits = tx.Limits

// Budget bounds what calls of scripts may use. The script host has one.
type Budget = tx.Budget

// What runs functions over rows is in package exec. These are its types that hosts and
// compilers of functions use.
type (
	System      = exec.System      // a system as a script declared it
	ScriptError = exec.ScriptError // of an entity for which a function has failed

	KernelSource = exec.KernelSource // what it is made of
	Compilation  = exec.Compilation  // one that is being made
)
