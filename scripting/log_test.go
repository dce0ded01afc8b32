package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestLogPlace: a line of the log has the place of the code that says it, whichever
// functions of the library call the function that does.
func TestLogPlace(t *testing.T) {
	r := loaded(t, "a.lua", `
local words = setmetatable({}, { __index = print, __newindex = function(t, k, v) ecs.log(v) end })
ecs.system "s" { run = function()
  pcall(print, "other.lua:6: text")
  xpcall(function() error("x") end, ecs.warn)
  table.sort({ 2, 1 }, print)
  local _ = ("ab"):gsub("a", print)
  coroutine.wrap(function() pcall(pcall, ecs.log, "deep") end)()
  local _ = words.x
  return print("tail")
end }`)
	r.run(1)
	want := "a.lua:5 a.lua:6 a.lua:7 a.lua:7 a.lua:8 a.lua:9 a.lua:10 a.lua:11"
	if got := byLine(strings.Join(r.places, " ")); got != want {
		t.Errorf("places %s of %q, want %s", got, r.logs, want)
	}
}

// TestLogPayer: what a system logs through functions of another script counts for its
// own; the other one still has its lines.
func TestLogPayer(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: 10})
	r.write("lib.lua", `
local M = {}
function M.each(t, f) for _, v in ipairs(t) do f(v) end end
ecs.system "z" { run = function() ecs.log("sound") end }
return M`, "a.lua", `
local M = require "lib"
ecs.system "a" { run = function() for _ = 1, 100 do M.each({ "flood" }, print) end end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	all := strings.Join(r.logs, "\n")
	if n := strings.Count(all, "flood"); n != 10 {
		t.Errorf("%d lines of the flood, want 10", n)
	}
	if !strings.Contains(all, "sound") {
		t.Errorf("the other script could not log: %s", all)
	}
}

// TestLogText: ecs.log and ecs.warn say of a value what tostring says, in each run.
func TestLogText(t *testing.T) {
	r := loaded(t, "a.lua", `
ecs.on_start(function()
  local t, f, c = {}, function() end, coroutine.create(function() end)
  for _, v in ipairs { t, f, c, print, 1 / 3, 2 ^ 53, 0 / 0, true, setmetatable({}, { __tostring = function() return "spoken" end }), P } do
    ecs.log(v) ecs.warn(v) print(v)
  end
end)`)
	r.run(1)
	if len(r.logs) != 30 {
		t.Fatalf("%d lines, want 30", len(r.logs))
	}
	for i := 0; i < len(r.logs); i += 3 {
		for _, l := range r.logs[i : i+2] {
			if l != r.logs[i+2] || strings.Contains(l, "0xc0") {
				t.Errorf("%q, want %q", l, r.logs[i+2])
			}
		}
	}
}
