package scripting_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting"
)

// hostileTexts are texts for a console that attack the host, with what is said about them; "" for those that just run.
func hostileTexts() map[string]string {
	return map[string]string{
		`while true do end`: "ran too long",
		`repeat pcall(function() while true do end end) until false`:     "ran too long",
		`for i = 1, 1e9 do print(i) end`:                                 "ran too long",
		`local t = {} while true do t[#t + 1] = {} end`:                  "",
		`local s = "x" while true do s = s .. s end`:                     "",
		`return ("x"):rep(1e9)`:                                          "",
		`local function f() return 1 + f() end f()`:                      "too deep",
		`local function f() f() end local ok, why = pcall(f) return why`: "",
		`coroutine.yield(1)`:                                             "outside",
		`local c = coroutine.wrap(function() while true do coroutine.yield() end end) while true do c() end`:                         "ran too long",
		`local function f() return coroutine.wrap(f)() end f()`:                                                                      "",
		`local t = {} for i = 1, 1e5 do t[i] = { i } end return t`:                                                                   "",
		`local t = {} for i = 1, 60 do t = { t } end return t`:                                                                       "",
		`return unpack({}, 1, 5000)`:                                                                                                 "",
		`return ("y"):rep(200000), { [("k"):rep(200000)] = 1 }`:                                                                      "",
		`local t = setmetatable({}, { __index = function(t, k) while true do end end }) return t`:                                    "",
		`return setmetatable({}, { __tostring = function() while true do end end, __len = error, __call = error, __metatable = 1 })`: "",
		`error(setmetatable({}, { __tostring = function() while true do end end }))`:                                                 "",
		`for i = 1, 2000 do local e = getmetatable and 1 end`:                                                                        "",
		`for i = 1, 1e6 do ecs.spawn(Ship) end`:                                                                                      "",
		`for i = 1, 1e6 do ecs.emit(Hit) end`:                                                                                        "",
		`local k = {} for i = 1, 2000 do k["g" .. i] = i end for n, v in pairs(k) do loadstring = nil end`:                           "",
		`ecs.despawn_all(Ship) ecs.spawn_many(1e6, Ship)`:                                                                            "",
		`return pcall(error, "caught"), os, debug`:                                                                                   "unknown name",
		`ecs = nil; string.rep = nil; math = nil`:                                                                                    "",
		`getmetatable("").__index = function() while true do end end`:                                                                "",
		`x = ` + strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200):                                                           "nesting",
		strings.Repeat("x = 1\n", scripting.MostConsoleText/6):                                                                       "",
		strings.Repeat("{", scripting.MostConsoleText):                                                                               "nesting",
		strings.Repeat("f(", scripting.MostConsoleText/2):                                                                            "nesting",
		strings.Repeat("a.", scripting.MostConsoleText/2):                                                                            "expected",
		"\x1bLua":                    "compiled Lua",
		"return '\x00'":              "zero byte",
		"\xff\xfe":                   "",
		"return '\xff\x80\\0\u202e'": "",
	}
}

// TestConsoleUnderAttack: no text hurts the host, or holds it much longer than its limits; the game goes on as if there had been none,
// and the next text runs.
func TestConsoleUnderAttack(t *testing.T) {
	for text, want := range hostileTexts() {
		host := consoleHost(t, scripting.ReleaseLimits(60))
		c := host.Console()
		before := host.World().Checksum()
		began := time.Now()
		r, err := c.RunUndoable(text)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%.60q: took %v", text, took)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60q: got %v, want %q", text, err, want)
		}
		if e, ok := errors.AsType[*scripting.Error](err); err != nil && (!ok || e.Script != "console") {
			t.Errorf("%.60q: %v", text, err)
		}
		if size := len(said(r)); size > 200<<10 {
			t.Errorf("%.60q: answers %d bytes", text, size)
		}
		if err != nil && host.World().Checksum() != before {
			t.Errorf("%.60q: fails, and the world is another one", text)
		}
		if r, err := c.Run("1 + 1"); err != nil || said(r) != "2" {
			t.Errorf("after %.60q: %s %v", text, said(r), err)
		}
		if err := host.Step(1.0 / 60); err != nil {
			t.Errorf("after %.60q: %v", text, err)
		}
		host.Close()
	}
}

// TestConsoleHoldsNoMore: what the globals of the console hold is bounded, and dropped when it is too much, also while no step is made.
func TestConsoleHoldsNoMore(t *testing.T) {
	limits := scripting.ReleaseLimits(60)
	limits.Held, limits.Bytes = 4<<20, 2<<20
	host := consoleHost(t, limits)
	c := host.Console()
	dropped := false
	for i := range 40 {
		_, err := c.Run(fmt.Sprintf(`keep%d = ("%d"):rep(512 * 1024)`, i, i%10))
		if e, ok := errors.AsType[*scripting.Error](err); ok && e.Limit == "Held" && strings.Contains(e.Error(), "dropped") {
			dropped = true
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !dropped {
		t.Fatal("20 MiB are held, of 4")
	}
	if r, err := c.Run("1 + 1"); err != nil || said(r) != "2" {
		t.Fatal(said(r), err)
	}
	var many strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&many, "g%d = 1 ", i)
	}
	if _, err := c.Run(many.String()); err == nil || !strings.Contains(err.Error(), "more than 1000 globals") {
		t.Fatal(err)
	}
	if _, err := c.Run("g1"); err == nil {
		t.Fatal("globals of a text that was refused are left")
	}
}

// TestConsoleFillsNoGame: a function that a text has left to a module fills the globals of the console in each tick. These are
// dropped, and no script of the game is refused for them.
func TestConsoleFillsNoGame(t *testing.T) {
	limits := scripting.DevelopmentLimits()
	limits.Held = 8 << 20
	host := consoleHost(t, limits)
	c := host.Console()
	if _, err := c.Run(`bag = {}
		require("ships").grow = function() local g = bag for i = 1, 2000 do g[#g + 1] = { i } end end`); err != nil {
		t.Fatal(err)
	}
	var dropped *scripting.Error
	for range 200 {
		if err := host.Step(1.0 / 60); err != nil { // a fault fails the test
			t.Fatal(err)
		}
		if _, err := c.Run(`1`); errors.As(err, &dropped) {
			break
		}
	}
	if dropped == nil || dropped.Limit != "Held" {
		t.Fatal("400,000 tables are held by 8 MiB")
	}
	if _, err := c.Run(`require("ships").grow = nil`); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := host.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
}

// TestConsoleFunctionsStay: a function that a text leaves behind runs in the game, and its faults have the place in the text.
func TestConsoleFunctionsStay(t *testing.T) {
	host := consoleHost(t, scripting.Limits{})
	c := host.Console()
	if _, err := c.Run("function broken()\n  return nowhere.x\nend"); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if _, err := c.Run(fmt.Sprintf("value%d = %d", i%7, i)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.Run("\n\nbroken()")
	e, ok := errors.AsType[*scripting.Error](err)
	if !ok || e.Line != 2 || !strings.Contains(e.Message, "nowhere") {
		t.Fatal(err)
	}
}

var consoleSeed = flag.Uint64("console.seed", 0, "seed of TestConsoleLeavesNoTrace; 0: another one each time")

// TestConsoleLeavesNoTrace: a game in which texts only look, fail, or are undone at once is the game without them.
func TestConsoleLeavesNoTrace(t *testing.T) {
	seed := *consoleSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-console.seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	plain, typed := consoleHost(t, scripting.Limits{}), consoleHost(t, scripting.Limits{})
	look := []string{
		`1 + 1`, `ecs.count(Ship)`, `ecs.get(ecs.find(Ship), "Health")`, `math.random()`, `ecs.random(6)`, `tostring({})`, `print({}, function() end)`,
		`for ev in ecs.events(Hit) do print(ev.amount) end`, `local n = 0 for e, s, h in each(Ship, Health) do n = n + h.hp end return n`,
		`require("ships").secret()`, `x = (rawget and 1)`, `return ecs.state("score")`, `for e in ecs.entities({ Ship, changed = { Health } }) do end`,
		`error "fails"`, `ecs.despawn_all(Ship) error "fails"`, `require("ships").speed = 9 error "fails"`, `ecs.emit(Hit { amount = 3 }) error "fails"`, `while true do ecs.emit(Hit) end`, `1 +`,
	}
	change := []string{
		`ecs.spawn("Scout")`, `ecs.despawn_all(Ship)`, `ecs.state("score").points = 50`, `require("ships").speed = 7`, `require("ships").tell(1)`,
		`ecs.emit(Hit { amount = 3 })`, `ecs.enable("regen", false)`, `for e in ecs.entities(Ship) do ecs.update(e, Health, function(h) h.hp = -1 end) end`, `table.insert(require("ships").list, 1)`,
	}
	same := []string{`ecs.spawn("Scout")`, `ecs.emit(Hit { amount = 2 })`, `ecs.state("score").points = ecs.state("score").points + 1`, `require("ships").speed = require("ships").speed + 1`}
	ask := func(host *scripting.Host, text string) scripting.ConsoleResult {
		r, err := host.Console().RunUndoable(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return r
	}
	for range 150 {
		switch random.IntN(4) {
		case 0, 1:
			_, _ = typed.Console().RunUndoable(look[random.IntN(len(look))])
		case 2:
			r := ask(typed, change[random.IntN(len(change))])
			if !r.Undoable {
				break // there was nothing to change
			}
			for range random.IntN(3) {
				if err := typed.Step(1.0 / 60); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := typed.Console().Undo(r.Run); err != nil {
				t.Fatal(err)
			}
		default:
			text := same[random.IntN(len(same))]
			ask(plain, text)
			ask(typed, text)
		}
		for _, host := range []*scripting.Host{plain, typed} {
			if err := host.Step(1.0 / 60); err != nil {
				t.Fatal(err)
			}
		}
		if plain.World().Checksum() != typed.World().Checksum() {
			t.Fatal("the worlds differ")
		}
		const kept = `ecs.state("score").points, require("ships").speed, require("ships").secret(), #require("ships").list, ecs.count(Ship)`
		if a, b := said(ask(plain, kept)), said(ask(typed, kept)); a != b {
			t.Fatalf("%s and %s", a, b)
		}
	}
}

// FuzzConsole runs and completes texts: nothing panics, and what is completed fits.
func FuzzConsole(f *testing.F) {
	for text := range hostileTexts() {
		if len(text) < 1000 {
			f.Add(text, len(text))
		}
	}
	f.Add(`ecs.get(e, Health).`, 19)
	f.Add(`local s = require "ships" s.`, 27)
	f.Fuzz(func(t *testing.T, text string, at int) {
		limits := scripting.ReleaseLimits(60)
		host := consoleHost(t, limits)
		defer host.Close()
		c := host.Console()
		list, typed, err := c.Complete(text, at)
		if err == nil && (!strings.HasSuffix(text[:at], typed) || len(list) > 50) {
			t.Fatalf("%q at %d: %q, %v", text, at, typed, list)
		}
		r, err := c.RunUndoable(text)
		if _, ok := errors.AsType[*scripting.Error](err); err != nil && !ok && len(text) <= scripting.MostConsoleText {
			t.Fatalf("%q: %v", text, err)
		}
		_ = said(r)
		if r.Undoable {
			if _, err := c.Undo(r.Run); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := c.Run("1 + 1"); err != nil || said(r) != "2" {
			t.Fatalf("after %q: %v %v", text, r, err)
		}
	})
}
