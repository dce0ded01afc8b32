package scripting_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// consoleGame is a game for texts of a console.
const consoleGame = `
local ecs = require "ecs"
local Health = ecs.component("Health", { hp = ecs.f32(100), max = ecs.f32(100) })
local Ship = ecs.tag "Ship"
local Hit = ecs.event("Hit", { amount = ecs.f32(1) })
local Scout = ecs.prefab("Scout", { Ship, Health { hp = 50 } })
local score = ecs.state("score", { points = 0 })
local M = { speed = 1, list = {} }
local secret = 7
function M.secret() return secret end
function M.tell(v) secret = v end
M.counter = coroutine.wrap(function() for i = 1, 1000 do coroutine.yield(i) end end)
M.thread = coroutine.create(function() for i = 1, 1000 do coroutine.yield(i) end end)
ecs.on_start(function() for i = 1, 3 do ecs.spawn(Ship, Health { hp = i }) end end)
ecs.system "regen" { query = { Health }, each = function(_, h) h.hp = h.hp + M.speed end }
ecs.system "grow" { run = function() if M.grow then M.grow() end end }
ecs.system "hits" { on = Hit, each = function(ev) score.points = score.points + ev.amount end }
return M
`

// consoleHost opens a game with a console, after one step.
func consoleHost(t testing.TB, limits scripting.Limits) *scripting.Host {
	t.Helper()
	w := ecs.NewWorld()
	host, err := scripting.New(w, scripting.Options{Limits: limits, OnError: func(e *scripting.Error) { t.Errorf("fault: %v", e) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Load(fstest.MapFS{"ships.lua": {Data: []byte(consoleGame)}}); err != nil {
		t.Fatal(err)
	}
	if err := host.Step(1.0 / 60); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	return host
}

// said returns what a text has answered, in lines.
func said(r scripting.ConsoleResult) string {
	var lines []string
	for _, l := range r.Lines {
		lines = append(lines, "> "+l.Text)
	}
	for _, v := range r.Values {
		lines = append(lines, v.String())
	}
	return strings.Join(lines, "\n")
}

// TestConsoleRuns: what texts answer.
func TestConsoleRuns(t *testing.T) {
	c := consoleHost(t, scripting.Limits{}).Console()
	for _, x := range []struct{ text, want string }{
		{`1 + 2`, "3"},
		{`"a\n", nil, true`, "\"a\\n\"\nnil\ntrue"},
		{`x = 5`, ""},
		{`return x`, "5"},
		{`x = nil`, ""},
		{`0.1, 1e100, 1/0`, "0.1\n1e+100\ninf"},
		{`print("hello", 1) warn = ecs.warn; ecs.log({ 1, a = 2 })`, "> hello\t1\n> { 1, a = 2 }"},
		{`{ 1, 2, hp = 3, ["a b"] = {}, [7] = "x" }`, "{ 5 entries }\n  1\n  2\n  hp = 3\n  [\"a b\"] = {}\n  [7] = \"x\""},
		{`ecs.count("Ship"), ecs.count { "Ship", Health }`, "3\n3"},
		{`ecs.get(ecs.find "Ship", "Health").hp`, "2"},
		{`require("ships").speed`, "1"},
		{`(function() local t = {} t.t = t return t end)()`, "{ 1 entry }\n  t = { … } (a table that this one is in)"},
		{`local n = 0 for e, ship, h in each(Ship, "Health") do n = n + h.hp end return n, each`, "9\nfunction of the host"},
		{`ecs.state("score").points`, "0"},
		{`ecs.component "Health"`, "the component Health { hp, max }"},
		{`function() return 1 end`, "function at console:1:1"},
		{``, ""},
		{"-- nothing", ""},
		{`select("#")`, "0"},
		{`setmetatable({}, { __tostring = function() error "no" end, __index = error })`, "{}"},
	} {
		r, err := c.Run(x.text)
		if err != nil {
			t.Errorf("%s: %v", x.text, err)
		} else if got := said(r); got != x.want {
			t.Errorf("%s: got\n%s\nwant\n%s", x.text, got, x.want)
		}
	}
}

// TestConsoleSpawns: changes are made when the text ends, and entities are shown with what they have.
func TestConsoleSpawns(t *testing.T) {
	host := consoleHost(t, scripting.Limits{})
	c := host.Console()
	r, err := c.Run(`return ecs.spawn("Scout")`)
	if err != nil {
		t.Fatal(err)
	}
	v := r.Values[0]
	if v.Kind != "entity" || !host.World().Alive(v.Entity) || !r.Changed || r.Commands != 1 {
		t.Fatalf("got %+v", r)
	}
	want := fmt.Sprintf("entity %d\n  Health = { hp = 50, max = 100 }\n  Ship = {}", uint64(v.Entity))
	if got := v.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r, err = c.Run(`ecs.set(` + fmt.Sprint(uint64(v.Entity)) + `, Health{ hp = 9 })`); err != nil || !r.Changed {
		t.Fatal(r, err)
	}
	if r, err = c.Run(`{ ecs.find { Ship, Health } }`); err != nil || r.Changed || !strings.Contains(said(r), " (Health, Ship)") {
		t.Fatal(said(r), err)
	}
	if r, err = c.Run(`ecs.emit(Hit { amount = 5 })`); err != nil {
		t.Fatal(err)
	}
	if err := host.Step(1.0 / 60); err != nil {
		t.Fatal(err)
	}
	if r, err = c.Run(`ecs.state("score").points`); err != nil || said(r) != "5" {
		t.Fatal(said(r), err)
	}
}

// TestConsoleTooLong: of a text that can be read, and is too much for one function, that is said, as expressions and as statements.
func TestConsoleTooLong(t *testing.T) {
	c := consoleHost(t, scripting.Limits{}).Console()
	ones := strings.Repeat("1, ", 300) + "1"
	for _, text := range []string{ones, "return " + ones, "x = 1\nreturn " + ones, "print(" + ones + ")", "local a = 1 print(" + ones + ")"} {
		_, err := c.Run(text)
		if err == nil || !strings.Contains(err.Error(), "needs more than 200 locals and temporary values") {
			t.Errorf("%.20s…: %v", text, err)
		}
	}
}

// TestConsoleErrors: what is wrong has a place, and a text that fails leaves no trace.
func TestConsoleErrors(t *testing.T) {
	host := consoleHost(t, scripting.Limits{})
	c := host.Console()
	before := host.World().Checksum()
	for _, x := range []struct{ text, want string }{
		{`1 +`, "console:1:4: expected an expression"},
		{`x = = 2`, "console:1:5: "},
		{"local a\nreturn a.b", "console:2:10: attempt to index"},
		{`a.b`, `console:1:1: unknown name "a"`},
		{`Helth`, `unknown name "Helth" (did you mean "Health"?)`},
		{`ecs.count("Shipp")`, `console:1:11: ecs.count: there is no component "Shipp" (did you mean "Ship"?)`},
		{`ecs.spawn("Scut")`, `there is no component "Scut"`},
		{`ecs.system("a", { run = function() end })`, "console:1:5: ecs.system: a console declares nothing"},
		{`ecs.component("New", { x = ecs.f32() })`, "a console declares nothing"},
		{`ecs.on_start(function() end)`, "a console declares nothing"},
		{`require "nothing"`, `no script "nothing" is loaded`},
		{`error("mine")`, "console:1:1: mine"},
		{`#`, "console:1:2: expected an expression"},
		{"#!/usr/bin/lua\nreturn 1", "console:1:2: "},
		{`require("ships").counter()`, "cannot resume a coroutine that was made before this text"},
		{`coroutine.resume(require("ships").thread)`, "cannot resume a coroutine that was made before this text"},
		{`error({ code = 1 })`, "error({ code = 1 })"},
		{`os.exit()`, "os.exit is not available to scripts"},
		{`io.open("x")`, `unknown name "io": scripts have no files`},
		{`require("ships").speed = 9; x = 1; require("ships").tell(1); ecs.spawn(Ship); ecs.state("score").points = 9; table.insert(require("ships").list, 1); error "undone"`, "undone"},
	} {
		_, err := c.Run(x.text)
		e, ok := errors.AsType[*scripting.Error](err)
		if !ok || !strings.Contains(e.Error(), x.want) || e.Script != "console" || e.Line == 0 {
			t.Errorf("%s: got %v, want %s", x.text, err, x.want)
		}
	}
	r, err := c.Run(`require("ships").speed, require("ships").secret(), #require("ships").list, rawget(getmetatable and {} or {}, "x"), ecs.state("score").points`)
	if err != nil || said(r) != "1\n7\n0\nnil\n0" {
		t.Errorf("something is left of texts that have failed: %s %v", said(r), err)
	}
	if _, err := c.Run(`x`); err == nil {
		t.Error("a global of a text that has failed is left")
	}
	if after := host.World().Checksum(); after != before {
		t.Error("the world is another one after texts that have failed")
	}
}

// TestConsoleUndo: a text is taken back, with what it has changed of modules, also when ticks have passed.
func TestConsoleUndo(t *testing.T) {
	host := consoleHost(t, scripting.Limits{})
	c := host.Console()
	start := host.World().Checksum()
	var runs []uint64
	for _, text := range []string{`ecs.spawn("Scout")`, `require("ships").speed = 50`, `ecs.count(Ship)`, `mine = { 1 }`, `ecs.despawn_all(Ship); ecs.state("score").points = 4`} {
		r, err := c.RunUndoable(text)
		if err != nil || r.NotUndoable != nil || r.Undoable == strings.Contains(text, "count") {
			t.Fatalf("%s: %+v, %v", text, r, err)
		}
		runs = append(runs, r.Run)
		for range 3 {
			if err := host.Step(1.0 / 60); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := fmt.Sprint(c.Undoable()); got != "[1 2 4 5]" {
		t.Fatal(got)
	}
	if _, err := c.Undo(3); !errors.Is(err, ecs.ErrUnknown) {
		t.Error(err)
	}
	if _, err := c.Undo(runs[4]); err != nil {
		t.Fatal(err)
	}
	if r, err := c.Run(`ecs.count(Ship), ecs.state("score").points, require("ships").speed, mine[1]`); err != nil || said(r) != "4\n0\n50\n1" {
		t.Error(said(r), err)
	}
	if _, err := c.Undo(runs[0]); err != nil {
		t.Fatal(err)
	}
	if host.World().Checksum() != start || len(c.Undoable()) != 0 {
		t.Error("the world is not what it was")
	}
	if r, err := c.Run(`require("ships").speed`); err != nil || said(r) != "1" {
		t.Error(said(r), err)
	}
	if _, err := c.Run(`mine`); err == nil {
		t.Error("a global of a text that was undone is left")
	}
}

// TestConsoleAsAFileIsNot: a first line with # is no comment, drawing is there, and new coroutines run.
func TestConsoleAsAFileIsNot(t *testing.T) {
	host := consoleHost(t, scripting.Limits{})
	c := host.Console()
	for text, want := range map[string]string{
		`#{ 1, 2, 3 }`: "3", `ecs.draw.circle(1, 2, 3)`: "",
		`co = coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end) return co(), co()`: "1\n2",
	} {
		if r, err := c.Run(text); err != nil || said(r) != want {
			t.Errorf("%s: %q, %v", text, said(r), err)
		}
	}
	if _, err := c.Run(`co()`); err == nil || !strings.Contains(err.Error(), "made before this text") {
		t.Errorf("a coroutine of an earlier text: %v", err)
	}
	if err := host.Step(1.0 / 60); err != nil { // scripts go on with theirs
		t.Error(err)
	}
}

// TestConsoleUndoSaysWhatStays: variables of files that ticks have changed since.
func TestConsoleUndoSaysWhatStays(t *testing.T) {
	host := consoleHost(t, scripting.Limits{})
	c := host.Console()
	for ticks, want := range []bool{false, true} {
		r, err := c.RunUndoable(`ecs.spawn("Scout")`)
		if err != nil {
			t.Fatal(err)
		}
		for range ticks {
			if err := host.Step(1.0 / 60); err != nil {
				t.Fatal(err)
			}
		}
		restored, err := c.Undo(r.Run)
		if err != nil || strings.Contains(fmt.Sprint(restored.Notes), "variables of files meanwhile stays") != want {
			t.Errorf("after %d ticks: %v, %v", ticks, restored.Notes, err)
		}
	}
}

// TestConsoleIsRefused: when a text cannot run.
func TestConsoleIsRefused(t *testing.T) {
	host := consoleHost(t, scripting.Limits{})
	c := host.Console()
	if _, err := c.Run(strings.Repeat(" ", scripting.MostConsoleText+1)); !errors.Is(err, ecs.ErrRange) {
		t.Error(err)
	}
	if err := host.World().Run("inside", func(*ecs.Tick) error { _, err := c.Run("1"); return err }); !errors.Is(err, ecs.ErrIterating) {
		t.Error(err)
	}
	host.Close()
	for _, c := range []*scripting.Console{c, host.Console(), (*scripting.Host)(nil).Console(), {}, nil} {
		if _, err := c.Run("1"); !errors.Is(err, scripting.ErrClosed) {
			t.Error(err)
		}
		if _, err := c.RunUndoable("1"); !errors.Is(err, scripting.ErrClosed) {
			t.Error(err)
		}
		if _, err := c.Undo(1); !errors.Is(err, scripting.ErrClosed) {
			t.Error(err)
		}
		c.Undoable()
	}
}
