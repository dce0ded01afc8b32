//go:build !machine

package stdlib

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"
	"weak"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// Coroutines: gopher-lua's threads, each with a status and a context of the library's.
// A coroutine is found through its thread's context.

// status is what coroutine.status says of a coroutine.
type status string

const (
	suspended status = "suspended"
	running   status = "running"
	normal    status = "normal" // it has resumed another coroutine, and waits for it
	dead      status = "dead"
)

// threadBytes is about how much memory a coroutine takes.
const threadBytes = 8 << 10

// A coroutine is a thread, and at the same time the context of that thread. So it can pass
// the budget of its resumer on to the thread, and can stop a script that yields where it
// must not.
//
// Invariant: at most one coroutine of a library is running. The coroutine that has resumed
// it is normal, and so on up to the main program.
type coroutine struct {
	thread  *lua.LState
	body    *lua.LFunction
	status  status
	inner   context.Context // context of the resumer, while it is resumed; may be nil
	yielded bool            // it has yielded: no instruction may run until the next resume
	count   int             // how many values it has yielded
	group   *coroutineSet   // the coroutines of its script
	ended   bool            // Cancel has ended it
}

// coroutineSet holds the coroutines of one environment's functions.
//
// Invariant: alive is how many members are not dead. A coroutine that no value leads to any
// more counts as alive until collect has run.
type coroutineSet struct {
	alive   int
	members []weak.Pointer[coroutine] // weak, so that the collector can take them; some are dead
}

// join adds a coroutine. It drops dead members when they are more than half, so each join
// takes O(1) in the mean.
func (c *coroutineSet) join(co *coroutine) {
	if len(c.members) >= 2*c.alive+16 {
		c.members = slices.DeleteFunc(c.members, isDead)
	}
	c.members = append(c.members, weak.Make(co))
	c.alive++
}

// isDead reports whether a coroutine has ended, or the collector has taken it.
func isDead(w weak.Pointer[coroutine]) bool {
	co := w.Value()
	return co == nil || co.status == dead
}

// collect runs the garbage collector and counts the coroutines that values still lead to.
// It takes O(heap), which is why crowded charges CollectSteps for it.
func (c *coroutineSet) collect() {
	runtime.GC()
	c.members = slices.DeleteFunc(c.members, isDead)
	c.alive = len(c.members)
}

// Cancel ends the suspended coroutines of an environment's functions, and returns how many
// they were. For scripts that hold them they are dead from now on. Coroutines that no
// value leads to are counted, too, until the collector has taken them.
func (lib *Library) Cancel(env *lua.LTable) int {
	c := lib.alive[env]
	if c == nil {
		return 0
	}
	n := 0
	for _, w := range c.members {
		if co := w.Value(); co != nil && co.status == suspended {
			lib.bury(co)
			co.ended = true
			n++
		}
	}
	delete(lib.alive, env) // env leads to everything of the old version
	return n
}

// coroutines lists the functions of the table coroutine, except yield: see yieldFunction.
func (lib *Library) coroutines() []unbound {
	return []unbound{
		{"create", func(a args) int { return a.results(lib.create(a).thread) }},
		{"resume", lib.resume},
		{"running", lib.running},
		{"status", statusOf},
		{"wrap", lib.wrap},
	}
}

// create makes a coroutine, unless its script has too many. The thread begins small and
// grows when it needs to: most coroutines of a game wait in a shallow loop.
func (lib *Library) create(a args) *coroutine {
	body := a.function(1)
	if body.IsG {
		a.fail(1, "Lua function expected")
	}
	g := lib.groupOf(body.Env)
	if lib.crowded(a.LState, g) {
		raiseAt(a.LState, 1, diag.Reached("Coroutines", "too many coroutines: %s of %s are alive",
			diag.Grouped(int64(g.alive)+1), diag.Grouped(int64(lib.opts.MaxCoroutines))))
	}
	alloc(a.LState, threadBytes)
	co := &coroutine{body: body, status: suspended, group: g}
	co.thread = newThread(a.LState, lua.Options{
		CallStackSize:       max(lib.threads.CallStackSize, 64),
		RegistrySize:        256,
		RegistryMaxSize:     max(lib.threads.RegistrySize, lib.threads.RegistryMaxSize, 1<<13),
		RegistryGrowStep:    1024,
		MinimizeStackMemory: true,
	})
	Attach(co.thread, co)
	g.join(co)
	return co
}

// maxEnvironments is how many groups are kept before those without living coroutines are
// dropped: most of these belong to old versions of scripts.
const maxEnvironments = 1 << 10

// groupOf returns the coroutines of an environment's functions.
func (lib *Library) groupOf(env *lua.LTable) *coroutineSet {
	c := lib.alive[env]
	if c == nil {
		if len(lib.alive) >= maxEnvironments {
			maps.DeleteFunc(lib.alive, func(_ *lua.LTable, c *coroutineSet) bool { return c.alive == 0 })
		}
		c = new(coroutineSet)
		lib.alive[env] = c
	}
	return c
}

// crowded reports whether a script must not make another coroutine. When there seem to be
// too many, it runs the collector and counts again, which the script pays for.
//
// Why not use the runs that the collector makes by itself? When these happen depends on
// the machine, and so would the place where a script is stopped.
func (lib *Library) crowded(L *lua.LState, c *coroutineSet) bool {
	if c.alive < lib.opts.MaxCoroutines {
		return false
	}
	charge(L, lib.opts.CollectSteps)
	c.collect()
	return c.alive >= lib.opts.MaxCoroutines
}

// bury makes a coroutine dead: it cannot be resumed any more, and lets go of its function.
// It must be called once only for each coroutine, as it counts the group's living
// down.
func (lib *Library) bury(co *coroutine) {
	co.status = dead
	co.thread.Dead = true
	co.body = nil
	co.group.alive--
}

// argument returns the coroutine that is the first argument.
// A thread of a protected call has the context of its caller, which may be a
// coroutine with another thread: it is no coroutine itself.
func argument(a args) *coroutine {
	if th, ok := a.Get(1).(*lua.LState); ok {
		if co, ok := th.Context().(*coroutine); ok && co.thread == th {
			return co
		}
	}
	a.expected(1, "coroutine")
	return nil
}

// statusOf is coroutine.status.
func statusOf(a args) int { return a.results(lua.LString(argument(a).status)) }

// running is coroutine.running: the coroutine that runs, or nil in the main program.
func (lib *Library) running(a args) int {
	if lib.current == nil {
		return a.results(lua.LNil)
	}
	return a.results(lib.current.thread)
}

// resume is coroutine.resume. It catches errors, and so remembers them as a protected call
// does.
func (lib *Library) resume(a args) int {
	values, err := lib.run(a.LState, argument(a), arguments(a, 2))
	if err != nil {
		return a.results(lua.LFalse, lib.note(err))
	}
	a.Push(lua.LTrue)
	return 1 + a.results(values...)
}

// wrap is coroutine.wrap: a function that resumes. An error passes through it to the
// caller and keeps its first place.
func (lib *Library) wrap(a args) int {
	co := lib.create(a)
	call := func(a args) int {
		values, err := lib.run(a.LState, co, arguments(a, 1))
		switch {
		case err == nil:
		case isText(fault.Value(err)):
			text := plainText(fault.Value(err))
			alloc(a.LState, len(text))
			lib.note(err)
			fault.Throw(a.LState, again(a.LState, err), lua.LString(fault.Prefix(fault.Level(a.LState, 1))+text))
		default:
			fault.Throw(a.LState, again(a.LState, err), fault.Value(err))
		}
		return a.results(values...)
	}
	fn := bind([]unbound{{"wrap", call}})[0].fn
	fn.Upvalues = []*lua.Upvalue{closed(co.thread)} // so that the coroutine counts as held
	return a.results(fn)
}

// again returns the error that a coroutine has raised with the calls of the thread that
// raises it once more, outside of those of the coroutine.
func again(L *lua.LState, raised lua.LValue) *diag.Error {
	here := *errorOf(raised)
	here.Trace = here.Trace.Within(fault.Trace(L))
	return &here
}

// closed makes a captured variable as it is when the function around it has returned.
func closed(v lua.LValue) *lua.Upvalue {
	up := new(lua.Upvalue)
	up.Close()
	up.SetValue(v)
	return up
}

// Body returns the function that a coroutine runs, or nil if th is no coroutine or has
// ended.
func Body(th *lua.LState) *lua.LFunction {
	if co, ok := th.Context().(*coroutine); ok && co.thread == th {
		return co.body
	}
	return nil
}

// yieldFunction makes coroutine.yield: a Lua function around the built-in one.
//
// Why? gopher-lua puts the arguments of resume where the results of yield belong, but does
// not make them as many as the call wants, and crashes if one is missing. The return of a
// Lua function adjusts their number.
func (lib *Library) yieldFunction() *lua.LFunction {
	const source = `local yield = ... return function(...) return yield(...) end`
	chunk, err := parse.Parse(strings.NewReader(source), "yield")
	if err != nil {
		panic(err) // the source is a constant
	}
	proto, err := lua.Compile(chunk, "") // no file, so that no trace shows it
	if err != nil {
		panic(err)
	}
	inner := proto.FunctionPrototypes[0]
	for pc, code := range inner.Code {
		if bytecode.Op(code) == lua.OP_TAILCALL { // a tail call would leave no function to return from
			inner.Code[pc] = code&(1<<26-1) | uint32(lua.OP_CALL)<<26
		}
	}
	yield := closed(bind([]unbound{{"yield", lib.yield}})[0].fn)
	return &lua.LFunction{Proto: inner, Upvalues: []*lua.Upvalue{yield}}
}

// yield ends the run of its thread, if only Lua calls stand between it and resume.
// Otherwise the VM would go on with the code after the call; the context then stops the
// thread with errBoundary at its next instruction.
func (lib *Library) yield(a args) int {
	co, ok := a.Context().(*coroutine)
	switch {
	case lib.current == nil:
		raiseAt(a.LState, 2, diag.New("attempt to yield from outside a coroutine"))
	case !ok || co.thread != a.LState:
		raiseAt(a.LState, 2, diag.New("attempt to yield across pcall"))
	}
	moving(a.LState, a.GetTop())
	co.yielded, co.count = true, a.GetTop()
	return -1
}

// run resumes a coroutine. It returns the values that the coroutine yields or returns, or
// the error that it has raised. Afterwards current, thread, callers and depth are as
// before.
func (lib *Library) run(L *lua.LState, co *coroutine, arguments []lua.LValue) ([]lua.LValue, lua.LValue) {
	switch {
	case co.ended:
		return nil, lua.LString("cannot resume dead coroutine: it was cancelled, its script has a new version or is gone")
	case co.status != suspended:
		return nil, lua.LString("cannot resume " + string(co.status) + " coroutine")
	case lib.depth >= lib.opts.MaxNesting:
		return nil, lib.tooDeep()
	}
	moving(L, len(arguments))
	resumer, outer := lib.current, lib.thread
	if resumer != nil {
		resumer.status = normal
	}
	lib.depth++
	lib.thread, lib.callers = co.thread, append(lib.callers, L)
	lib.current, co.status, co.yielded = co, running, false
	co.inherit(L.Context())
	state, values, err := co.enter(L, arguments)
	co.inner = nil
	lib.current, lib.thread = resumer, outer
	lib.callers = lib.callers[:len(lib.callers)-1]
	lib.depth--
	if resumer != nil {
		resumer.status = running
	}
	if state == lua.ResumeYield {
		co.status = suspended
		return values[:min(co.count, len(values))], nil
	}
	lib.bury(co)
	if len(values) == 1 && values[0] == lua.LNil {
		values = nil // gopher-lua returns one nil for no values
	}
	return values, err
}

// moving counts values that a coroutine is about to get, before its thread grows for them.
// It may keep them for as long as it lives.
func moving(L *lua.LState, n int) {
	const few, bytes = 16, 64 // a value is in registers and in "...", and was in those before they grew
	if n > few {
		charge(L, n)
		alloc(L, n*bytes)
	}
}

// inherit takes over the context of the thread that resumes. If that is a coroutine, its
// own inner context is taken: chains of contexts would get longer with each resume.
// Invariant: inner is never a coroutine.
func (co *coroutine) inherit(ctx context.Context) {
	if outer, ok := ctx.(*coroutine); ok {
		ctx = outer.inner
	}
	co.inner = ctx
}

// enter has gopher-lua run the thread. A panic that escapes from there becomes an error,
// and so does a yield that did not end the run.
// After a panic the VM would still take the coroutine for the running thread, and
// what it had pushed for the resumer would stay.
func (co *coroutine) enter(L *lua.LState, arguments []lua.LValue) (state lua.ResumeState, values []lua.LValue, failure lua.LValue) {
	top := L.GetTop()
	defer func() {
		if cause := recover(); cause != nil {
			L.G.CurrentThread = L
			L.SetTop(top)
			state, values = lua.ResumeError, nil
			failure = lua.LString(fmt.Sprint(cause))
			if fault, ok := cause.(*lua.ApiError); ok {
				failure = fault.Object
			}
		}
		if co.yielded && state != lua.ResumeYield {
			state, values = lua.ResumeError, nil
			failure = lua.LString(errBoundary)
		}
	}()
	state, err, values := L.Resume(co.thread, co.body, arguments...)
	if fault, ok := err.(*lua.ApiError); ok {
		failure = fault.Object
	}
	return state, values, failure
}

// errBoundary is the error of a yield from which the VM cannot return to resume.
const errBoundary = "attempt to yield across a metamethod, an iterator or a built-in function"

// Done implements context.Context: it counts an instruction on the resumer's budget, and
// stops the thread if it has yielded where it must not.
func (co *coroutine) Done() <-chan struct{} {
	if co.yielded {
		stop := make(chan struct{})
		close(stop)
		return stop
	}
	if co.inner == nil {
		return nil
	}
	return co.inner.Done()
}

// Err implements context.Context: why the thread must stop.
func (co *coroutine) Err() error {
	if co.yielded {
		return errors.New(errBoundary)
	}
	if co.inner == nil {
		return nil
	}
	return co.inner.Err()
}

// Charge implements Meter, by the meter of the resumer.
func (co *coroutine) Charge(L *lua.LState, steps int) {
	if meter, ok := co.inner.(Meter); ok {
		meter.Charge(L, steps)
	}
}

// Alloc implements Meter, by the meter of the resumer.
func (co *coroutine) Alloc(L *lua.LState, bytes int) {
	if meter, ok := co.inner.(Meter); ok {
		meter.Alloc(L, bytes)
	}
}

// Grow counts bytes as Budget.Grow does.
func (co *coroutine) Grow(L *lua.LState, bytes int) {
	if meter, ok := co.inner.(interface{ Grow(*lua.LState, int) }); ok {
		meter.Grow(L, bytes)
	}
}

// Take counts steps as Budget.Take does.
func (co *coroutine) Take(steps int64) {
	if meter, ok := co.inner.(interface{ Take(int64) }); ok {
		meter.Take(steps)
	}
}

// Refuse stops the script as Budget.Refuse does. The resumer cannot go on either: it has
// the same budget.
func (co *coroutine) Refuse(err error) {
	if meter, ok := co.inner.(interface{ Refuse(error) }); ok {
		meter.Refuse(err)
	}
}

// Left returns how many steps may still be used, as Budget.Left does.
func (co *coroutine) Left() int64 {
	if b, _ := budgetOf(co); b != nil {
		return b.Left()
	}
	return math.MaxInt64
}

// Attend does what is due, as Budget.Attend does.
func (co *coroutine) Attend() {
	if b, _ := budgetOf(co); b != nil {
		b.Attend()
	}
}

// Room returns how many bytes may still be made, as Budget.Room does.
func (co *coroutine) Room() int64 {
	if b, _ := budgetOf(co); b != nil {
		return b.Room()
	}
	return endlessRoom
}

// TakeBytes counts bytes as Budget.TakeBytes does.
func (co *coroutine) TakeBytes(n int64) {
	if b, _ := budgetOf(co); b != nil {
		b.TakeBytes(n)
	}
}

// LongestText implements Meter.
func (co *coroutine) LongestText() int {
	if meter, ok := co.inner.(Meter); ok {
		return meter.LongestText()
	}
	return 0
}

// Deadline implements context.Context: a coroutine has no deadline.
func (co *coroutine) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context.
func (co *coroutine) Value(key any) any {
	if co.inner == nil {
		return nil
	}
	return co.inner.Value(key)
}
