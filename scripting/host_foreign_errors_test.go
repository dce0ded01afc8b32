package scripting_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
	lua "github.com/yuin/gopher-lua"
	luar "layeh.com/gopher-luar"
)

// TestForeignErrors: what fails in code for gopher-lua, or passes through it, says where, and
// what a script has raised arrives as it was.
func TestForeignErrors(t *testing.T) {
	g := newGame(t, scripting.Limits{Instructions: 200_000})
	state := lua.NewState()
	defer state.Close()
	module := state.NewTable()
	var late *lua.LFunction
	for name, f := range map[string]lua.LGFunction{
		"call": func(L *lua.LState) int {
			if err := L.CallByParam(lua.P{Fn: L.CheckFunction(1), NRet: 1, Protect: true}); err != nil {
				L.Push(err.(*lua.ApiError).Object)
			}
			return 1
		},
		"through": func(L *lua.LState) int { L.Push(L.CheckFunction(1)); L.Call(0, 0); return 0 },
		"panic":   func(*lua.LState) int { panic(errors.New("broken")) },
		"number":  func(L *lua.LState) int { L.CheckNumber(1); return 0 },
		"yield":   func(L *lua.LState) int { return L.Yield() },
	} {
		state.SetField(module, name, state.NewFunction(f))
	}
	for name, v := range map[string]any{
		"mod":    module,
		"lend":   func(L *lua.LState) int { late = L.CheckFunction(1); return 0 },
		"call":   func(L *lua.LState) int { L.Push(L.CheckFunction(1)); L.Call(0, 1); return 1 },
		"twice":  luar.New(state, func(x int) int { return 2 * x }),
		"broken": func(*luar.LState) int { panic("luar is broken") },
	} {
		if err := g.host.Expose(name, v); err != nil {
			t.Fatal(err)
		}
	}
	g.write("a.lua", `local host = require "host"
local mod = host.mod
local function says(f, ...) local ok, why = pcall(f, ...) ecs.log(tostring(why)) end
local function fails() error("mine") end
ecs.system "a" { run = function(ctx)
  ecs.log(mod.call(fails))
  local e = {}
  ecs.log(tostring(mod.call(function() error(e) end) == e))
  says(function() mod.panic() end)
  says(function() mod.number("x") end)
  says(function() mod.yield() end)
  says(function() local x = host.twice("x") end)
  says(function() host.broken(nil) end)
  says(function() host.call(function() return { print } end) end)
  local deep
  deep = function() return host.call(deep) end
  says(deep)
  host.lend(fails)
end }
ecs.system "b" { run = function() mod.through(fails) end }
ecs.system "c" { run = function() host.call(function() while true do end end) end }
`)
	if err := g.host.Load(g.folder); err != nil {
		t.Fatal(err)
	}
	g.step(1)
	for i, want := range []string{
		"a.lua:5: mine", "true", "a.lua:10: a function of the host: panic in Go: broken", "a.lua:11: bad argument #1 to number (number expected, got string)",
		"a.lua:12: the host cannot yield inside of a call from a script", "a.lua:13: bad argument #1 to twice (cannot use x (type lua.LString) as type int)",
		"a.lua:14: host.broken, with nil as argument 1: panic in Go: luar is broken",
		"a function inside of a table cannot be given to the host", "stack overflow: callbacks from the host are more than 50 deep in each other",
	} {
		if i >= len(g.logs) || !strings.Contains(g.logs[i], want) {
			t.Errorf("line %d is not %q: %q", i, want, g.logs)
		}
	}
	if len(g.errors) != 2 {
		t.Fatal(g.errors)
	}
	if got := byLine(g.errors[0].Detail()); !strings.Contains(got, "a.lua:5: ") || !strings.Contains(got, "mine") || !strings.Contains(got, "a.lua:21") {
		t.Error(got)
	}
	if got := g.errors[1].Error(); !strings.Contains(got, "instructions") {
		t.Error(got)
	}
	err := state.CallByParam(lua.P{Fn: late, Protect: true})
	if err == nil || !strings.Contains(err.Error(), "the host called a script's function after the call that it was given to") {
		t.Error(err)
	}
	g.errors = nil
	g.step(1) // all is as before
	if len(g.errors) != 2 {
		t.Error(g.errors)
	}
}
