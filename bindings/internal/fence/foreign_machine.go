package fence

import (
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/bridge"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	gopher "github.com/yuin/gopher-lua" // values that it makes may be exposed
	luar "layeh.com/gopher-luar"        // it calls functions that are written against it
)

// foreigners is what is needed for values of gopher-lua's: nothing before there are any.
type foreigners struct{ bridge *bridge.Bridge }

// bridge returns the bridge to gopher-lua.
func (f *Fence) bridge() *bridge.Bridge {
	if f.other.bridge == nil {
		f.other.bridge = bridge.New(lua.VM(f.main), bridge.Options{
			Enter:    func(th *machine.Thread) { f.enter((*lua.LState)(th)) },
			Epoch:    func() uint64 { return f.calls.Epoch },
			Back:     f.back,
			Returns:  f.plainResults,
			Reserved: reserved,
			Large:    func(meta *machine.Table) bool { return meta != nil && !meta.GetString(proxy.StateKey).IsNil() },
		})
	}
	return f.other.bridge
}

// back is called before the host calls a function of a script.
func (f *Fence) back(th *machine.Thread, lent uint64, forGood bool) (leave func()) {
	switch {
	case !forGood && f.calls.Epoch != lent:
		fault.Raisef((*lua.LState)(th), late)
	case f.inner >= maxCallbacks:
		fault.Raisef((*lua.LState)(th), tooDeep, maxCallbacks)
	}
	f.inner++
	return func() { f.inner-- }
}

// plainResults raises an error for a table that cannot be copied.
func (f *Fence) plainResults(th *machine.Thread, results []machine.Value) {
	for _, v := range results {
		if t := v.Table(); t != nil {
			if why := f.copied((*lua.LState)(th), (*lua.LTable)(t)); why != "" {
				fault.Raisef((*lua.LState)(th), "%s", why)
			}
		}
	}
}

// reserved reports whether a metatable is that of a table which the host has made for
// scripts.
func reserved(meta *machine.Table) bool {
	for _, key := range [...]string{proxy.ContentKey, proxy.GuardKey, proxy.SealedKey, proxy.OverKey, proxy.NoListKey} {
		if !meta.GetString(key).IsNil() {
			return true
		}
	}
	return false
}

// foreign calls a function that gets its arguments from a state of gopher-lua.
func (f *Fence) foreign(fn reflect.Value) lua.LGFunction {
	state := f.bridge().State()
	if fn.CanConvert(reflect.TypeFor[gopher.LGFunction]()) {
		return f.raw(state.NewFunction(fn.Convert(reflect.TypeFor[gopher.LGFunction]()).Interface().(gopher.LGFunction)))
	}
	return f.raw(luar.New(state, fn.Interface()).(*gopher.LFunction))
}

// raw calls a function that reads its arguments itself: it gets functions of scripts as they
// may be called, and tables as they are, if they could be copied.
func (f *Fence) raw(fn *gopher.LFunction) lua.LGFunction {
	return func(L *lua.LState) int {
		f.plain(L, 1)
		return f.bridge().Call((*machine.Thread)(L).Current(), fn, false, f.received)
	}
}

// lending is call, for a function that gets values of gopher-lua's: what it does to tables
// of the runtime's own is done when it ends.
func (f *Fence) lending(call lua.LGFunction) lua.LGFunction {
	return func(L *lua.LState) (results int) {
		f.bridge().During((*machine.Thread)(L), func() { results = call(L) })
		return results
	}
}

// received is what scripts get for a result of gopher-lua's code.
func (f *Fence) received(v gopher.LValue) machine.Value { return lua.ToValue(f.outForeign(v)) }

// outForeign is out for a value of gopher-lua's, or of scripts themselves.
func (f *Fence) outForeign(v lua.LValue) lua.LValue {
	switch v := v.(type) {
	case *lua.LTable, *lua.LFunction, *lua.LUserData:
		return v
	case *gopher.LFunction:
		if made := f.bridge().Standing(v); made != nil {
			return (*lua.LFunction)(made)
		}
		made := f.guarded(&hostFunction{name: anonymous, asks: -1}, nil, f.raw(v))
		f.bridge().Stand((*machine.Function)(made), v)
		return made
	case *gopher.LUserData:
		if own := f.bridge().Own(v); own != nil {
			return (*lua.LUserData)(own)
		}
		return f.out(reflect.ValueOf(v.Value))
	}
	return lua.FromValue(f.bridge().Take(v))
}

// inForeign is in for a type of gopher-lua's.
func (f *Fence) inForeign(_ *lua.LState, v lua.LValue, t reflect.Type) reflect.Value {
	if of := reflect.ValueOf(v); of.Type() == t {
		return of
	}
	return reflect.ValueOf(f.bridge().Lend(lua.ToValue(v)))
}
