package bridge

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/machine"
	lua "github.com/yuin/gopher-lua"
)

// wrapper is a function of gopher-lua's that calls one of a script.
type wrapper struct {
	b       *Bridge
	fn      *machine.Function
	lent    uint64 // the epoch in which the host has got it last
	forGood bool
}

// wrapped returns what a function of gopher-lua's calls; nil if that is nothing of ours.
func wrapped(fn *lua.LFunction) *wrapper {
	if !fn.IsG || len(fn.Upvalues) != 1 {
		return nil
	}
	u, ok := fn.Upvalues[0].Value().(*lua.LUserData)
	if !ok {
		return nil
	}
	w, _ := u.Value.(*wrapper)
	return w
}

// theirFunction returns what gopher-lua has for a function of scripts, nil if it has not got
// that.
func (b *Bridge) theirFunction(fn *machine.Function) *lua.LFunction {
	if theirs := b.functions.of(fn); theirs != nil {
		return theirs
	}
	return b.fenced.of(fn)
}

// lendFunction returns what gopher-lua has for a function of scripts. The host may call it
// for good.
func (b *Bridge) lendFunction(fn *machine.Function) *lua.LFunction {
	theirs := b.theirFunction(fn)
	if theirs == nil {
		theirs = b.wrap(&wrapper{b: b, fn: fn, forGood: true})
		b.functions.join(fn, theirs)
	}
	return theirs
}

// lendForNow returns what gopher-lua has for a function of scripts, for the running call.
func (b *Bridge) lendForNow(fn *machine.Function) *lua.LFunction {
	if theirs := b.theirFunction(fn); theirs != nil && wrapped(theirs) == nil {
		return theirs // its own
	}
	theirs := b.lent.of(fn)
	if theirs == nil {
		theirs = b.wrap(&wrapper{b: b, fn: fn})
		b.lent.join(fn, theirs)
	}
	wrapped(theirs).lent = b.Epoch()
	return theirs
}

func (b *Bridge) wrap(w *wrapper) *lua.LFunction {
	return b.state.NewClosure(w.call, &lua.LUserData{Value: w, Metatable: lua.LNil})
}

// functionBytes is about what a function takes on both sides.
const functionBytes = 400

// takeFunction returns the function of scripts for one of gopher-lua.
func (b *Bridge) takeFunction(theirs *lua.LFunction) *machine.Function {
	if w := wrapped(theirs); w != nil && w.b == b {
		return w.fn
	}
	fn := b.functions.to(theirs)
	if fn == nil {
		fn = machine.NewNative("a function of the host", func(c *machine.Call) {
			b.Enter(c.Thread())
			c.Return(b.Call(c, theirs, true, b.Take))
		})
		b.functions.join(fn, theirs)
	}
	return fn
}

// call calls the function of the script, with the values of a thread of gopher-lua.
func (w *wrapper) call(L *lua.LState) int {
	return w.b.enter(L, func(th *machine.Thread) []machine.Value {
		leave := w.b.Back(th, w.lent, w.forGood)
		defer leave()
		results := th.Call(machine.OfFunction(w.fn), w.b.arguments(L)...)
		if !w.forGood {
			w.b.Returns(th, results)
		}
		return results
	})
}

// arguments are the values of a thread of gopher-lua.
func (b *Bridge) arguments(L *lua.LState) []machine.Value {
	given := make([]machine.Value, L.GetTop())
	for i := range given {
		given[i] = b.Take(L.Get(i + 1))
	}
	return given
}

// enter has something run in the machine, for code of gopher-lua, and pushes its results.
func (b *Bridge) enter(L *lua.LState, do func(*machine.Thread) []machine.Value) int {
	th := b.vm.Running()
	var results []machine.Value
	raised := th.Protect(func() {
		b.settle(th, 0)
		results = append(results, do(th)...)
		b.refresh()
	})
	if raised != nil {
		b.throw(L, raised)
	}
	for _, v := range results {
		L.Push(b.Lend(v))
	}
	return len(results)
}

// crossing is an error of the machine that was raised in gopher-lua last.
type crossing struct {
	raised *machine.Raised
	object lua.LValue
}

// throw raises an error of the machine in gopher-lua. The traceback is that of the script.
func (b *Bridge) throw(L *lua.LState, raised *machine.Raised) {
	b.crossed = crossing{raised, b.Lend(raised.Value)}
	trace := "-"
	if raised.Err != nil && len(raised.Err.Trace) > 0 {
		trace = raised.Err.Trace.String()
	}
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: b.crossed.object, StackTrace: trace, Cause: raised})
}

// raise raises in the machine what has come out of gopher-lua: an error of a script that it
// has passed on as it was, one of its own, or a panic.
func (b *Bridge) raise(th *machine.Thread, cause any) {
	e, ok := cause.(*lua.ApiError)
	if !ok {
		panic(cause)
	}
	if b.vm.Left() == 0 { // a script that must stop raises that
		b.vm.Charge(th, 1)
	}
	if b.crossed.raised != nil && e.Object == b.crossed.object {
		panic(b.crossed.raised)
	}
	text, ok := e.Object.(lua.LString)
	if !ok {
		th.Raise(b.Take(e.Object))
	}
	words := strings.TrimPrefix(string(text), " ") // between a place, which gopher-lua does not know, and what is wrong
	if strings.HasSuffix(words, "can not yield from outside of a coroutine") {
		words = "the host cannot yield inside of a call from a script"
	}
	th.Fail(&diag.Error{Message: named(th, words)})
}

// named puts the name by which the script has called a function into what gopher-lua says of
// an argument: on its side nobody has called it.
func named(th *machine.Thread, words string) string {
	const nobody = " to main chunk ("
	if !strings.HasPrefix(words, "bad argument #") {
		return words
	}
	name := th.NameOf(0)
	if name = name[strings.LastIndexAny(name, ".:")+1:]; name == "" {
		name = "?"
	}
	return strings.Replace(words, nobody, " to "+name+" (", 1)
}
