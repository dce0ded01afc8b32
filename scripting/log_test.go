package scripting_test

import (
	"fmt"
	"slices"
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

// TestLogText: ecs.log and ecs.warn say of a value that is no table what tostring says, in each run.
func TestLogText(t *testing.T) {
	r := loaded(t, "a.lua", `
ecs.on_start(function()
  local f, c = function() end, coroutine.create(function() end)
  for _, v in ipairs { f, c, print, 1 / 3, 2 ^ 53, 0 / 0, true, setmetatable({}, { __tostring = function() return "spoken" end }), P } do
    ecs.log(v) ecs.warn(v) print(v)
  end
end)`)
	r.run(1)
	if len(r.logs) != 27 {
		t.Fatalf("%d lines, want 27", len(r.logs))
	}
	for i := 0; i < len(r.logs); i += 3 {
		for _, l := range r.logs[i : i+2] {
			if l != r.logs[i+2] || strings.Contains(l, "0xc0") {
				t.Errorf("%q, want %q", l, r.logs[i+2])
			}
		}
	}
}

// TestLogTables: a table in the log is what is in it, of the host's tables, too: bounded in depth and in
// entries, and counted.
func TestLogTables(t *testing.T) {
	r := loaded(t, "a.lua", `
local E, C = ecs.event("E", { n = ecs.f64() }), ecs.component("C", { k = ecs.enum("a", "b") })
local S = ecs.state("s", { a = { 1, 2 }, b = { c = { d = { e = { f = 1 } } } } })
ecs.on_start(function() ecs.spawn(P { x = 3, y = 1 }, C) end)
ecs.system "each" { query = { P, C }, each = function(e, p, c, ctx)
  p.x = 5
  ecs.log(p) ecs.log(c) ecs.log(ctx)
  ecs.emit(E { n = 4 })
end }
ecs.system "event" { on = E, each = function(ev) ecs.log(ev) end }
ecs.system "plain" { run = function()
  for e in ecs.entities { C } do ecs.log(ecs.get(e, P), ecs.get(e, C)) end
  ecs.log(S) ecs.log(S.a)
  local own = {} own.own = own
  ecs.log({}) ecs.log({ 1, "x", { 2 }, nil, true }) ecs.log(own)
  ecs.log(setmetatable({ 1 }, { __tostring = function() return "mine" end })) ecs.log(setmetatable({ 1 }, { __index = {} }))
  ecs.log({ [3.5] = P, [{}] = ecs.log, ["two words"] = 1 })
  local many = {} for i = 1, 60 do many[i] = i end
  ecs.log(many)
end }`)
	r.run(1)
	want := []string{
		`{ x = 5, y = 1 }`, `{ k = "a" }`, `{ dt = 0.015625, time = 0.015625, tick = 1 }`, `{ n = 4 }`,
		`{ x = 5, y = 1 } { k = "a" }`, `{ a = { 1, 2 }, b = { c = { d = { e = {…} } } } }`, `{ 1, 2 }`,
		`{}`, `{ 1, "x", { 2 }, [5] = true }`, `{ own = { own = { own = { own = {…} } } } }`, `mine`, `{ 1 }`,
		`{ [3.5] = the component Position, [{…}] = a function, ["two words"] = 1 }`,
	}
	for i := 1; i <= 50; i++ {
		if i == 1 {
			want = append(want, "{ 1")
			continue
		}
		want[len(want)-1] += fmt.Sprintf(", %d", i)
	}
	want[len(want)-1] += ", … }"
	for i, line := range r.logs {
		if i >= len(want) || line != want[i] {
			t.Errorf("line %d: %q, want %q", i, line, want[min(i, len(want)-1)])
		}
	}
	if len(r.logs) != len(want) {
		t.Errorf("%d lines, want %d", len(r.logs), len(want))
	}
	spent := loaded(t, "a.lua", once("a", `local t = {} for i = 1, 50 do t[i] = i end for _ = 1, 1e9 do ecs.log(t) end`))
	spent.step(1)
	if n := len(spent.logs); n > 300_000/50/50 {
		t.Errorf("%d tables were shown for 300,000 instructions", n)
	}
}

// TestLogLinesInSimulationTime: the lines of a second are those of a second of the game, however
// fast its ticks follow each other, and what was left out is said in any case.
func TestLogLinesInSimulationTime(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: 10})
	r.write("a.lua", `
ecs.system "a" { run = function(ctx) if ctx.tick <= 7 then for i = 1, 4 do ecs.log("line", i) end end end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	count := func(text string) int { return strings.Count(strings.Join(r.logs, "\n"), text) }
	step := func(n int) {
		for range n {
			if err := r.host.Step(0.25); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(lines, two, six int) {
		t.Helper()
		got := []int{count("line "), count("2 more lines were not written"), count("6 more lines were not written")}
		if !slices.Equal(got, []int{lines, two, six}) {
			t.Errorf("lines and notices of 2 and of 6: %d, want %d: %q", got, []int{lines, two, six}, r.logs)
		}
	}
	step(3) // up to 0.75 seconds
	check(10, 0, 0)
	step(4)
	check(20, 1, 0)
	step(1) // nothing is logged in it
	check(20, 1, 1)
	step(8)
	check(20, 1, 1)
}

// TestLogLinesAtTheEnd: closing a host says what the last second has left out.
func TestLogLinesAtTheEnd(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: 10})
	r.write("a.lua", `
ecs.system "a" { run = function() for i = 1, 14 do ecs.log("line", i) end end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	if err := r.host.Close(); err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(r.logs, "\n"); strings.Count(all, "4 more lines were not written") != 1 {
		t.Errorf("no notice at the end: %s", all)
	}
}
