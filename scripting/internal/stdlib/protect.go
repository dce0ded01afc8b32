//go:build !machine

package stdlib

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	lua "github.com/yuin/gopher-lua"
)

// Protected calls. They cost a thread each, of which some are kept; depth bounds how
// many stand around each other, together with resumed coroutines.

// maxIdle is how many threads are kept for later protected calls. Few scripts nest protected
// calls deeper than that.
const maxIdle = 16

// threadSteps is what it takes to make a thread, besides its memory. A protected call that
// stands inside of maxIdle others pays for a thread, even if an idle one is there. Why? How
// many are idle depends on earlier calls, and a limit must cut at the same place in each
// run.
const threadSteps = 500

// Why a thread for each protected call?
//
// When gopher-lua's own pcall catches an error, it detaches the captured locals of all
// functions that still run below it from their closures, and some of its panics escape. A
// call that fails on a thread of its own harms no other.

// pcall calls a function on a thread of its own.
func (lib *Library) pcall(a args) int {
	a.any(1)
	values, err := lib.call(a.LState, a.Get(1), arguments(a, 2))
	if err != nil {
		if e := fault.Of(err.Object); e != nil && e.Line == 0 { // a function of Go has failed
			e.Put(fault.Here(a.LState))
		}
		return a.results(lua.LFalse, lib.note(err.Object))
	}
	a.Push(lua.LTrue)
	return 1 + a.results(values...)
}

// xpcall passes the error through a handler, which runs after the call has ended. In PUC
// Lua it runs before; without the debug library no script can tell the difference.
func (lib *Library) xpcall(a args) int {
	a.any(2)
	values, err := lib.call(a.LState, a.Get(1), nil)
	if err == nil {
		a.Push(lua.LTrue)
		return 1 + a.results(values...)
	}
	values, fault := lib.call(a.LState, a.Get(2), []lua.LValue{lib.note(err.Object)})
	if fault != nil {
		return a.results(lua.LFalse, lua.LString("error in error handling"))
	}
	a.Push(lua.LFalse)
	if len(values) == 0 {
		values = []lua.LValue{lua.LNil}
	}
	return 1 + a.results(values[0])
}

// arguments copies the arguments from the nth on.
func arguments(a args, n int) []lua.LValue {
	var values []lua.LValue
	for i := n; i <= a.GetTop(); i++ {
		values = append(values, a.Get(i))
	}
	return values
}

// call calls a function on a thread of its own. Afterwards thread, callers and depth are
// as before, whether the call has failed or not.
func (lib *Library) call(L *lua.LState, fn lua.LValue, arguments []lua.LValue) ([]lua.LValue, *lua.ApiError) {
	if lib.depth >= lib.opts.MaxNesting {
		return nil, &lua.ApiError{Type: lua.ApiErrorRun, Object: lib.tooDeep()}
	}
	if lib.depth >= maxIdle {
		alloc(L, lib.needs)
		charge(L, threadSteps)
	}
	th, outer := lib.acquire(L), lib.thread
	lib.depth++
	lib.thread, lib.callers = th, append(lib.callers, L)
	values, err := protect(th, fn, arguments)
	lib.callers = lib.callers[:len(lib.callers)-1]
	if err != nil {
		if b, _ := budgetOf(L.Context()); b != nil { // raises nothing: the next instruction does
			b.Take(int64(errorSteps + frameSteps*tracedFrames(err)))
		}
	}
	lib.thread = outer
	lib.depth--
	if err == nil || err.Type != lua.ApiErrorPanic {
		lib.release(th)
	}
	return values, err
}

// tooDeep is the error of one more protected call or resume inside of MaxNesting others.
func (lib *Library) tooDeep() lua.LValue {
	e := diag.Reached("Nesting", "stack overflow: protected calls and coroutines are %d deep in each other of %d", lib.depth+1, lib.opts.MaxNesting)
	return fault.Carry(e, lua.LString(e.Message))
}

// tracedFrames returns how many lines the traceback of an error has, which took time to
// make.
func tracedFrames(err *lua.ApiError) int {
	if e := fault.Of(err.Object); e != nil {
		return len(e.Trace) + 1
	}
	return 0
}

// acquire returns an idle thread, or a new one, with the context of L: the call is charged
// to the same budget.
func (lib *Library) acquire(L *lua.LState) *lua.LState {
	var th *lua.LState
	if last := len(lib.idle) - 1; last >= 0 {
		th, lib.idle = lib.idle[last], lib.idle[:last]
	} else {
		th = newThread(L, lib.threads)
	}
	if ctx := L.Context(); ctx != nil {
		Attach(th, ctx)
	}
	return th
}

// release keeps a thread for later calls. It has no context then, so it keeps no budget
// alive.
func (lib *Library) release(th *lua.LState) {
	th.RemoveContext()
	if len(lib.idle) < maxIdle {
		lib.idle = append(lib.idle, th)
	}
}

// newThread makes a thread without a context. If L had one, gopher-lua would derive
// another context for the thread, which would not count instructions.
func newThread(L *lua.LState, opts lua.Options) *lua.LState {
	ctx, own := L.RemoveContext(), L.Options
	L.Options = opts
	th, _ := L.NewThread()
	L.Options = own
	if ctx != nil {
		Attach(L, ctx)
	}
	return th
}

// protect calls a function on an idle thread. If the error is an ApiErrorPanic, the VM has
// not closed the locals that were captured there, and the thread must not be used again.
func protect(th *lua.LState, fn lua.LValue, arguments []lua.LValue) (values []lua.LValue, err *lua.ApiError) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &lua.ApiError{Type: lua.ApiErrorPanic, Object: lua.LString(fmt.Sprint(cause))}
		}
	}()
	th.Push(fn)
	for _, v := range arguments {
		th.Push(v)
	}
	switch fault := th.PCall(len(arguments), lua.MultRet, nil).(type) {
	case nil:
	case *lua.ApiError:
		return nil, fault
	default:
		return nil, &lua.ApiError{Type: lua.ApiErrorPanic, Object: lua.LString(fault.Error())}
	}
	values = make([]lua.LValue, th.GetTop())
	for i := range values {
		values[i] = th.Get(i + 1)
	}
	th.SetTop(0)
	return values, nil
}

// note remembers an error that a script catches, and returns the value that the script
// gets.
func (lib *Library) note(raised lua.LValue) lua.LValue {
	v := fault.Value(raised)
	if text, ok := v.(lua.LString); ok {
		lib.caught.Note(string(text), fault.Of(raised))
	}
	return v
}

// errorOf returns the error behind a value that was raised, or an empty error if a script
// raised a plain value.
func errorOf(raised lua.LValue) *diag.Error {
	if e := fault.Of(raised); e != nil {
		return e
	}
	return &diag.Error{}
}
