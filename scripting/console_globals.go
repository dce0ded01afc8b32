package scripting

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/scripting/internal/heapsize"
)

// begin makes the globals.
func (c *Console) begin(L *lua.LState) {
	h := c.host
	env := h.library.Env()
	env.RawSetString("ecs", h.binding.ConsoleTable(L))
	api := env.RawGetString("ecs")
	env.RawSetString("each", eachFunction(L, api.(*lua.LTable)))
	var host *lua.LTable
	hostTable := func(L *lua.LState) *lua.LTable {
		if host == nil {
			host = h.hostTable(L)
		}
		return host
	}
	if len(h.exposed) > 0 {
		env.RawSetString("host", hostTable(L))
	}
	env.RawSetString("require", h.state.NewFunction(func(L *lua.LState) int {
		switch name := moduleName(L); name {
		case "ecs":
			L.Push(api)
		case "host":
			L.Push(hostTable(L))
		default:
			L.Push(c.require(L, name))
		}
		return 1
	}))
	refuseUnknown(h.state, env, c.text, &knownNames{
		value: func(L *lua.LState, name string) lua.LValue { return h.binding.Named(L, name, h.declarations) },
		list:  c.declared,
	})
	c.env, c.initial = env, lua.Entries(env)
}

// declared lists the names of components, events and prefabs.
func (c *Console) declared() (names []string) {
	for _, sort := range []string{"component", "event", "prefab"} {
		names = append(names, c.host.binding.NamesOf(sort, c.host.declarations)...)
	}
	return names
}

// text is the program that is running, for messages; that of the newest text for a function that runs later.
func (c *Console) text() *program {
	if c.of != nil {
		return c.of
	}
	return c.programs[len(c.programs)-1]
}

// require returns what a script has returned that runs.
func (c *Console) require(L *lua.LState, name string) lua.LValue {
	h := c.host
	for _, file := range requirable("", name) {
		if m := h.live[file]; m != nil {
			if c.kept != nil {
				charge(L, c.kept.more(m.exports))
			}
			return m.exports
		}
	}
	names := []string{"ecs", "host"}
	for file := range h.live {
		names = append(names, dotted(file))
	}
	fault.RaiseAt(L, fault.Argument(1), "no script %q is loaded%s", diag.Cut(name), suggestion(L, name, names))
	return nil
}

// eachFunction makes the function each(A, B, …) of the console.
func eachFunction(L *lua.LState, api *lua.LTable) lua.LValue {
	entities, get := api.RawGetString("entities"), api.RawGetString("get")
	return L.NewFunction(func(L *lua.LState) int {
		n := L.GetTop()
		charge(L, n)
		terms := L.CreateTable(n, 0)
		for i := 1; i <= n; i++ {
			terms.RawSetInt(i, L.Get(i))
		}
		L.Push(entities)
		L.Push(terms)
		L.Call(1, 1)
		next := L.Get(-1)
		L.Push(L.NewClosure(func(L *lua.LState) int {
			L.Push(next)
			L.Call(0, 1)
			e := L.Get(-1)
			if e == lua.LNil {
				return 1
			}
			for i := 1; i <= n; i++ {
				L.Push(get)
				L.Push(e)
				L.Push(terms.RawGetInt(i))
				L.Call(2, 1)
			}
			return 1 + n
		}, next, terms))
		return 1
	})
}

// forget drops the globals, and the coroutines of their functions.
func (c *Console) forget() {
	if c.env != nil {
		c.host.library.Cancel(c.env)
		c.env = nil
	}
}

// overflows drops the globals, which hold too much, and reports whether it did: not while a text is running, which gets the error. Why are
// they not left alone, and the texts refused, as those of a script are? Nobody could save another version of them, and a
// function that a text has left to a module could make them hold ever more, for which other scripts would be refused.
func (c *Console) overflows(x *excess) bool {
	if c.of != nil {
		return false
	}
	c.forget()
	c.dropped = x.fault("the globals of the console held too much: %s; they are dropped, and the next text begins without any", x.what)
	c.dropped.Script = consoleName
	return true
}

// holder lists from where a walk over what the console holds begins.
func (c *Console) holder() heapsize.Owner {
	o := heapsize.Owner{Env: c.env}
	if c.host.limiter.inCall && c.host.limiter.script == consoleName {
		o.Sources = append(o.Sources, heapsize.Root{Name: "the locals of the call that is running", Value: c.host.binding.Thread()})
	}
	return o
}

// weigh counts what scripts hold when texts have made much: while a game stands, no step does.
func (c *Console) weigh(made int64) {
	if c.made += made; c.host.heldWatch.least > 0 && uint64(c.made) >= c.host.heldWatch.least/2 {
		c.made = 0
		_ = c.host.count() // the next text gets the error
	}
}
