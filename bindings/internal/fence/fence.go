// Package fence passes values of the host to scripts and back.
//
// gopher-luar makes Lua values of Go values by reflection, and lets scripts do more with
// them than a host would like. A [Fence] stands between the two. Every value that comes out
// of Go passes out, every value that goes into Go passes in, on whatever way: as an exposed
// value, an argument, a result, a field, an item, or through a callback.
//
//   - Of gopher-luar's operators only the index, the length and the comparison
//     remain: others replace what is behind a pointer or send into channels.
//   - Numbers arrive as they are, or the call is an error, and so is one whose last
//     result is an error.
//   - Channels cannot be used at all: they would block the tick.
//   - Tables that go into Go are small and flat enough to be copied.
//   - Functions that go into Go run within the limits of the call that handed
//     them over, and not after it.
package fence

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
)

// Fence is what all values of the host that one Lua state has go through.
//
// Metatables are shared by all values of a Go type, so each is changed once.
type Fence struct {
	main  *lua.LState
	calls *tx.Runner
	known map[*lua.LTable]bool              // metatables that were changed
	bare  *lua.LTable                       // the metatable of values that gopher-luar gives none
	funcs map[*lua.LFunction]*lua.LFunction // gopher-luar's, and what scripts get for them
	inner int                               // callbacks that are running in each other

	fields map[reflect.Type]map[string]reflect.StructField // see fieldsOf

	unknown lua.LValue // not nil while a call is judged: an argument of which nothing is known
	part    fault.Part // that the error of a judged call is about
}

// New makes the fence of a Lua state and the calls that run in it.
func New(main *lua.LState, calls *tx.Runner) *Fence {
	return &Fence{
		main: main, calls: calls, bare: main.NewTable(), known: map[*lua.LTable]bool{}, funcs: map[*lua.LFunction]*lua.LFunction{},
		fields: map[reflect.Type]map[string]reflect.StructField{},
	}
}

// Value converts a Go value that the host exposes. Functions become
// functions; structs and pointers to structs become objects whose exported
// fields and methods scripts may use, and so does what these lead to. Nothing
// else of a value can be reached. Messages call it by the name.
func (f *Fence) Value(name string, given any) (v lua.LValue, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a %T cannot be exposed to scripts: %v", given, r)
		}
	}()
	if !exposable(reflect.TypeOf(given)) {
		return nil, fmt.Errorf("a %T cannot be exposed to scripts", given)
	}
	if isNil(reflect.ValueOf(given)) {
		return nil, fmt.Errorf("a %T that is nil cannot be exposed to scripts", given)
	}
	v = convert(f.main, given)
	if fn, ok := v.(*lua.LFunction); ok {
		return f.function(fn, name), nil
	}
	return f.out(v), nil
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

func exposable(t reflect.Type) bool {
	if t == nil {
		return false
	}
	switch t.Kind() {
	case reflect.Chan, reflect.UnsafePointer, reflect.Uintptr, reflect.Complex64, reflect.Complex128:
		return false
	}
	return true
}

// maxCallbacks is how many callbacks may run in each other: each takes a thread
// and Go stack.
const maxCallbacks = 50

// maxFunctions is how many of the host's functions stay the same value when
// they come out again.
const maxFunctions = 1 << 12

// out prepares a value that comes from Go.
func (f *Fence) out(v lua.LValue) lua.LValue {
	switch v := v.(type) {
	case *lua.LFunction:
		return f.function(v, "a function of the host")
	case *lua.LUserData:
		meta := lua.MetatableOf(v)
		if meta == nil {
			meta = f.bare
			lua.InitUserData(v, v.Value, meta)
		}
		if !f.known[meta] {
			f.known[meta] = true
			f.restrict(meta, reflect.TypeOf(v.Value))
		}
	}
	return v
}

// restrict leaves of a metatable what scripts may do.
func (f *Fence) restrict(meta *lua.LTable, t reflect.Type) {
	removed := []string{"__pow", "__unm", "__call", "__add"}
	if t != nil && t.Kind() == reflect.Chan {
		removed = append(removed, "__len", "__index")
	}
	for _, name := range removed {
		meta.RawSetString(name, lua.LNil)
	}
	for name, around := range map[string]func(*lua.LFunction, reflect.Type) *lua.LFunction{"__index": f.getter, "__newindex": f.setter} {
		fn, ok := meta.RawGetString(name).(*lua.LFunction)
		if ok {
			fn = around(fn, t)
		} else {
			fn = f.main.NewFunction(noFields)
		}
		meta.RawSetString(name, fn)
	}
	meta.RawSetString("__tostring", f.main.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LString(hostText(L.Get(1))))
		return 1
	}))
}

// noFields raises the error of a look into a value that has no fields and no items.
func noFields(L *lua.LState) int {
	fault.Raise(L, fault.NotIndexable(L, L.Get(1), L.Get(2)))
	return 0
}

// hostText is what a host's value shows of itself as a text: what it says
// itself, else its type. Addresses would differ from run to run.
func hostText(v lua.LValue) string {
	ud, ok := v.(*lua.LUserData)
	if !ok {
		return value.Describe(v)
	}
	switch v := ud.Value.(type) {
	case fmt.Stringer:
		return v.String()
	case error:
		return v.Error()
	}
	return fmt.Sprintf("the host's %T", ud.Value)
}

// getter puts the fence around what gives scripts the fields, items and methods of a
// type.
func (f *Fence) getter(fn *lua.LFunction, t reflect.Type) *lua.LFunction {
	return f.main.NewFunction(func(L *lua.LState) int {
		n := L.GetTop()
		if L.Get(2).Type() != lua.LTString { // which may name a method
			f.keyed(L, t, false)
		}
		f.prepare(L, 2, nil, true)
		f.pass(L, fn, n)
		v := lua.LValue(lua.LNil)
		if L.GetTop() > n {
			v = L.Get(n + 1)
		}
		if method, ok := v.(*lua.LFunction); ok && structOf(t) != nil {
			L.Push(f.function(method, fault.Written(L.Get(2))))
			return 1
		}
		if v == lua.LNil {
			f.keyed(L, t, false)
		}
		L.Push(f.out(v))
		return 1
	})
}

// setter puts the fence around what stores fields and items of a type.
func (f *Fence) setter(fn *lua.LFunction, t reflect.Type) *lua.LFunction {
	return f.main.NewFunction(func(L *lua.LState) int {
		f.stored(L, t)
		f.prepare(L, 2, nil, true)
		f.pass(L, fn, L.GetTop())
		return 0
	})
}

// pass calls one of gopher-luar's functions with the n arguments on the stack. Its
// results are on top of them then.
func (f *Fence) pass(L *lua.LState, fn *lua.LFunction, n int) {
	value.Charge(L, value.StepsPerHost)
	L.Push(fn)
	for i := 1; i <= n; i++ {
		L.Push(L.Get(i))
	}
	L.Call(n, lua.MultRet)
}

// prepare makes of the values on the stack, from one on, what may go into Go, where tables
// are copied. x is the function of the host's that gets them as arguments; nil: none. checked
// says that given has looked at them.
func (f *Fence) prepare(L *lua.LState, first int, x *hostFunction, checked bool) {
	for i := first; i <= L.GetTop(); i++ {
		switch v := L.Get(i).(type) {
		case *lua.LFunction:
			L.Replace(i, f.callback(L, v, x.takes(L, i)))
		case *lua.LTable:
			if checked {
				continue
			}
			if why := f.copied(L, v); why != "" {
				fault.Raisef(L, "%s", why)
			}
		}
	}
}

// hostFunction is a function or a method of the host's, as messages need it.
type hostFunction struct {
	name string
	sig  reflect.Type // nil: nobody knows it, or it reads its arguments itself
	self int          // 1 for a method: how many arguments the receiver takes
}

// title is how a script writes the function that it calls. A method is one of whatever the
// script has it from.
func (x *hostFunction) title(L *lua.LState) string {
	if words := fault.Called(L); strings.HasSuffix(words, ":"+x.name) || strings.HasSuffix(words, "."+x.name) {
		return words
	}
	return x.name
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

// function puts the fence around one of gopher-luar's functions. It has a name for
// messages.
func (f *Fence) function(fn *lua.LFunction, name string) *lua.LFunction {
	if known := f.funcs[fn]; known != nil {
		return known
	}
	x := &hostFunction{name: name, sig: signature(fn)}
	if lua.Captures(fn) > 1 && lua.Captured(fn, 1).Value() == lua.LTrue {
		x.self = 1
	}
	if x.sig != nil && bypass(x.sig) {
		x.sig = nil
	}
	guarded := f.main.NewFunction(func(L *lua.LState) int {
		n := L.GetTop()
		if x.sig != nil {
			f.parameters(L, x)
		}
		if f.unknown != nil {
			return 0
		}
		if c := f.calls.Call; c != nil && f.calls.World != nil {
			c.Dates.Seal(f.calls.World) // what the host writes stays, whatever becomes of the call
		}
		defer fault.CatchIn(L, x.panicked)
		f.prepare(L, 1, x, x.sig != nil)
		f.pass(L, fn, n)
		if x.sig != nil {
			f.result(L, x)
		}
		for i := n + 1; i <= L.GetTop(); i++ {
			L.Replace(i, f.out(L.Get(i)))
		}
		return L.GetTop() - n
	})
	if len(f.funcs) > maxFunctions {
		clear(f.funcs) // a host may return new ones without end
	}
	f.funcs[guarded] = guarded // a method comes out again as what it was made
	f.funcs[fn] = guarded
	return guarded
}

// copied says why a table cannot be copied: it is too large or too deep, or holds a function,
// which nothing would limit there.
func (f *Fence) copied(L *lua.LState, t *lua.LTable) string {
	budget := value.MaxEntries
	return f.check(L, t, 0, &budget)
}

// check is copied for a table in others.
func (f *Fence) check(L *lua.LState, t *lua.LTable, depth int, budget *int) (why string) {
	if why = proxy.Over(t); why != "" {
		return why
	}
	if depth > value.MaxNesting {
		return fmt.Sprintf("data nests deeper than %d levels, or contains itself", value.MaxNesting)
	}
	proxy.Pairs(t, func(k, v lua.LValue) {
		if why != "" {
			return
		}
		value.Charge(L, value.StepsPerEntry)
		if *budget--; *budget < 0 {
			why = fmt.Sprintf("data has more than %s entries", diag.Grouped(value.MaxEntries))
		}
		for _, part := range [...]lua.LValue{k, v} {
			if why != "" {
				return
			}
			switch part := part.(type) {
			case *lua.LTable:
				why = f.check(L, part, depth+1, budget)
			case *lua.LFunction:
				why = "a function inside of a table cannot be given to the host: give it as an argument of its own"
			}
		}
	})
	return why
}

// callback makes of a script's function one that the host may call during the
// call that it was given to. gopher-luar calls it on a new thread, which would
// run without a budget.
func (f *Fence) callback(L *lua.LState, fn *lua.LFunction, to callee) *lua.LFunction {
	during, ctx := f.calls.Epoch, L.Context()
	return f.main.NewFunction(func(th *lua.LState) int {
		switch {
		case f.calls.Epoch != during:
			fault.Raisef(th, "the host called a script's function after the call that it was given to")
		case f.inner >= maxCallbacks:
			fault.Raisef(th, "stack overflow: callbacks from the host are more than %d deep in each other", maxCallbacks)
		}
		if ctx != nil {
			f.calls.Attach(th, ctx)
		}
		f.inner++
		defer func() { f.inner-- }()
		n := th.GetTop()
		th.Push(fn)
		for i := 1; i <= n; i++ {
			th.Push(f.out(th.Get(i)))
		}
		th.Call(n, lua.MultRet)
		f.results(th, fn, n, to)
		f.prepare(th, n+1, nil, to.sig != nil)
		return th.GetTop() - n
	})
}
