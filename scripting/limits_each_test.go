package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestEachLimit reaches every limit that can be reached the same way on every
// interpreter, twice: the message names it with what was used and what is allowed,
// word for word the same.
func TestEachLimit(t *testing.T) {
	for name, c := range map[string]struct {
		limits scripting.Limits
		body   string
		want   string
	}{
		"Instructions": {scripting.Limits{Instructions: 1000}, `while true do end`, "script ran too long: used 1,001 of 1,000 instructions (Limits.Instructions)"},
		"Bytes":        {scripting.Limits{Bytes: 1 << 20}, `while true do local s = ("x"):rep(300000) end`, " of 1,048,576 bytes (Limits.Bytes)"},
		"String":       {scripting.Limits{String: 1000}, `local s = "x" while true do s = s .. s end`, "string too long: 1,024 of 1,000 bytes (Limits.String)"},
		"Table":        {scripting.Limits{Table: 5000}, `local t = {} while true do t[#t + 1] = 1 end`, "of 5,000 entries (Limits.Table)"},
		"TableInsert":  {scripting.Limits{Table: 5000}, `local t = {} while true do table.insert(t, 1) end`, "table too large: 5,001 of 5,000 entries (Limits.Table)"},
		"TableKeys":    {scripting.Limits{Table: 5000}, `local t = {} for i = 1, 1e6 do t["k" .. i] = i end`, "of 5,000 entries (Limits.Table)"},
		"TableRawset":  {scripting.Limits{Table: 50}, `local t = {} for i = 1, 1e6 do rawset(t, i / 2, i) end`, "table too large: 51 of 50 entries (Limits.Table)"},
		"TableFill":    {scripting.Limits{Table: 5000}, `local t = { list = {} } for i = 0, 1e6 do t.list[200000 - i] = 1 end`, "of 5,000 entries (Limits.Table)"},
		"TableOuter":   {scripting.Limits{Table: 5000}, `coroutine.wrap(function() pcall(function() local n = 0 while true do n = n + 1 outer[n] = n end end) end)()`, "of 5,000 entries (Limits.Table)"},
		"TableState":   {scripting.Limits{Table: 5000}, `for i = 1, 1e6 do state["k" .. i] = i end`, "of 5,000 entries (Limits.Table)"},
		"Depth":        {scripting.Limits{Depth: 50}, `local function f() return 1 + f() end f()`, "stack overflow: 51 of 50 calls in each other (Limits.Depth)"},
		"Callbacks":    {scripting.Limits{Callbacks: 9}, `local function f(s) return (s:gsub(".", f)) end f("x")`, `stack overflow: "gsub" and its like call functions back, 10 deep in each other of 9 (Limits.Callbacks)`},
		"Nesting":      {scripting.Limits{Nesting: 7}, `local function f() assert(pcall(f)) end f()`, "stack overflow: protected calls and coroutines are 8 deep in each other of 7 (Limits.Nesting)"},
		"NestedResume": {scripting.Limits{Nesting: 7}, `local function f() coroutine.wrap(f)() end f()`, "are 8 deep in each other of 7 (Limits.Nesting)"},
		"Coroutines":   {scripting.Limits{Coroutines: 30}, `local t = {} for i = 1, 100 do t[i] = coroutine.create(function() end) end`, "too many coroutines: 31 of 30 are alive (Limits.Coroutines)"},
		"Commands":     {scripting.Limits{Commands: 100}, `while true do ecs.spawn(P {}) end`, "ecs.spawn: too much: used 101 of 100 changes in one tick of a system (Limits.Commands)"},
		"Spawned":      {scripting.Limits{Spawned: 100}, `ecs.spawn_many(1e9, P)`, "used 101 of 100 entities spawned in one tick of a system (Limits.Spawned)"},
	} {
		t.Run(name, func(t *testing.T) {
			var messages []string
			for range 2 {
				r := newGame(t, c.limits)
				r.write("a.lua", "outer, state = {}, require('ecs').state('big', {})\n"+once("culprit", c.body))
				if err := r.host.Load(r.folder); err != nil {
					t.Fatal(err)
				}
				r.step(1)
				e := r.wantError(`a.lua:3: system "culprit": tick 1: `, c.want)
				messages = append(messages, e.Error())
				if r.world.Len() != 0 {
					t.Errorf("%d entities are left", r.world.Len())
				}
			}
			if messages[0] != messages[1] {
				t.Errorf("first %q, then %q", messages[0], messages[1])
			}
		})
	}
}

// TestTickLimits: what scripts may do in one tick together. Those that failed do
// not count, and the next tick begins from nothing.
func TestTickLimits(t *testing.T) {
	r := newGame(t, scripting.Limits{Commands: 1000, TickCommands: 450, Spawned: 200, TickSpawned: 350})
	text := ""
	for i, n := range []int{120, 999, 120, 120} { // the second fails by itself, the last of all by the sum
		text += once(fmt.Sprintf("s%d", i), fmt.Sprintf("ecs.spawn_many(%d, P)", n))
	}
	r.write("a.lua", text+once("t", "for i = 1, 300 do ecs.enable('t', true) end"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for tick := range 2 {
		r.step(1)
		if len(r.errors) != 3 {
			t.Fatalf("errors %v", r.errors)
		}
		for i, want := range []string{
			"used 201 of 200 entities spawned in one tick of a system (Limits.Spawned)",
			"used 351 of 350 entities spawned in one tick of all scripts (Limits.TickSpawned)",
			"used 451 of 450 changes in one tick of all scripts (Limits.TickCommands)",
		} {
			if !strings.Contains(r.errors[i].Error(), want) {
				t.Errorf("%q lacks %q", r.errors[i].Error(), want)
			}
		}
		r.errors = nil
		if got := r.world.Len(); got != 240*(tick+1) {
			t.Errorf("%d entities after tick %d, want the 240 of two systems each", got, tick+1)
		}
	}
}

// TestTickInstructions: when some systems have used up the instructions of a
// tick, the others still get a share. A call counts two hundred besides, and one that fails a thousand more.
func TestTickInstructions(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: 100_000, TickInstructions: 150_000, LogLines: -1})
	r.write("a.lua", once("a1", "while true do end")+once("a2", "while true do end")+once("a3", "while true do end"),
		"b.lua", once("z", "for i = 1, 300 do local x = i end ecs.log('healthy')"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	r.wantLog("healthy")
	for i, want := range []string{
		"used 100,001 of 100,000 instructions (Limits.Instructions)",
		"used 48,800 of 48,799 instructions (Limits.TickInstructions)",
		"script ran too long: no instructions are left for it (Limits.TickInstructions)",
	} {
		if !strings.Contains(r.errors[i].Error(), want) {
			t.Errorf("%q lacks %q", r.errors[i].Error(), want)
		}
	}
}

// TestLongLines: what scripts say is cut before anybody has to read it, and says how many bytes of all are missing.
func TestLongLines(t *testing.T) {
	r := loaded(t, "a.lua", once("s", `
		local s = ("é"):rep(100000)
		ecs.log(s, s, s)
		ecs.log(unpack({ s, s, s, s, s }))
		print(s)
		print(("x"):rep(1000000))
		ecs.log(("x"):rep(40000), 12, ("x"):rep(1000000), 12, setmetatable({}, { __tostring = function() return s end }), {}, true)
		error(s)`))
	r.step(1)
	if len(r.logs) != 5 {
		t.Fatalf("%d lines", len(r.logs))
	}
	whole := []int{3*200_000 + 2, 5*200_000 + 4, 200_000, 1_000_000, 1_240_000 + len(" 12  12  {} true"), 200_000}
	for i, text := range append(r.logs, r.errors[0].Message) {
		shown, _, _ := strings.Cut(text, "…")
		if want := fmt.Sprintf("… (%s more bytes)", diag.Grouped(int64(whole[i]-len(shown)))); len(text) > 9000 || !strings.HasSuffix(text, want) || strings.ContainsRune(text, '�') {
			t.Errorf("line %d: %d bytes, ending in %q, want %q", i, len(text), text[len(text)-40:], want)
		}
	}
}

// TestLongErrors: a script that catches an error gets the whole text. What nobody
// catches says how much of the text is missing.
func TestLongErrors(t *testing.T) {
	r := loaded(t, "a.lua", `
local s = ("x"):rep(900000)
ecs.system("plain", { run = function() error(s) end })
ecs.system("placeless", { run = function() error(s, 0) end })
ecs.system("table", { run = function() error { message = s } end })
ecs.system("assert", { run = function() assert(false, s) end })
ecs.system("coroutine", { run = function() coroutine.wrap(function() error(s) end)() end })
ecs.system("caught", { run = function()
  local _, message = pcall(error, s, 0)
  assert(message == s)
  _, message = pcall(function() error(s) end)
  assert(#message == 900000 + #"a.lua:12: ", #message)
  local ok, whole = coroutine.resume(coroutine.create(function() error(s, 0) end))
  assert(not ok and whole == s)
end })
ecs.system("again", { run = function()
  local ok, message = pcall(function() error(s, 0) end)
  error(message, 0)
end })`)
	r.step(1)
	cut := diag.CutShown(strings.Repeat("x", 900_000))
	if len(r.errors) != 6 {
		t.Fatalf("%d errors", len(r.errors))
	}
	for _, e := range r.errors {
		want := cut
		if e.System == "coroutine" && strings.HasPrefix(e.Message, "a.lua:") { // the text that the coroutine has raised has a place
			want = diag.CutShown("a.lua:7: " + strings.Repeat("x", 900_000))
		}
		if e.Message != want {
			t.Errorf("%s: %d bytes, which end in %q and not in %q", e.System, len(e.Message), e.Message[len(e.Message)-40:], want[len(want)-40:])
		}
	}
}

// TestReplacementBomb: a replacement that repeats what was found is measured
// while it is made.
func TestReplacementBomb(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", once("s", `local s = ("x"):rep(1000000) s:gsub(".*", ("%0"):rep(1000000))`))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	r.wantError("a.lua:2", "string too long: 17,000,000 of 16,777,216 bytes (Limits.String)")
}
