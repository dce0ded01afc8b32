package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// What a function of ecs.update assigns is stored as ecs.set stores it, field by field, and is
// refused with the same words.
func TestUpdateStoresWhatSetStores(t *testing.T) {
	kinds := map[string]string{
		"b": "ecs.bool()", "i8": "ecs.i8()", "i64": "ecs.i64()", "u16": "ecs.u16()", "u64": "ecs.u64()", "f32": "ecs.f32()", "f64": "ecs.f64()",
		"who": "ecs.entity()", "mood": `ecs.enum("calm", "angry")`, "list": "ecs.array(ecs.u8(), 3)", "words": `ecs.array(ecs.enum("a", "b"), 2)`,
	}
	values := []string{
		"0", "1", "-0", "-1", "1.5", "0.1", "127", "128", "70000", "2^53", "2^60", "0/0", "1/0", "true", "false", `"angry"`, `"none"`, `"5"`, "e",
		"{}", "{ 1, 2 }", "{ 1, 2, 3, 4 }", `{ "b" }`, "{ x = 1 }", "e + 0.5",
	}
	var fields, calls strings.Builder
	for name, kind := range kinds {
		fmt.Fprintf(&fields, "%s = %s, ", name, kind)
		for _, v := range values {
			fmt.Fprintf(&calls, "same(%q, %q, function(e) return %s end)\n", name, v, v)
		}
	}
	r := newGame(t, scripting.Limits{Instructions: -1, TickInstructions: -1, LogLines: -1})
	r.write("a.lua", `local B = ecs.component("B", { `+fields.String()+` })
local someone
local function shown(ok, e, why)
  if not ok then return (string.gsub(tostring(why), "^a.lua:%d+: ", "")) end
  local all = {}
  for k, v in pairs(ecs.get(e, B)) do
    all[#all + 1] = k .. "=" .. (type(v) == "table" and table.concat(v, " ") or k == "who" and tostring(v == someone) or tostring(v))
  end
  return table.concat(all, ",")
end
local count = 0
local function same(name, text, value)
  count = count + 1
  local e, f = ecs.spawn(B), ecs.spawn(B)
  local v = value(someone)
  local ok, why = pcall(ecs.update, e, B, function(b) b[name] = v end)
  local a = shown(ok, e, why)
  ok, why = pcall(function() ecs.set(f, B { [name] = v }) end)
  local b = shown(ok, f, why)
  if a ~= b then ecs.log(name, text, "update:", a, "set:", b) end
end
ecs.on_start(function() someone = ecs.spawn(B)
`+calls.String()+`ecs.log(count) end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	r.wantLog(fmt.Sprint(len(kinds) * len(values)))
}

// Updates within updates, of the same and of another component, have rows of their own.
func TestUpdatesWithinUpdates(t *testing.T) {
	r := loaded(t, "a.lua", `local A, B = ecs.component("A", { n = 0 }), ecs.component("B", { n = 0, m = 0 })
ecs.on_start(function() for i = 1, 3 do ecs.spawn(A { n = i }, B { n = 10 * i }) end end)
ecs.system "s" { run = function()
  local list = {}
  for e in ecs.entities { A } do list[#list + 1] = e end
  for turn = 1, 2 do
    ecs.update(list[1], A, function(a)
      ecs.update(list[2], A, function(b)
        ecs.update(list[3], B, function(c)
          ecs.update(list[3], A, function(d) d.n = d.n + a.n end)
          c.m = c.m + b.n
        end)
        b.n = b.n + 100
      end)
      pcall(ecs.update, list[3], A, function(b) b.n = 5000 error("no") end)
      a.n = a.n + 1000
    end)
  end
  for i, e in ipairs(list) do ecs.log(ecs.get(e, A, "n"), ecs.get(e, B, "m")) end
end }`)
	r.run(1)
	r.wantLog("2001 0 202 0 1005 104")
}

// A function of the old script updates the component with the fields that it has now.
func TestUpdateAfterTheFieldsHaveMoved(t *testing.T) {
	r := loaded(t, "kept.lua", `return {}`,
		"a.lua", `local B = ecs.component("B", { x = 1, y = 2 })
ecs.on_start(function() ecs.spawn(B) end)
require("kept").update = function()
  local e = ecs.find(B)
  ecs.update(e, B, function(b) b.x = b.x + 10 end)
  ecs.update(e, B, function(b) b.y = b.y + 10 end)
  local b = ecs.get(e, B)
  ecs.log(b.x, b.y, rawget(b, "a") or "none")
end`,
		"z.lua", `local kept = require "kept" ecs.system "z" { run = function() kept.update() end }`)
	r.run(1)
	r.wantLog("11 12 none")
	r.save("a.lua", `local B = ecs.component("B", { a = ecs.f32(7), x = 1, y = 2 })`)
	r.accepted()
	r.wantLog("21 22 7")
}
