package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
	lua "github.com/yuin/gopher-lua"
)

// TestForeignSeesTables: code for gopher-lua reads and writes the tables that the runtime
// gives to scripts.
func TestForeignSeesTables(t *testing.T) {
	g := newGame(t, scripting.Limits{})
	var got []string
	name := func(v lua.LValue) string {
		if v.Type() == lua.LTTable || v.Type() == lua.LTFunction {
			return v.Type().String()
		}
		return v.String()
	}
	expose := func(name string, f lua.LGFunction) {
		if err := g.host.Expose(name, f); err != nil {
			t.Fatal(err)
		}
	}
	expose("raw", func(L *lua.LState) int {
		got = append(got, "raw "+name(L.CheckTable(1).RawGetString(L.CheckString(2))))
		return 0
	})
	expose("field", func(L *lua.LState) int {
		got = append(got, "field "+name(L.GetField(L.CheckTable(1), L.CheckString(2))))
		return 0
	})
	expose("set", func(L *lua.LState) int {
		L.SetField(L.CheckTable(1), L.CheckString(2), L.Get(3))
		L.Push(L.Get(1))
		return 1
	})
	expose("rawset", func(L *lua.LState) int {
		L.CheckTable(1).RawSetString(L.CheckString(2), L.Get(3))
		return 0
	})
	if err := g.host.Expose("typed", func(row *lua.LTable) { row.RawSetString("hp", lua.LNumber(6)) }); err != nil {
		t.Fatal(err)
	}
	g.write("a.lua", `local host = require "host"
local H = ecs.component("H", { hp = ecs.f64(1), list = ecs.array(ecs.f64(0), 2) })
local Hit = ecs.event("Hit", { amount = ecs.f64(0), tags = ecs.array(ecs.f64(0), 2) })
local state = ecs.state("s", { n = 1, deep = { m = 2 } })
ecs.on_start(function() ecs.spawn(H { hp = 5 }) end)
ecs.system "each" { query = { H }, each = function(e, h, ctx)
  if ctx.tick > 1 then return end
  host.raw(h, "hp") host.field(h, "hp") host.field(h, "list") host.field(ctx, "tick")
  ecs.log(tostring(host.set(h, "hp", 7) == h) .. h.hp)
  host.typed(h)
  h.list[1] = 4
  local ok, why = pcall(host.set, h, "foo", 1)
  ecs.log(tostring(ok))
end }
ecs.system "look" { phase = "render", query = { H }, each = function(e, h, ctx) if ctx.tick == 1 then ecs.log(h.hp .. " " .. h.list[1]) end end }
ecs.system "run" { run = function(ctx)
  if ctx.tick > 1 then return end
  host.raw(state, "n") host.field(state, "n") host.field(state, "deep") host.field(state.deep, "m")
  host.set(state, "n", 10) host.set(state.deep, "m", 20)
  ecs.log(state.n .. " " .. state.deep.m)
  for e in ecs.entities(H) do
    local h = ecs.get(e, H)
    host.raw(h, "hp")
    host.rawset(h, "hp", 3)
    ecs.log(h.hp .. "")
  end
  ecs.emit(Hit { amount = 2, tags = { 1, 2 } })
end }
ecs.system "hits" { phase = "debug", run = function() for hit in ecs.events(Hit) do
  host.raw(hit, "amount") host.field(hit, "tags")
  local ok = pcall(host.set, hit, "amount", 8)
  ecs.log(tostring(ok) .. hit.amount)
end end }
`)
	if err := g.host.Load(g.folder); err != nil {
		t.Fatal(err)
	}
	g.step(3)
	for _, e := range g.errors {
		g.logs = append(g.logs, e.Detail())
	}
	if want := "true7|false|10 20|3|6 4|true8"; strings.Join(g.logs, "|") != want {
		t.Errorf("scripts have logged %q, want %q", strings.Join(g.logs, "|"), want)
	}
	if want := "raw 5|field 5|field table|field 1|raw nil|field 1|field table|field 2|raw 6|raw 2|field table"; strings.Join(got, "|") != want {
		t.Errorf("the host has seen %q, want %q", strings.Join(got, "|"), want)
	}
}
