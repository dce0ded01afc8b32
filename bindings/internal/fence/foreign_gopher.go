//go:build !machine

package fence

import (
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/lua"
	luar "layeh.com/gopher-luar" // it calls functions that are written against it
)

// foreigners is what is needed for values of gopher-lua's: nothing.
type foreigners struct{}

// foreign calls a function that gets its arguments from a state of gopher-lua.
func (f *Fence) foreign(fn reflect.Value) lua.LGFunction {
	if fn.CanConvert(reflect.TypeFor[lua.LGFunction]()) {
		return f.raw(f.main.NewFunction(fn.Convert(reflect.TypeFor[lua.LGFunction]()).Interface().(lua.LGFunction)))
	}
	return f.raw(luar.New(f.main, fn.Interface()))
}

// lending is call, for a function that gets values of gopher-lua's.
func (f *Fence) lending(call lua.LGFunction) lua.LGFunction { return call }

// raw calls a function that reads its arguments itself: it gets functions of scripts as they
// may be called, and tables as they are, if they could be copied.
func (f *Fence) raw(fn lua.LValue) lua.LGFunction {
	return func(L *lua.LState) int {
		f.plain(L, 1)
		n := L.GetTop()
		f.lend(L, 1)
		again(L, fn, n)
		f.receive(L, n+1)
		return L.GetTop() - n
	}
}

// lend makes of functions on the stack, from one on, what gopher-lua's code may call.
func (f *Fence) lend(L *lua.LState, first int) {
	for i := first; i <= L.GetTop(); i++ {
		fn, ok := L.Get(i).(*lua.LFunction)
		if !ok {
			continue
		}
		body := f.callback(L, fn, callee{})
		L.Replace(i, f.main.NewFunction(func(th *lua.LState) int {
			n := th.GetTop()
			f.receive(th, 1)
			again(th, body, n)
			f.lend(th, n+1)
			return th.GetTop() - n
		}))
	}
}

// receive makes of values on the stack, from one on, what scripts may get.
func (f *Fence) receive(L *lua.LState, first int) {
	for i := first; i <= L.GetTop(); i++ {
		L.Replace(i, f.outForeign(L.Get(i)))
	}
}

// outForeign is out for a value of gopher-lua's.
func (f *Fence) outForeign(v lua.LValue) lua.LValue {
	switch v := v.(type) {
	case *lua.LFunction:
		if !f.funcs[v] {
			return f.guarded(&hostFunction{name: anonymous}, nil, f.raw(v))
		}
	case *lua.LUserData:
		if v.Value == nil || lua.MetatableOf(v) != f.classOf(reflect.TypeOf(v.Value)).meta {
			return f.out(reflect.ValueOf(v.Value))
		}
	}
	return v
}

// inForeign is in for a type of gopher-lua's.
func (f *Fence) inForeign(_ *lua.LState, v lua.LValue, _ reflect.Type) reflect.Value {
	return reflect.ValueOf(v)
}
