package fence

import (
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
)

// reflected is a function that is called by reflection, with the places of its arguments made
// before.
//
// Invariant: args is nil while a call uses it. So a function that is called again before it
// has returned makes places of its own, and so does the next call after one that panics.
type reflected struct {
	f     *Fence
	x     *hostFunction
	fn    reflect.Value
	slots []scalar // of the parameters
	args  []reflect.Value
}

// prepare returns how a function is called by reflection without a look at its types, where the
// arguments are numbers, texts, booleans and values of the host of exactly the types of the
// parameters; nil for a variadic one.
func (f *Fence) prepare(x *hostFunction, fn reflect.Value) direct {
	if x.sig.IsVariadic() {
		return nil
	}
	p := &reflected{f: f, x: x, fn: fn}
	for i := range x.sig.NumIn() {
		p.slots = append(p.slots, scalarOf(x.sig.In(i)))
	}
	return p.call
}

// places makes places for arguments.
func (p *reflected) places() []reflect.Value {
	args := make([]reflect.Value, len(p.slots))
	for i := range args {
		if p.slots[i].kind != reflect.Invalid {
			args[i] = reflect.New(p.x.sig.In(i)).Elem()
		}
	}
	return args
}

// call is a [direct].
func (p *reflected) call(L *lua.LState, enter func(*lua.LState)) (int, bool) {
	if L.GetTop() != len(p.x.params) {
		return 0, false
	}
	args := p.args
	if p.args = nil; args == nil {
		args = p.places()
	}
	for i := range args {
		if !p.take(L, args, i) {
			p.release(args)
			return 0, false
		}
	}
	enter(L)
	results := p.x.failed(L, p.fn.Call(args))
	p.release(args)
	for _, r := range results {
		if r.Type() == entitiesType {
			L.Push(p.f.result(L, r))
			continue
		}
		p.f.push((*machine.Thread)(L).Current(), r)
	}
	return len(results), true
}

// take sets the ith argument to what a script has given, if that is possible.
func (p *reflected) take(L *lua.LState, args []reflect.Value, i int) bool {
	if i == p.x.asks {
		args[i] = reflect.ValueOf(p.f.calls.ForHost())
		return true
	}
	v := lua.At(L, p.x.at(i))
	if s := &p.slots[i]; s.kind != reflect.Invalid {
		if !s.fits(v) {
			return false
		}
		s.put(args[i], v)
		return true
	}
	ud := v.Userdata()
	if ud == nil || ud.Value == nil {
		return false
	}
	args[i] = reflect.ValueOf(ud.Value)
	return args[i].Type() == p.x.sig.In(i)
}

// release keeps places for the next call, without what they hold of the host's and of scripts.
func (p *reflected) release(args []reflect.Value) {
	for i := range args {
		switch p.slots[i].kind {
		case reflect.Invalid:
			args[i] = reflect.Value{}
		case reflect.String:
			args[i].SetZero()
		}
	}
	p.args = args
}
