package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// valueTables are tables of fields for a component, each as the text of the assignments to t.
var valueTables = []string{
	``, `t.x = 1`, `t.y = 2`, `t.x = 1 t.y = 2`, `t.y = 2 t.x = 1`, `t.x = 1 t.y = 2 t.x = nil`, `t.x = nil`,
	`t.n = 3 t.x = 1`, `t.mood = "angry"`, `t.mood = "angry" t.mood = nil t.x = 4`, `t.list = { 1, 2 } t.n = 1`,
	`t.x = 1 t.wrong = 2`, `t.wrong = 2`, `t.wrong = 2 t.wrong = nil t.x = 6`, `t.x = "a"`, `t.n = 300`, `t.n = 1.5`,
	`t.n = 300 t.wrong = 1`, `t.wrong = 1 t.n = 300`, `t.mood = "sad" t.x = 1`, `t[1] = 2`, `t.x = 1 t[1] = 2`,
	`t[1] = 2 t[1] = nil t.x = 8`, `t.of = 5.5`, `t.list = { 1, 2, 3, 4, 5 }`, `t.x = 0/0 t.y = -0`,
}

// A value is the same, and so is the error, whatever table its fields come from: one that
// keeps its text keys by a shape that was seen before, by a new one, or in a dictionary, where
// it gets them one by one.
func TestValuesAreAlikeForAllTablesOfFields(t *testing.T) {
	var calls strings.Builder
	for _, first := range valueTables {
		for _, second := range valueTables {
			fmt.Fprintf(&calls, "same(function(t) %s return t end, function(t) %s return t end)\n", first, second)
		}
	}
	r := newGame(t, scripting.Limits{Instructions: -1, TickInstructions: -1, LogLines: -1})
	r.write("a.lua", `local B = ecs.component("B", { x = 0, y = 0, n = ecs.u8(), mood = ecs.enum("calm", "angry"), list = ecs.array(ecs.f32(), 4), of = ecs.f32() })
local E = ecs.event("E", { x = 0, y = 0, n = ecs.u8(), mood = ecs.enum("calm", "angry"), list = ecs.array(ecs.f32(), 4), of = ecs.f32() })
local function keyed() local t = {} t[0.5] = 1 t[0.5] = nil return t end
local function shown(ok, e)
  if not ok then return tostring(e) end
  local b = ecs.get(e, B)
  return table.concat({ tostring(b.x), b.y, b.n, b.mood, b.of, table.concat(b.list, " ") }, ",")
end
local function spawned(of, t) return shown(pcall(function() return ecs.spawn(B(of(t))) end)) end
local function set(of, t)
  local e = ecs.spawn(B { x = 9, y = 9, n = 9, list = { 9, 9, 9, 9 }, of = 9 })
  return shown(pcall(function() ecs.set(e, B(of(t))) return e end))
end
local function emitted(of, t)
  local _, e = pcall(function() return E(of(t)) end)
  return type(e) == "string" and e or "an event"
end
local count = 0
local function same(f, g)
  count = count + 1
  for _, make in ipairs { spawned, set, emitted } do
    make(f, {}) -- whose shape is known then
    local a, b, c = make(g, {}), make(g, keyed()), make(g, {})
    if a ~= b or b ~= c then ecs.log("differ:", a, b, c) end
  end
end
ecs.on_start(function()
`+calls.String()+`ecs.log(count) end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	r.wantLog(fmt.Sprint(len(valueTables) * len(valueTables)))
}

// A reload moves the fields of a component; the tables of the new script have the keys of the
// old one in the same order, and so the same shape.
func TestValuesAfterTheFieldsHaveMoved(t *testing.T) {
	script := func(fields, values string) string {
		return `local B = ecs.component("B", { ` + fields + ` }, { version = 1 })
local E = ecs.event("E", { ` + fields + ` })
local function fields() return { x = 3, y = 4 } end
ecs.system "make" { run = function()
  local e = ecs.spawn(B(fields()))
  ecs.set(e, B { x = 5, y = 6 })
  ecs.emit(E(fields()))
  local b = ecs.get(e, B)
  ecs.log(` + values + `)
end }
ecs.system "seen" { on = E, after = { "make" }, each = function(b) ecs.log(` + values + `) end }`
	}
	r := loaded(t, "a.lua", script(`x = 0, y = 0`, `b.x, b.y`))
	r.run(1)
	r.wantLog("5 6 3 4")
	r.save("a.lua", script(`a = ecs.f32(7), x = ecs.f64(0), y = 0`, `b.a, b.x, b.y`))
	r.accepted()
	r.wantLog("7 5 6 7 3 4")
	r.save("a.lua", script(`a = ecs.f32(7), m = ecs.array(ecs.f64(1), 3), x = ecs.f64(0), y = 0`, `b.m[2], b.x, b.y`))
	r.accepted()
	r.wantLog("1 5 6 1 3 4")
}

// A function of the old script has the component still, which has the new fields from then on.
func TestValuesOfAnOldScriptAfterTheFieldsHaveMoved(t *testing.T) {
	r := loaded(t, "kept.lua", `return {}`,
		"a.lua", `local B, E = ecs.component("B", { x = 0, y = 0 }), ecs.event("E", { x = 0, y = 0 })
require("kept").make = function()
  local e = ecs.spawn(B { x = 3, y = 4 })
  ecs.set(e, B { x = 5 })
  ecs.emit(E { x = 3, y = 4 })
  local b = ecs.get(e, B)
  ecs.log(b.x, b.y, ecs.get(e, B, "x"))
end`,
		"z.lua", `local kept = require "kept" ecs.system "z" { run = function() kept.make() end }`)
	r.run(1)
	r.wantLog("5 4 5")
	r.save("a.lua", `local fields = { a = ecs.array(ecs.f32(7), 3), x = ecs.f64(), y = ecs.f64() }
local B, E = ecs.component("B", fields), ecs.event("E", fields)
ecs.system "a" { on = E, each = function(v) ecs.log(v.a[3], v.x, v.y) end }`)
	r.accepted()
	if got := r.logged(); !strings.Contains(got, "5 4 5") {
		t.Errorf("logged %s", got)
	}
	r.run(1)
	if got := r.logged(); !strings.Contains(got, "7 3 4") {
		t.Errorf("then logged %s", got)
	}
}
