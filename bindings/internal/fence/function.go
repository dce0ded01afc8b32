package fence

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/running"
)

// hostFunction is a function or a method of the host's, as messages need it.
type hostFunction struct {
	name string
	sig  reflect.Type // nil: it reads its arguments itself
	self int          // 1 for a method: how many arguments the receiver takes
	asks int          // where among the parameters of sig it asks for the call, -1: it does not

	params []reflect.Type // of sig, without the call; of a variadic one the last is what each further argument is
}

// callType is the parameter with which a function asks for the script's call.
var callType = reflect.TypeFor[*running.Call]()

// newHostFunction describes a function. receiver is 1 if its first parameter is a receiver.
func newHostFunction(sig reflect.Type, name string, self, receiver int) *hostFunction {
	x := &hostFunction{name: name, sig: sig, self: self, asks: -1}
	for i := range sig.NumIn() {
		if i == receiver && sig.In(i) == callType {
			x.asks = i
			continue
		}
		x.params = append(x.params, sig.In(i))
	}
	if sig.IsVariadic() {
		last := len(x.params) - 1
		x.params[last] = x.params[last].Elem()
	}
	return x
}

// title is how a script writes the function that it calls. A method is one of whatever the
// script has it from.
func (x *hostFunction) title(L *lua.LState) string {
	if words := fault.Called(L); strings.HasSuffix(words, ":"+x.name) || strings.HasSuffix(words, "."+x.name) {
		return words
	}
	return x.name
}

// checkColon raises the error of a call with a colon of a function that is no method.
func (x *hostFunction) checkColon(L *lua.LState) {
	if x.self > 0 {
		return
	}
	if e := fault.WithColon(L, x.name); e != nil {
		fault.Raisef(L, "%s: %s", x.name, e.Message)
	}
}

// panicked is the title in the message of a panic, with the argument that is nil: Go code
// often does not expect it.
func (x *hostFunction) panicked(L *lua.LState) string {
	words := x.title(L)
	for i := range L.GetTop() {
		if L.Get(i+1) == lua.LNil {
			return fmt.Sprintf("%s, with nil as argument %d", words, i+1-x.self)
		}
	}
	return words
}

// callee is what a function of a script is called as, when the host calls it.
type callee struct {
	sig reflect.Type // nil: nobody knows it
	of  *hostFunction
	L   *lua.LState // on which that was called
	n   int         // as which argument it has got the function
}

// takes says as what the function gets a callback as its ith argument.
func (x *hostFunction) takes(L *lua.LState, i int) callee {
	t := x.parameter(i)
	if t == nil || t.Kind() != reflect.Func {
		return callee{}
	}
	return callee{t, x, L, i - x.self}
}

// maxFunctions is how many of the host's functions are known as such, so that a call of one
// can be judged: a host may return new ones without end.
const maxFunctions = 1 << 12

// method returns the function that scripts get for a method of a class.
func (f *Fence) method(c *class, i int, name string) *lua.LFunction {
	if c.made[i] == nil {
		self := 0
		switch {
		case c.of.Kind() == reflect.Pointer:
			self = 1
		case c.of.Kind() != reflect.Struct:
			name = anonymous
		}
		c.made[i] = f.goMethod(c.of.Method(i).Func, name, self, 1)
	}
	return c.made[i]
}

// anonymous is the name of functions that the host has not exposed.
const anonymous = "a function of the host"

// function makes a function of scripts of one of Go. It has a name for messages; self is 1
// for a method.
func (f *Fence) function(fn reflect.Value, name string, self int) *lua.LFunction {
	return f.goMethod(fn, name, self, 0)
}

// goMethod is function for one whose first parameters are so many receivers, 0 or 1.
func (f *Fence) goMethod(fn reflect.Value, name string, self, receivers int) *lua.LFunction {
	if bypass(fn.Type()) {
		return f.guarded(&hostFunction{name: name, asks: -1}, nil, f.foreign(fn))
	}
	x := newHostFunction(fn.Type(), name, self, receivers)
	call := f.byReflection(x, fn)
	if slices.ContainsFunc(x.params, isForeign) {
		call = f.lending(call)
	}
	fast := f.directly(x, fn)
	if fast == nil {
		fast = f.prepare(x, fn)
	}
	return f.guarded(x, fast, call)
}

// guarded makes the function that scripts get for one of the host's, which call calls, or
// fast where it is not nil and can.
func (f *Fence) guarded(x *hostFunction, fast direct, call lua.LGFunction) *lua.LFunction {
	enter := f.enter
	made := f.main.NewFunction(func(L *lua.LState) int {
		defer fault.CatchIn(L, x.panicked)
		if began := f.counted(); !began.IsZero() {
			defer f.measured(began)
		}
		if x.asks >= 0 && f.unknown == nil {
			f.granted(L, x)
		}
		if fast != nil && f.unknown == nil {
			if results, ok := fast(L, enter); ok {
				f.recorded(L, x)
				return results
			}
		}
		if x.sig != nil {
			f.parameters(L, x)
		}
		if f.unknown != nil {
			return 0
		}
		enter(L)
		results := call(L)
		f.recorded(L, x)
		return results
	})
	if len(f.funcs) > maxFunctions {
		clear(f.funcs)
	}
	f.funcs[made] = true
	return made
}

// granted raises an error where a function asks for the call of a script and there is none:
// the top level of a script and migrate functions run in no tick. So it does where the call has
// no room for one more command, since the function may record any.
func (f *Fence) granted(L *lua.LState, x *hostFunction) {
	c := f.calls.Call
	if c == nil || c.Tick == nil || c.Tick.Commands == nil {
		fault.Raisef(L, "%s: the host gives it to systems, handlers and callbacks; the top level of a script and migrate functions cannot call it", x.title(L))
	}
	f.room(L, 1)
}

// recorded raises an error where a function that got the call has recorded too much.
func (f *Fence) recorded(L *lua.LState, x *hostFunction) {
	if x.asks >= 0 {
		f.room(L, 0)
	}
}

// room raises an error where the call has no room for n more changes; with 0, where it has made
// too many.
func (f *Fence) room(L *lua.LState, n int) {
	if f.calls.Limits == nil || f.calls.Call == nil {
		return
	}
	for _, e := range [...]*diag.Error{f.calls.NoCommand(f.calls.Call, n), f.calls.NoSpawn(f.calls.Call, n)} {
		if e != nil {
			fault.Raise(L, e)
		}
	}
}

// One call of so many is measured: to look at the clock takes a third of what a call does.
const mostCalls = 16

// counted counts a call for the record of what runs where, and returns when it began if it is
// one of those that are measured.
func (f *Fence) counted() (began time.Time) {
	n := &f.calls.Foreign.Calls
	if *n++; *n%mostCalls == 1 {
		began = time.Now()
	}
	return began
}

// measured notes how long a call took, for the others, too.
func (f *Fence) measured(began time.Time) { f.calls.Foreign.Time += mostCalls * time.Since(began) }

// enter is called before a function of the host runs.
func (f *Fence) enter(L *lua.LState) {
	if c := f.calls.Call; c != nil && f.calls.World != nil {
		c.Dates.Seal(f.calls.World) // what the host writes stays, whatever becomes of the call
	}
	lua.Settle(f.calls.Thread)
	value.Charge(L, value.StepsPerHost)
}

// byReflection calls a function of Go with the values on the stack, which fit.
func (f *Fence) byReflection(x *hostFunction, fn reflect.Value) lua.LGFunction {
	return func(L *lua.LState) int {
		args := make([]reflect.Value, L.GetTop())
		changed := func() {}
		for i := range args {
			v := L.Get(i + 1)
			if i < x.self {
				args[i], changed = receiver(v, x.params[i])
			} else {
				args[i] = f.in(L, v, x.parameter(i+1), x.takes(L, i+1))
			}
		}
		if x.asks >= 0 {
			args = slices.Insert(args, x.asks, reflect.ValueOf(f.calls.ForHost()))
		}
		results := fn.Call(args)
		changed()
		results = x.failed(L, results)
		for _, r := range results {
			L.Push(f.result(L, r))
		}
		return len(results)
	}
}

// result converts what a function has returned.
func (f *Fence) result(L *lua.LState, v reflect.Value) lua.LValue {
	if v.Type() == entitiesType {
		return entities(L, v.Interface().(running.Entities))
	}
	return f.out(v)
}

// entitiesType is that of lists which become tables.
var entitiesType = reflect.TypeFor[running.Entities]()

// entities makes a table of a list, and charges for it.
func entities(L *lua.LState, list running.Entities) *lua.LTable {
	value.Charge(L, len(list)*value.StepsPerItem)
	value.ChargeBytes(L, len(list)*value.PerItem)
	made := L.CreateTable(len(list), 0)
	for _, e := range list {
		made.Append(lua.LNumber(e))
	}
	return made
}

// receiver returns the value that has a method. Where that is one of a pointer and the value
// is no pointer, the method gets a copy, and what it changes there becomes the value.
func receiver(v lua.LValue, t reflect.Type) (self reflect.Value, changed func()) {
	ud := v.(*lua.LUserData)
	self = reflect.ValueOf(ud.Value)
	if self.Kind() == reflect.Pointer || t.Kind() != reflect.Pointer {
		return self.Convert(t), func() {}
	}
	p := reflect.New(t.Elem())
	p.Elem().Set(self)
	return p, func() { ud.Value = p.Elem().Interface() }
}

// failed raises the error that a Go function has returned as its last result, and takes
// that result away when there is none.
func (x *hostFunction) failed(L *lua.LState, results []reflect.Value) []reflect.Value {
	last := len(results) - 1
	if last < 0 || x.sig.Out(last) != errorType {
		return results
	}
	if err, ok := results[last].Interface().(error); ok {
		x.raise(L, err)
	}
	return results[:last]
}

// raise raises an error that a Go function has returned, if it is one.
func (x *hostFunction) raise(L *lua.LState, err error) {
	if err == nil {
		return
	}
	if isNil(reflect.ValueOf(err)) { // its methods may expect a value
		fault.Raisef(L, "%s: the host's Go code has returned a nil %T as its error, which is an error in Go, too: "+
			"without one it has to return nil itself", x.title(L), err)
	}
	if errors.Is(err, running.ErrSpent) {
		value.Charge(L, 0) // which raises the error of the limit
	}
	e := diag.New("%s: %s", x.title(L), err.Error())
	e.Err = err
	fault.Raise(L, e)
}

// maxCallbacks is how many callbacks may run in each other: each takes a thread
// and Go stack.
const maxCallbacks = 50

// anyFunction is what a function of a script becomes where Go takes anything.
var anyFunction = reflect.TypeFor[func(...any) []any]()

// goFunction makes a function of Go of one of a script's. Each call is one on a new thread.
func (f *Fence) goFunction(L *lua.LState, fn *lua.LFunction, t reflect.Type, to callee) reflect.Value {
	if t.Kind() == reflect.Interface {
		t = anyFunction
	}
	body := f.callback(L, fn, to)
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		value.Charge(L, 0) // the host may have recovered the error of a limit, and call again
		th, cancel := L.NewThread()
		defer th.Close()
		if cancel != nil {
			defer cancel()
		}
		th.Push(body)
		n := len(args)
		if t.IsVariadic() {
			n--
			for i := range args[n].Len() {
				args = append(args, args[n].Index(i))
			}
			args = append(args[:n], args[n+1:]...)
		}
		for _, arg := range args {
			th.Push(f.out(arg))
		}
		// The host may recover what is raised, and go on: so the machine is as it was before.
		if raised := (*machine.Thread)(L).Protect(func() { th.Call(len(args), lua.MultRet) }); raised != nil {
			panic(raised)
		}
		return f.returned(th, t)
	})
}

// returned converts what a function of a script has returned: all values of its thread.
func (f *Fence) returned(th *lua.LState, t reflect.Type) []reflect.Value {
	if t == anyFunction {
		list := make([]any, th.GetTop())
		for i := range list {
			list[i] = f.in(th, th.Get(i+1), anyType, callee{}).Interface()
		}
		return []reflect.Value{reflect.ValueOf(list)}
	}
	results := make([]reflect.Value, t.NumOut())
	if got := th.GetTop(); got != len(results) {
		panic(fmt.Errorf("expected %s, got %d", diag.Plural(len(results), "result"), got))
	}
	for i := range results {
		v, out := th.Get(i+1), t.Out(i)
		if why := f.given(th, v, out); why != "" {
			panic(errors.New(why))
		}
		results[i] = f.in(th, v, out, callee{})
	}
	return results
}

// callback makes of a script's function one that the host may call during the
// call that it was given to, on a thread which would run without a budget.
func (f *Fence) callback(L *lua.LState, fn *lua.LFunction, to callee) *lua.LFunction {
	during, ctx := f.calls.Epoch, L.Context()
	return f.main.NewFunction(func(th *lua.LState) int {
		switch {
		case f.calls.Epoch != during:
			fault.Raisef(th, late)
		case f.inner >= maxCallbacks:
			fault.Raisef(th, tooDeep, maxCallbacks)
		}
		if ctx != nil {
			f.calls.Attach(th, ctx)
		}
		f.inner++
		defer func() { f.inner-- }()
		n := th.GetTop()
		again(th, fn, n)
		f.results(th, fn, n, to)
		if to.sig == nil {
			f.plain(th, n+1)
		}
		return th.GetTop() - n
	})
}

// again calls a function with the first n values on the stack. The results are on top then.
func again(L *lua.LState, fn lua.LValue, n int) {
	L.Push(fn)
	for i := 1; i <= n; i++ {
		L.Push(L.Get(i))
	}
	L.Call(n, lua.MultRet)
}
