package bindings

import (
	gocontext "context"
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// runner runs calls of scripts, one after the other, each a transaction: what a call
// has written is put back when it fails, what it has recorded is counted when it
// succeeds.
//
// Invariant: call is nil, or the one call that is running; metered says that the host has
// set its limits for it, and epoch is another number before, in and after each call.
type runner struct {
	world  *ecs.World // nil in a rehearsal
	main   *lua.LState
	budget Budget // nil: nothing is bounded
	limits *Limits

	thread    *lua.LState // runs script functions; replaced when a panic escapes it
	call      *call       // running, nil otherwise
	free      *call       // reused
	usage     usage       // of this tick
	timers    timers
	epoch     uint64 // counts the beginnings and ends of calls into scripts
	metered   bool   // the host has set its limits for the call
	migrating bool   // a migrate function is called
	broken    bool   // the thread is beyond repair, and is replaced after the call
}

// Budget bounds what calls of scripts may use; the script host has one.
type Budget interface {
	// Begin and End are called before and after each call into a script, Begin with the
	// script's name, which is empty for a top level. migrate says that the function
	// converts values of an older form.
	Begin(L *lua.LState, script string, migrate bool)
	End(L *lua.LState)
	// Attach has a context count what runs on a thread.
	Attach(L *lua.LState, ctx gocontext.Context)
	// Scripts returns how many scripts there are, for what each may still do when the
	// limits of a tick are used up. 0: few are.
	Scripts() int
	// Spent reports whether a script has used up what it may use in this tick, and
	// Barred whether a call of it would fail at its first instruction.
	Spent(script string) bool
	Barred(script string) bool
}

// Loan is what a script has for one call. Recall ends it.
type Loan interface{ Recall() }

// call is one call into a script, from begin to end. It knows how to undo what
// the call writes.
type call struct {
	tick   *ecs.Tick
	name   string // of the system, observer or timer
	script string
	entity ecs.Entity // that an each function is working on
	rows   bool       // an each function is working on rows
	once   bool       // nobody makes this call again, as of an on_start function

	undo   undo
	timers []pendingTimer
	read   []position
	wrote  []written // into state tables
	dates  ecs.Dates // what it has looked at and stamped

	loans []Loan // that functions may have kept

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

// lend notes that something is over when the call ends.
func (c *call) lend(x Loan) { c.loans = append(c.loans, x) }

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
	c.tick, c.name, c.script, c.entity, c.rows, c.once = nil, "", "", 0, false, false
	c.before, c.waiting, c.setsRoom = recorded{}, nil, 0
	c.undo.forget()
	c.dates.Forget()
	c.timers, c.read, c.wrote = emptied(c.timers), emptied(c.read), emptied(c.wrote)
	c.loans = emptied(c.loans) // each may be part of a system, with all that its function holds
}

// emptied returns the room of a slice, which lets go of what was in it.
func emptied[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// invoke runs body as a call of a script: protected, metered by the host, and
// undone when it fails. The error is an *Error.
func (r *runner) invoke(t *ecs.Tick, script, name string, body func(L *lua.LState)) error {
	return r.perform(t, script, name, r.function(body))
}

// perform is invoke for a body that is a Lua value already, for those that run
// often: making one is garbage.
func (r *runner) perform(t *ecs.Tick, script, name string, body *lua.LFunction) error {
	if err := r.enter(t, script, name); err != nil {
		return err
	}
	return r.leave(r.protect(body))
}

// function makes a Go function one that the Lua machine calls.
func (r *runner) function(body func(L *lua.LState)) *lua.LFunction {
	return r.main.NewFunction(func(L *lua.LState) int {
		body(L)
		return 0
	})
}

// enter begins a call of a script; leave ends it.
func (r *runner) enter(t *ecs.Tick, script, name string) error {
	if r.call != nil {
		return fmt.Errorf("%w: a script call inside a script call", ecs.ErrIterating)
	}
	c := r.free
	if r.free = nil; c == nil {
		c = &call{}
	}
	c.tick, c.name, c.script = t, name, script
	if r.budget != nil {
		r.usage.of = r.budget.Scripts()
	}
	r.usage.begin(c)
	r.call = c
	return nil
}

// leave ends a call, which is undone if it has failed.
func (r *runner) leave(err error) (failed error) {
	c := r.call
	if err == nil {
		err = r.tooManySets(c) // what no function was asked for, or the script has caught
	}
	r.call = nil
	if err != nil {
		c.rollback()
		failed = r.blame(c, err)
	} else {
		r.timers.commit(c)
		r.usage.commit(c)
	}
	for _, x := range c.loans {
		x.Recall()
	}
	c.reset()
	r.free = c
	return failed
}

// blame completes an error with what the call knows.
func (r *runner) blame(c *call, err error) *Error {
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
func (r *runner) protect(body *lua.LFunction) (err error) {
	r.meter()
	r.epoch++
	held := r.hold()
	defer func() {
		if cause := recover(); cause != nil {
			r.broken = true
			err = fmt.Errorf("the script broke the Lua machine: %v", cause)
		}
		held.Release()
		r.over(err)
	}()
	return pcall(r.thread, body)
}

// hold takes the world's iteration lock for a call into scripts. Why for the whole
// call, and not for the loop over the query only? Rows that were gathered outlive the
// loop, and so do the places that the undo writes to. The host's own functions,
// which scripts call, must not move them.
func (r *runner) hold() ecs.Hold {
	if r.world == nil {
		return ecs.Hold{} // a rehearsal
	}
	return r.world.Hold()
}

// meter sets the host's limits for the call that is running. They are set once
// for a call, and before the Lua machine works for it.
func (r *runner) meter() {
	if r.metered {
		return
	}
	r.metered = true
	if r.budget == nil {
		return
	}
	script := ""
	if r.call != nil {
		script = r.call.script
	}
	r.budget.Begin(r.thread, script, r.migrating)
}

// over ends what protect or unaided has begun.
func (r *runner) over(err error) {
	r.epoch++
	if r.metered {
		r.metered = false
		if r.budget != nil {
			r.budget.End(r.thread)
		}
	}
	if err == nil && !r.broken {
		return
	}
	if api, ok := err.(*lua.ApiError); r.broken || ok && api.Type == lua.ApiErrorPanic {
		r.broken = false
		r.newThread()
	}
	r.thread.SetTop(0)
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
	if t, ok := api.Object.(*lua.LTable); ok && value.Over(t) == "" {
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

// newThread replaces the thread: after a Go panic its stack is beyond repair.
func (r *runner) newThread() { r.thread, _ = r.main.NewThread() }
