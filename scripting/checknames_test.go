package scripting_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestUnknownMembersAreFoundAtTheSave: all that a file misspells is told in one
// verdict, in functions that never ran, too.
func TestUnknownMembersAreFoundAtTheSave(t *testing.T) {
	r := loaded(t, "a.lua", once("a", `ecs.log("old")`))
	r.save("a.lua", `local host = require "host"
local function never()
  if ecs.alive(1) then return ecs.spwan(P) end
  return function() ecs.lgo("x") ecs.emti() end, host.nothing
end
ecs.system "each" { query = { P }, each = function(e, p, ctx)
  p.z = p.x + ctx.detla
  for i = 1, 3 do repeat local d = ecs.dispawn until d end
end }
prnit = prnt`)
	r.refused(`a.lua:11: unknown name "prnt"`)
	r.save("a.lua", `local host = require "host"
local function never()
  if ecs.alive(1) then return ecs.spwan(P) end
  return function() ecs.lgo("x") ecs.emti() end, host.nothing, prnt
end
ecs.system "each" { query = { P }, each = function(e, p, ctx)
  p.z = p.x + ctx.detla
  for i = 1, 3 do repeat local d = ecs.dispawn until d end
end }`)
	r.refused(`a.lua:4:35: ecs has no "spwan" (did you mean "spawn"?)`, `a.lua:5:25: ecs has no "lgo" (did you mean "log"?)`,
		`a.lua:5:38: ecs has no "emti" (did you mean "emit"?)`, `a.lua:5:55: the host exposes no "nothing"`,
		`a.lua:5:64: unknown name "prnt" (did you mean "print"?)`, `a.lua:8: system "each": unknown field "z" of "Position"`,
		`a.lua:8: system "each": ctx has no "detla": it has dt, time and tick`, `a.lua:9:40: ecs has no "dispawn" (did you mean "despawn"?)`)
	r.wantLog("old old")
}

// TestMembersThatMayExistAreLeftAlone: a save is refused for what is certain.
func TestMembersThatMayExistAreLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"set by name": `local function set(k) ecs[k] = 1 end ` + once("a", `if ctx.tick < 0 then return ecs.mine end ecs.log("ran")`),
		"shadowed":    once("a", `local log = ecs.log for _, ecs in ipairs { { mine = 1 } } do log(ecs.mine == 1 and "ran") end`),
		"parameter":   `local function f(ecs) return ecs.mine end ` + once("a", `ecs.log(f { mine = "ran" })`),
		"replaced": `local lib = require "ecs" local function f() return lib.mine end lib = { mine = "ran" } ` +
			once("a", `ecs.log(f())`),
		"replaced by a function": `local lib = require "ecs" local function f() return lib.mine end local function g() lib = { mine = "ran" } end ` +
			once("a", `g() ecs.log(f())`),
		"one of two":     `local lib = ecs and { mine = "ran" } or require "ecs" ` + once("a", `ecs.log(lib.mine)`),
		"one of two now": once("a", `ecs.log(((ctx.tick >= 0 and { mine = "ran" }) or ecs).mine)`),
		"other block":    `do local lib = require "ecs" local function f() return lib.log end end local other = { mine = "ran" } ` + once("a", `ecs.log(other.mine)`),
		"in a loop": `for i = 1, 2 do local lib = i == 1 and { mine = 1 } or require "ecs" local f = function() return i == 2 or lib.mine end f() end ` +
			once("a", `ecs.log("ran")`),
		"own require": `require = function() return { mine = "ran" } end local lib = require "ecs" ` + once("a", `ecs.log(lib.mine)`),
	} {
		t.Run(name, func(t *testing.T) {
			r := newGame(t, scripting.Limits{})
			r.write("a.lua", text)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			r.run(1)
			r.wantLog("ran")
		})
	}
}

// TestCheckSeesFieldsThatTheLibraryLacks holds which uses of a missing field are reported:
// what may be there for reasons that the text shows is not.
func TestCheckSeesFieldsThatTheLibraryLacks(t *testing.T) {
	for text, want := range map[string]string{
		`math.mix(1, 2)`:           `a.lua:2:6: attempt to call "math.mix", a nil value (did you mean "max" or "min"?)`,
		`table.insrt({}, 1)`:       `a.lua:2:7: attempt to call "table.insrt", a nil value (did you mean "insert"?)`,
		`os.exit()`:                `a.lua:2:4: attempt to call "os.exit", a nil value: os.exit is not available to scripts: the host decides when it ends`,
		`return 2 * math.PI`:       `a.lua:2:17: attempt to perform arithmetic on "math.PI", a nil value (did you mean "pi"?)`,
		`return -math.tau`:         `a.lua:2:14: attempt to perform arithmetic on "math.tau", a nil value`,
		`local m = math m.flor(1)`: `a.lua:2:18: attempt to call "math.flor", a nil value (did you mean "floor"?)`,
		`local f, mix = math.floor, math.mix return f(mix(1))`: `a.lua:2:46: attempt to call "math.mix", a nil value (did you mean "max" or "min"?)`,
		`return math.floor(string.foo(1))`:                     `a.lua:2:26: attempt to call "string.foo", a nil value`,

		`return math.floor(math.pi)`:                            ``,
		`local mix = math.mix or f return mix(1)`:               ``,
		`if math.mix then return math.mix(1) end`:               ``,
		`local mix = math.mix if mix then return mix(1) end`:    ``,
		`if math.type then return math.tointeger(1) end`:        ``,
		`math.mix = math.mix return math.mix(1)`:                ``,
		`function math.mix() end math.mix(1)`:                   ``,
		`f(math) return math.mix(1)`:                            ``,
		`for k in pairs(math) do f(k) end return math.mix(1)`:   ``,
		`math[f] = 1 return math.mix(1)`:                        ``,
		`local math = f return math.mix(1)`:                     ``,
		`local m = math m = f return m.mix(1)`:                  ``,
		`if false then math.mix(1) end`:                         ``,
		`pcall(math.mix, 1) pcall(function() math.mix(1) end)`:  ``,
		`if _VERSION == "Lua 5.4" then table.move({}, 1) end`:   ``,
		`return _G.math.mix(1)`:                                 ``,
		`local t = { math = { mix = f } } return t.math.mix(1)`: ``,
		`own.mix(1)`:    ``,
		`asks.mix(1)`:   ``,
		`string.own(1)`: ``,
	} {
		text = "own = { mix = 1 } asks = setmetatable({}, { __index = own }) string.own = print local function never(f)\n" + text + "\nend"
		if got := strings.Join(checked(t, fstest.MapFS{"a.lua": {Data: []byte(text)}}), "\n"); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestModulesCannotBeAssigned: what a script puts into ecs or host would never be called or
// read by anyone else, so the load is refused, and so is a call that does it in a way that
// the text does not show.
func TestModulesCannotBeAssigned(t *testing.T) {
	for text, want := range map[string]string{
		`ecs.on_start = function() end`:                         `a.lua:2:5: ecs.on_start cannot be assigned: write ecs.on_start(function(ctx) … end)`,
		`function ecs.on_start() end`:                           `a.lua:2:14: ecs.on_start cannot be assigned: write ecs.on_start(function(ctx) … end)`,
		`ecs.system = {}`:                                       `a.lua:2:5: ecs.system cannot be assigned: write ecs.system`,
		`ecs.mine = 1`:                                          `ecs.mine cannot be assigned: keep it in a local variable`,
		`local function set() ecs.mine = ecs.mine or 1 end`:     `a.lua:2:26: ecs.mine cannot be assigned`,
		`local function add(t) t.mine = 1 end add(ecs)`:         `a.lua:2:25: ecs.mine cannot be assigned`,
		`local host = require "host" host.nearest = 5`:          `a.lua:2:34: host.nearest cannot be assigned`,
		`local host = require "host" local k = "a" host[k] = 5`: `host.a cannot be assigned`,
	} {
		t.Run(text, func(t *testing.T) {
			r := newGame(t, scripting.Limits{})
			r.write("a.lua", text)
			if err := r.host.Load(r.folder); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// TestTablesOfTheHostStayAsTheyAre: no way that a script has changes the tables ecs, host,
// ctx and b, or a resource, not even for keys that they have.
func TestTablesOfTheHostStayAsTheyAre(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1})
	if err := r.host.Expose("near", func() int { return 7 }); err != nil {
		t.Fatal(err)
	}
	ecs.Provide(r.world, &Settings{Level: 5})
	r.write("a.lua", `local ecs, host, arena = require "ecs", require "host", ecs.resource("Settings")
local H = ecs.component("H", { x = 1 })
ecs.on_start(function() ecs.spawn(H) end)
local ways = {
  put = function(t, k) t[k] = 3 end, rawset = function(t, k) rawset(t, k, 3) end,
  insert = function(t) table.insert(t, 3) end, meta = function(t) setmetatable(t, {}) end,
}
local function try(name, t, k)
  for way, change in pairs(ways) do
    if t ~= ecs or way ~= "put" then
      if pcall(change, t, k) then ecs.log(name, way, k) end
    end
    if pcall(change, t, "none") then ecs.log(name, way, "none") end
  end
end
ecs.system "s" { query = { H }, batch = function(b, ctx)
  try("ecs", ecs, "log") try("host", host, "near") try("ctx", ctx, "dt") try("arena", arena, "levels") try("b", b, "n")
  ecs.log(host.near(), ctx.dt > 0, arena.level, b.n, #host, pcall(function() return host.nea end))
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	r.wantLog(`7 true 5 1 0 false a.lua:19: the host exposes no "nea" (did you mean "near"?)`)
}

// TestASystemDeclaredTwiceIsToldOnce, and hides no other faults.
func TestASystemDeclaredTwiceIsToldOnce(t *testing.T) {
	r := loaded(t, "z.lua", once("z", ""))
	r.save("a.lua", once("a", "")+once("a", "")+`ecs.system "b" { after = "c", run = function() end } ecs.system "c" { after = "b", run = function() end }`)
	r.refused(`a.lua:3: system "a": the name is used twice, first in a.lua:2`, `cycle: systems wait for each other: b → c → b`)
	if got := r.reloads[0].Err.Error(); strings.Count(got, "\n") != 1 {
		t.Error(got)
	}
}

// TestHowToGetAName: an error about a name that the host knows, or the text further down, says
// how to get it.
func TestHowToGetAName(t *testing.T) {
	for text, want := range map[string]string{
		`local H = ecs.component("H", { hp = 1 })`:                     `a.lua:1: unknown name "ecs": begin the file with local ecs = require "ecs"`,
		`local function f() host.nearest() end`:                        `a.lua:1:20: unknown name "host": begin the file with local host = require "host"`,
		`local function f() return ctx.dt end`:                         `a.lua:1:27: unknown name "ctx": the functions of systems, observers and handlers get ctx as their last parameter, so name it there`,
		"local function f() g() end\n\nlocal function g() end local g": `a.lua:1:20: unknown name "g": line 3 declares it, and only what stands after that knows it; move it up`,
		"f()\nlocal x do local f end\nfunction f() end":                `a.lua:1: unknown name "f": line 3 declares it, and only what stands after that knows it; move it up`,
		"local function f() g() end for g = 1, 2 do end":               `a.lua:1:20: unknown name "g"`,
	} {
		r := newGame(t, scripting.Limits{})
		r.folder["a.lua"] = newFile(text)
		if err := r.host.Load(r.folder); err == nil || err.Error() != want && byLine(err.Error()) != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestOtherFiles: what a script looks for in another file, and does not find, is told by what
// the other files have.
func TestOtherFiles(t *testing.T) {
	for text, want := range map[string]string{
		`local parts = require "parts"`:                            `module "parts" not found (did you mean "lib.parts"?)`,
		`require "lib.parts" ecs.on_start(function() Boss() end)`:  `unknown name "Boss": lib/parts.lua has it, but each file has its own variables: return it there, such as return { Boss = Boss }`,
		`require "lib.parts" ecs.on_start(function() Bosss() end)`: `unknown name "Bosss"`,
		`require "lib.parts" ecs.on_start(function() pritn() end)`: `unknown name "pritn" (did you mean "print"?)`,
		`require "lib.prats"`:                                      `module "lib.prats" not found (did you mean "lib.parts"?)`,
	} {
		r := newGame(t, scripting.Limits{})
		r.write("lib/parts.lua", `Boss = print`, "a.lua", text)
		if err := r.host.Load(r.folder); err == nil || !says(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	r := loaded(t, "parts.lua", `return {}`, "a.lua", `require "parts"`)
	r.run(1)
	r.remove("parts.lua")
	r.refused(`module "parts" not found: parts.lua is removed by the same load`)
}
