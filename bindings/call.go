package bindings

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// call is one call into a script, from begin to end. It knows how to undo what
// the call writes.
type call struct {
	tick   *ecs.Tick
	name   string // of the system, observer or timer
	script string
	entity ecs.Entity // that an each function is working on
	batch  *batch     // that a batch function is working on
	rows   bool       // an each function is working on rows
	once   bool       // nobody makes this call again, as of an on_start function

	undo   undo
	timers []pendingTimer
	read   []position
	wrote  []written         // into state tables
	parts  map[place]*nested // of resources, that scripts have read
	dates  ecs.Dates         // what it has looked at and stamped

	contexts []*context // that functions may have kept

	before   recorded       // by the system, before this call
	setsRoom int            // sets of components that its commands may bring about; 0: not asked yet
	waiting  map[string]int // timers that it makes, by the script of their handler
}

// position is where an event reader stood before the call read on.
type position struct {
	reader *ecs.Reader
	at     uint64
}

// reads notes where a reader stands: a call that fails has not read.
func (c *call) reads(r *ecs.Reader) *ecs.Reader {
	c.read = append(c.read, position{r, r.Position()})
	return r
}

// rollback puts back what was saved, newest first.
func (c *call) rollback() {
	undoWrites(c.wrote)
	for i := len(c.read) - 1; i >= 0; i-- {
		c.read[i].reader.Rewind(c.read[i].at)
	}
	c.dates.Rewind()
	c.undo.restore(0, func(*saved) bool { return true })
}

// reset makes the call ready for its next use.
func (c *call) reset() {
	c.tick, c.name, c.script, c.entity, c.batch, c.rows, c.once = nil, "", "", 0, nil, false, false
	c.before, c.waiting, c.setsRoom = recorded{}, nil, 0
	for _, x := range c.parts {
		x.over = true
	}
	c.parts = nil
	c.undo.forget()
	c.dates.Forget()
	c.timers, c.read, c.wrote = emptied(c.timers), emptied(c.read), emptied(c.wrote)
	c.contexts = emptied(c.contexts) // each is part of a system, with all that its function holds
}

// emptied returns the room of a slice, which lets go of what was in it.
func emptied[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// invoke runs body as a call of a script: protected, metered by the host, and
// undone when it fails. The error is an *Error.
func (m *Module) invoke(t *ecs.Tick, script, name string, body func(L *lua.LState)) error {
	return m.perform(t, script, name, m.function(body))
}

// perform is invoke for a body that is a Lua value already, for those that run
// often: making one is garbage.
func (m *Module) perform(t *ecs.Tick, script, name string, body *lua.LFunction) error {
	if err := m.enter(t, script, name); err != nil {
		return err
	}
	return m.leave(m.protect(body))
}

// function makes a Go function one that the Lua machine calls.
func (m *Module) function(body func(L *lua.LState)) *lua.LFunction {
	return m.main.NewFunction(func(L *lua.LState) int {
		body(L)
		return 0
	})
}

// enter begins a call of a script; leave ends it.
func (m *Module) enter(t *ecs.Tick, script, name string) error {
	if m.call != nil {
		return fmt.Errorf("%w: a script call inside a script call", ecs.ErrIterating)
	}
	c := m.free
	if m.free = nil; c == nil {
		c = &call{}
	}
	c.tick, c.name, c.script = t, name, script
	if m.opts.Scripts != nil {
		m.usage.of = m.opts.Scripts()
	}
	m.usage.begin(c)
	m.call = c
	return nil
}

// leave ends a call, which is undone if it has failed.
func (m *Module) leave(err error) (failed error) {
	c := m.call
	if err == nil {
		err = m.tooManySets(c) // what no function was asked for, or the script has caught
	}
	m.call = nil
	if err != nil {
		c.rollback()
		failed = m.blame(c, err)
	} else {
		m.timers.commit(c)
		m.usage.commit(c)
	}
	for _, x := range c.contexts {
		x.table = m.recall(x.table, m.overTable(overContext))
	}
	c.reset()
	m.free = c
	return failed
}

// blame completes an error with what the call knows.
func (m *Module) blame(c *call, err error) *Error {
	e := fault(err)
	e.System, e.Tick = c.name, c.tick.N
	if e.Entity == 0 {
		e.Entity = c.entity
	}
	if e.Script == "" {
		e.Script = c.script
	}
	return e
}

// protect runs body on the module's thread, within the host's limits. A Lua
// error, a Go panic and a limit come back as errors; after a panic the thread is
// replaced.
func (m *Module) protect(body *lua.LFunction) (err error) {
	m.meter()
	m.epoch++
	held := m.hold()
	defer func() {
		if r := recover(); r != nil {
			m.broken = true
			err = fmt.Errorf("the script broke the Lua machine: %v", r)
		}
		held.Release()
		m.over(err)
	}()
	return pcall(m.thread, body)
}

// hold takes the world's iteration lock for a call into scripts. Why for the whole
// call, and not for the loop over the query only? Rows that were gathered outlive the
// loop, and so do the places that the undo writes to. The host's own functions,
// which scripts call, must not move them.
func (m *Module) hold() ecs.Hold {
	if m.world == nil {
		return ecs.Hold{} // a rehearsal
	}
	return m.world.Hold()
}

// Running returns the tick of the call that is running, nil when there is none.
func (m *Module) Running() *ecs.Tick {
	if m.call == nil {
		return nil
	}
	return m.call.tick
}

// meter sets the host's limits for the call that is running. They are set once
// for a call, and before the Lua machine works for it.
func (m *Module) meter() {
	if m.metered {
		return
	}
	m.metered = true
	if m.opts.Begin != nil {
		script := ""
		if m.call != nil {
			script = m.call.script
		}
		if m.migrating && m.opts.Migrate != nil {
			m.opts.Migrate(m.thread, script)
			return
		}
		m.opts.Begin(m.thread, script)
	}
}

// over ends what protect or unaided has begun.
func (m *Module) over(err error) {
	m.epoch++
	if m.metered {
		m.metered = false
		if m.opts.End != nil {
			m.opts.End(m.thread)
		}
	}
	if err == nil && !m.broken {
		return
	}
	if api, ok := err.(*lua.ApiError); m.broken || ok && api.Type == lua.ApiErrorPanic {
		m.broken = false
		m.newThread()
	}
	m.thread.SetTop(0)
}

// pcall calls a function without parameters and catches what it raises. Of a table with
// __tostring, as of objects that some make for errors, the text counts: it is asked for
// here, within the limits of the call.
func pcall(L *lua.LState, body *lua.LFunction) error {
	L.Push(body)
	err := L.PCall(0, 0, nil)
	api, ok := err.(*lua.ApiError)
	if !ok || api.Type == lua.ApiErrorPanic {
		return err
	}
	if t, ok := api.Object.(*lua.LTable); ok && Over(t) == "" {
		if words, ok := spoken(L, t); ok {
			api.Object = words
		}
	}
	return err
}

// spoken asks a table for its text.
func spoken(L *lua.LState, t *lua.LTable) (lua.LString, bool) {
	meta, _ := t.Metatable.(*lua.LTable)
	if meta == nil || t.RawGetString("message") != lua.LNil {
		return "", false
	}
	fn, ok := meta.RawGetString("__tostring").(*lua.LFunction)
	if !ok {
		return "", false
	}
	top := L.GetTop()
	defer L.SetTop(top)
	L.Push(fn)
	L.Push(t)
	if L.PCall(1, 1, nil) != nil {
		return "", false
	}
	words, ok := L.Get(-1).(lua.LString)
	return words, ok
}

// raise throws a complete error from Go code that a script did not call.
func raise(L *lua.LState, e *Error) {
	L.Error(&lua.LUserData{Value: e, Metatable: lua.LNil}, 0)
}

// context is the ctx table of one script function, filled anew for each call. It is a
// loan.
type context struct {
	table *lua.LTable
	keeps bool // one of the functions that get it may keep it
}

// lend notes that a function gets the ctx as its n-th parameter.
func (x *context) lend(fn *lua.LFunction, n int) { x.keeps = x.keeps || mayKeep(fn, n, false) }

// overContext is said to whoever uses a ctx later.
const overContext = "this ctx is over: it lasts for one call; keep ctx.time or ctx.tick, not ctx itself"

func (m *Module) fill(x *context, t *ecs.Tick) lua.LValue {
	return m.fillWith(x, m.times(t))
}

// times are the dt, time and tick of a run as Lua values. They are new ones, since
// scripts may keep them.
func (m *Module) times(t *ecs.Tick) [3]lua.LValue {
	return [3]lua.LValue{m.Number(t.DT), m.Number(t.Time), m.Number(float64(t.N))}
}

func (m *Module) fillWith(x *context, times [3]lua.LValue) lua.LValue {
	if x.table == nil {
		x.table = m.main.CreateTable(0, 4)
		x.table.Metatable = m.types.context
	}
	for i, name := range contextFields {
		x.table.RawSetString(name, times[i])
	}
	if x.keeps && m.call != nil {
		m.call.contexts = append(m.call.contexts, x)
	}
	return x.table
}

// contextIndex answers for names that ctx does not have.
func contextIndex(L *lua.LState) int {
	L.RaiseError("%s", contextLacks(L.Get(2).String()))
	return 0
}

// contextFields are what ctx has.
var contextFields = []string{"dt", "time", "tick"}

func contextLacks(name string) string {
	return sayf("ctx has no %q: it has dt, time and tick", name)
}
