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

type status string

const (
	suspended status = "suspended"
	running   status = "running"
	normal    status = "normal" // it resumed another one
	dead      status = "dead"
)

// threadBytes is about what a coroutine takes.
const threadBytes = 8 << 10

// A coroutine is a thread and at the same time the context of that thread:
// thus it inherits the meter of whoever resumes it, and stops a script that
// yields where it must not.
//
// Invariant: at most one coroutine of a library is running, and the ones that
// resumed it are normal.
type coroutine struct {
	thread  *lua.LState
	body    *lua.LFunction
	status  status
	inner   context.Context // of the resumer, while resumed; may be nil
	yielded bool            // no instruction may run until the next resume
	count   int             // of the values yielded
	crew    *crew           // those of its script, itself included until it is dead
	ended   bool            // by Cancel
}

// crew are the coroutines of one environment's functions.
//
// Invariant: alive is how many of members are not dead, those included that nobody
// could reach any more since it was last counted.
type crew struct {
	alive   int
	members []weak.Pointer[coroutine] // and some that are dead
}

// join adds a coroutine, and drops dead ones when they are as many as the others.
func (c *crew) join(co *coroutine) {
	if len(c.members) >= 2*c.alive+16 {
		c.members = slices.DeleteFunc(c.members, isDead)
	}
	c.members = append(c.members, weak.Make(co))
	c.alive++
}

func isDead(w weak.Pointer[coroutine]) bool {
	co := w.Value()
	return co == nil || co.status == dead
}

// collect counts anew, without those that nobody can reach any more.
func (c *crew) collect() {
	runtime.GC()
	c.members = slices.DeleteFunc(c.members, isDead)
	c.alive = len(c.members)
}

// Cancel ends the suspended coroutines of an environment's functions: they are
// dead from now on, whoever holds them. It returns how many there were. Those that
// nobody holds any more are among them until the collector has found them.
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
	delete(lib.alive, env) // which leads to all of the old version
	return n
}

func (lib *Library) coroutines() []entry {
	return []entry{
		{"create", func(a args) int { return a.results(lib.create(a).thread) }},
		{"resume", lib.resume},
		{"running", lib.running},
		{"status", statusOf},
		{"wrap", lib.wrap},
	}
}

// create makes a coroutine. Its thread is small and grows when it needs to.
func (lib *Library) create(a args) *coroutine {
	body := a.function(1)
	if body.IsG {
		a.fail(1, "Lua function expected")
	}
	crew := lib.crewOf(body.Env)
	if lib.crowded(a.LState, crew) {
		raiseAt(a.LState, 1, diag.Reached("Coroutines", "too many coroutines: %s of %s are alive",
			diag.Grouped(int64(crew.alive)+1), diag.Grouped(int64(lib.opts.MaxCoroutines))))
	}
	alloc(a.LState, threadBytes)
	co := &coroutine{body: body, status: suspended, crew: crew}
	co.thread = newThread(a.LState, lua.Options{
		CallStackSize:       max(lib.threads.CallStackSize, 64),
		RegistrySize:        256,
		RegistryMaxSize:     max(lib.threads.RegistrySize, lib.threads.RegistryMaxSize, 1<<13),
		RegistryGrowStep:    1024,
		MinimizeStackMemory: true,
	})
	Attach(co.thread, co)
	crew.join(co)
	return co
}

// maxEnvironments is how many counts are kept; those of scripts that are gone
// reach zero in time.
const maxEnvironments = 1 << 10

// crewOf returns the coroutines that a script has.
func (lib *Library) crewOf(env *lua.LTable) *crew {
	c := lib.alive[env]
	if c == nil {
		if len(lib.alive) >= maxEnvironments {
			maps.DeleteFunc(lib.alive, func(_ *lua.LTable, c *crew) bool { return c.alive == 0 })
		}
		c = new(crew)
		lib.alive[env] = c
	}
	return c
}

// crowded reports whether no further coroutine may be made. Those that nobody can reach
// any more count until there seem to be too many: then the collector runs, and all are
// counted. Why not when it runs by itself? When that is depends on the machine, and so
// would where a script is stopped.
func (lib *Library) crowded(L *lua.LState, c *crew) bool {
	if c.alive < lib.opts.MaxCoroutines {
		return false
	}
	charge(L, lib.opts.CollectSteps)
	c.collect()
	return c.alive >= lib.opts.MaxCoroutines
}

// bury counts a coroutine out that cannot be resumed any more.
func (lib *Library) bury(co *coroutine) {
	co.status = dead
	co.thread.Dead = true
	co.body = nil
	co.crew.alive--
}

// argument returns the coroutine given as first argument.
func argument(a args) *coroutine {
	if th, ok := a.Get(1).(*lua.LState); ok {
		if co, ok := th.Context().(*coroutine); ok && co.thread == th {
			return co
		}
	}
	a.expected(1, "coroutine")
	return nil
}

func statusOf(a args) int { return a.results(lua.LString(argument(a).status)) }

func (lib *Library) running(a args) int {
	if lib.current == nil {
		return a.results(lua.LNil)
	}
	return a.results(lib.current.thread)
}

func (lib *Library) resume(a args) int {
	values, err := lib.run(a.LState, argument(a), arguments(a, 2))
	if err != nil {
		return a.results(lua.LFalse, lib.caught.note(err))
	}
	a.Push(lua.LTrue)
	return 1 + a.results(values...)
}

func (lib *Library) wrap(a args) int {
	co := lib.create(a)
	call := func(a args) int {
		values, err := lib.run(a.LState, co, arguments(a, 1))
		switch {
		case err == nil:
		case isText(fault.Value(err)):
			text := plainText(fault.Value(err))
			alloc(a.LState, len(text))
			lib.caught.note(err)
			lib.raiseText(a, lua.LString(text), 1)
		default:
			fault.Pass(a.LState, errorOf(err), fault.Value(err))
		}
		return a.results(values...)
	}
	fn := bind([]entry{{"wrap", call}})[0].fn
	fn.Upvalues = []*lua.Upvalue{closed(co.thread)} // for those who look what it holds
	return a.results(fn)
}

// closed makes a variable of a function that has ended.
func closed(v lua.LValue) *lua.Upvalue {
	up := new(lua.Upvalue)
	up.Close()
	up.SetValue(v)
	return up
}

// Body returns the function that a coroutine runs; nil when th is no coroutine, or has
// ended.
func Body(th *lua.LState) *lua.LFunction {
	if co, ok := th.Context().(*coroutine); ok && co.thread == th {
		return co.body
	}
	return nil
}

// yieldFunction is coroutine.yield, a Lua function around the built-in one.
// gopher-lua puts the arguments of resume where the results of yield belong but
// does not make them as many as the call wants, and crashes on a missing one.
// The return of a Lua function does.
func (lib *Library) yieldFunction() *lua.LFunction {
	const source = `local yield = ... return function(...) return yield(...) end`
	chunk, err := parse.Parse(strings.NewReader(source), "yield")
	if err != nil {
		panic(err) // the source is a constant
	}
	proto, err := lua.Compile(chunk, "yield")
	if err != nil {
		panic(err)
	}
	inner := proto.FunctionPrototypes[0]
	for pc, code := range inner.Code {
		if bytecode.Op(code) == lua.OP_TAILCALL { // it would leave no function to return from
			inner.Code[pc] = code&(1<<26-1) | uint32(lua.OP_CALL)<<26
		}
	}
	yield := closed(bind([]entry{{"yield", lib.yield}})[0].fn)
	return &lua.LFunction{Proto: inner, Upvalues: []*lua.Upvalue{yield}}
}

// yield ends the running of its thread if nothing but Lua calls are between it
// and resume. Otherwise the VM goes on with the code after the call, where the
// context stops it.
func (lib *Library) yield(a args) int {
	co, ok := a.Context().(*coroutine)
	switch {
	case lib.current == nil:
		raiseAt(a.LState, 2, diag.New("attempt to yield from outside a coroutine"))
	case !ok || co.thread != a.LState:
		raiseAt(a.LState, 2, diag.New("attempt to yield across pcall"))
	}
	co.yielded, co.count = true, a.GetTop()
	return -1
}

// run resumes a coroutine. It returns what the coroutine yields or returns, or
// the error it raised.
func (lib *Library) run(L *lua.LState, co *coroutine, arguments []lua.LValue) ([]lua.LValue, lua.LValue) {
	switch {
	case co.ended:
		return nil, lua.LString("cannot resume dead coroutine: it was cancelled, its script has a new version or is gone")
	case co.status != suspended:
		return nil, lua.LString("cannot resume " + string(co.status) + " coroutine")
	case lib.depth >= lib.opts.MaxNesting:
		return nil, lib.tooDeep()
	}
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
		values = nil // gopher-lua makes one nil of nothing
	}
	return values, err
}

// inherit takes over the context of the thread that resumes.
func (co *coroutine) inherit(ctx context.Context) {
	if outer, ok := ctx.(*coroutine); ok {
		ctx = outer.inner
	}
	co.inner = ctx
}

// enter lets gopher-lua run the thread. What escapes from there, and a yield
// that was not followed by a return to here, is an error.
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

const errBoundary = "attempt to yield across a metamethod, an iterator or a built-in function"

// Done implements context.Context.
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

// Err implements context.Context.
func (co *coroutine) Err() error {
	if co.yielded {
		return errors.New(errBoundary)
	}
	if co.inner == nil {
		return nil
	}
	return co.inner.Err()
}

// Charge implements Meter.
func (co *coroutine) Charge(L *lua.LState, steps int) {
	if meter, ok := co.inner.(Meter); ok {
		meter.Charge(L, steps)
	}
}

// Alloc implements Meter.
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

// Refuse stops the script as Budget.Refuse does: whoever resumes the coroutine cannot
// go on either.
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

// Deadline implements context.Context: there is none.
func (co *coroutine) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context.
func (co *coroutine) Value(key any) any {
	if co.inner == nil {
		return nil
	}
	return co.inner.Value(key)
}
