package scripting_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
	lua "github.com/yuin/gopher-lua"
	luar "layeh.com/gopher-luar"
)

// foreignHost has what a program may have that was written for gopher-lua: it keeps what
// scripts give to it, and works with that whenever it likes.
type foreignHost struct {
	state  *lua.LState // its own: scripts do not run in it
	kept   *lua.LTable
	called *lua.LFunction
}

// Point is a value that gopher-luar shows.
type Point struct{ X, Y float64 }

// Sum is a method with both receivers.
func (p Point) Sum() float64 { return p.X + p.Y }

// Move is a method of the pointer.
func (p *Point) Move(dx float64) { p.X += dx }

// module is a table of gopher-lua's with functions, values and a metatable.
func (h *foreignHost) module() *lua.LTable {
	L := h.state
	t := L.NewTable()
	L.SetField(t, "add", L.NewFunction(func(L *lua.LState) int {
		L.Push(L.CheckNumber(1) + L.CheckNumber(2))
		return 1
	}))
	L.SetField(t, "call", L.NewFunction(func(L *lua.LState) int {
		f := L.CheckFunction(1)
		if err := L.CallByParam(lua.P{Fn: f, NRet: 1, Protect: true}, lua.LNumber(20), lua.LString("x")); err != nil {
			L.Push(lua.LNil)
			L.Push(err.(*lua.ApiError).Object)
			return 2
		}
		return 1
	}))
	L.SetField(t, "keep", L.NewFunction(func(L *lua.LState) int {
		h.kept = L.CheckTable(1)
		L.Push(h.kept)
		return 1
	}))
	L.SetField(t, "fail", L.NewFunction(func(L *lua.LState) int { L.RaiseError("no %s today", L.CheckString(1)); return 0 }))
	L.SetField(t, "throw", L.NewFunction(func(L *lua.LState) int { L.Error(L.Get(1), 1); return 0 }))
	L.SetField(t, "panic", L.NewFunction(func(*lua.LState) int { panic(errors.New("broken")) }))
	L.SetField(t, "point", luar.New(L, &Point{3, 4}))
	L.SetField(t, "list", luar.New(L, []string{"a", "b"}))
	L.SetField(t, "yield", L.NewFunction(func(L *lua.LState) int { return L.Yield(lua.LNumber(1)) }))
	meta := L.NewTable()
	L.SetField(meta, "__index", L.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LString("no " + L.ToString(2)))
		return 1
	}))
	L.SetField(meta, "__call", L.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LNumber(L.GetTop()))
		return 1
	}))
	L.SetMetatable(t, meta)
	return t
}

// TestForeignValues: what a program has made for gopher-lua works for scripts.
func TestForeignValues(t *testing.T) {
	g := newGame(t, scripting.Limits{})
	h := &foreignHost{state: lua.NewState()}
	defer h.state.Close()
	module := h.module()
	for name, value := range map[string]any{
		"mod":  module,
		"raw":  func(L *lua.LState) int { L.Push(lua.LNumber(L.GetTop())); L.Push(L.Get(1)); return 2 },
		"made": h.state.NewFunction(func(L *lua.LState) int { L.Push(lua.LString("made")); return 1 }),
		"luar": func(L *luar.LState) int { L.Push(luar.New(L.LState, &Point{float64(L.CheckNumber(1)), 2})); return 1 },
		"type": luar.New(h.state, func(x int, s string) string { return fmt.Sprint(x, s) }),
		"keep": func(f *lua.LFunction) { h.called = f },
		"put":  func(t *lua.LTable, v lua.LValue) *lua.LTable { t.RawSetString("put", v); return t },
	} {
		if err := g.host.Expose(name, value); err != nil {
			t.Fatal(name, err)
		}
	}
	g.write("a.lua", foreignScript)
	if err := g.host.Load(g.folder); err != nil {
		t.Fatal(err)
	}
	g.step(1)
	// Between two steps, and long after the call, the table is the script's.
	if h.kept != nil {
		h.kept.RawSetString("host", lua.LString("was here"))
		h.kept.Append(lua.LNumber(99))
		if inner, ok := h.kept.RawGetString("inner").(*lua.LTable); ok {
			inner.RawSetInt(1, lua.LString("changed"))
		}
	}
	module.RawSetString("later", lua.LNumber(7))
	g.step(1)
	for _, err := range g.errors {
		g.logs = append(g.logs, err.Error())
	}
	g.logs = append(g.logs, fmt.Sprint(h.kept.RawGetString("script"), h.kept.RawGetString("inner").(*lua.LTable).RawGetInt(2), h.kept.Len()))
	for i, line := range strings.Split(foreignTrace, "\n") {
		if i >= len(g.logs) || strings.TrimRight(g.logs[i], " ") != line {
			t.Errorf("line %d is %q, want %q", i, g.logs[min(i, len(g.logs)-1)], line)
		}
	}
}

const foreignScript = `local host = require "host"
local function show(name, f, ...)
  local list = { pcall(f, ...) }
  for i = 1, 4 do list[i] = list[i] == nil and "" or tostring(list[i]) end
  ecs.log(name .. ": " .. table.concat(list, " "))
end
local t = { 1, 2, a = "b", inner = { 10 } }
local calls = 0
ecs.system "s" { run = function(ctx)
  local mod = host.mod
  if ctx.tick == 1 then
    show("add", function() return mod.add(1, 2) end)
    show("add text", function() return mod.add(1, "x") end)
    show("call", function() return mod.call(function(n, s) calls = calls + 1 return n .. s .. calls end) end)
    show("keep", function() return mod.keep(t) == t end)
    show("fail", function() return mod.fail("bread") end)
    show("throw", function() local e = {} local ok, got = pcall(mod.throw, e) return ok, got == e end)
    show("throw text", function() return mod.throw("thrown") end)
    show("point", function() return mod.point.X, mod.point.y, mod.point:sum() end)
    show("point is moved", function() mod.point:move(2) mod.point.Y = 1 return mod.point.X, mod.point.Y end)
    show("list", function() return #mod.list, mod.list[2], (mod.list + "c")[3] end)
    show("no field", function() return mod.nothing end)
    show("called", function() return mod(1, 2) end)
    show("raw", function() return host.raw("x", 2) end)
    show("raw table", function() local _, x = host.raw(t) return x == t end)
    show("raw function", function() local f = function() end local _, x = host.raw(f) return type(x) end)
    show("raw point", function() local _, x = host.raw(host.luar(5)) return x.X, x.Y end)
    show("made", function() return host.made() end)
    show("luar", function() local p = host.luar(5) p.X = 6 return p.X, p:sum() end)
    show("type", function() return host.type(5, "x") end)
    show("put", function() return host.put(t, "v") == t, t.put end)
    show("put number", function() return host.put(5, 5) end)
    show("functions in tables", function() return host.raw({ f = print }) end)
    show("coroutine", function() mod.co = coroutine.create(print) end)
  else
    t.script = "too"
    t.inner[2] = ctx.tick
    show("later", function() return t.host, #t, t[#t], t.inner[1] end)
    show("later module", function() return mod.later end)
    local keys = {}
    for k, v in pairs(t) do keys[#keys + 1] = tostring(k) end
    ecs.log(table.concat(keys, " "))
  end
end }
`

// foreignTrace is what foreignScript logs, and then what the host finds in the table.
const foreignTrace = `add: true 3
add text: false a.lua:14: bad argument #2 to add (number expected, got string)
call: true 20x1
keep: true true
fail: false a.lua:17: no bread today
throw: true false true
throw text: false a.lua:19: thrown
point: true 3 4 7
point is moved: true 5 1
list: true 2 b c
no field: true no nothing
called: true 3
raw: true 2 x
raw table: true true
raw function: true function
raw point: true 5 2
made: true made
luar: true 6 8
type: true 5x
put: true true v
put number: false a.lua:33: host.put: panic in Go: reflect: Call using lua.LNumber as type *lua.LTable
functions in tables: false a.lua:34: a function inside of a table cannot be given to the host: give it as an argument of its own
coroutine: false a.lua:35: bad argument #1 to "create" (Lua function expected)
later: true was here 3 99 changed
later module: true 7
1 2 3 a inner put host script
too2 3`
