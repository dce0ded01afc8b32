package kernels_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// loose are those of the aimed programs that mix what kernels keep apart.
var loose = []string{"a number or a name", "nothing, from a function that does something", "names and entities that a change gets"}

// aimed are programs for places that random ones seldom come to. All but the loose ones
// are compiled.
var aimed = map[string]string{
	"two functions that begin on one line": `
local add, twice = function(a) return a + 1 end, function(a)
  return a * 2
end
local low, high = function(a)
  return a - 1 end, function(a) return a + 100 end
ecs.system "s" { query = { Body }, kernel = "require", each = function(e, body, ctx)
  body.x = add(body.x) + twice(body.y)
  body.y = low(body.mass) - high(body.x)
end }`,
	"handles that spawns will be given": `
local hits, last = 0, 0
ecs.on_start(function()
  last = ecs.spawn(Loud)
  ecs.despawn(ecs.spawn(Loud))
end)
ecs.system "s" { query = { Mind }, each = function(e, mind, ctx)
  ecs.spawn(Loud)
  for i = -2, 40 do
    if ecs.alive(last + i) then hits = hits + 1 end
    if ecs.has(last + i, Loud) then hits = hits + 1000 end
  end
end }
ecs.system "t" { query = { Mind }, each = function(e, mind, ctx)
  if ecs.alive(mind.target) and not ecs.alive(last + 1) or ecs.alive(e + 1) then mind.left = mind.left + 1 end
end }
ecs.system "z" { phase = "debug", run = function() ecs.log(hits) end }`,
	"values of changes that do not fit": `
ecs.system "set" { query = { Body, Stats }, each = function(e, body, stats, ctx)
  ecs.set(e, Stats { hp = 5, level = body.x * 40, speed = body.y })
end }
ecs.system "add" { query = { Body, Tally }, each = function(e, body, tally, ctx)
  ecs.add(e, Spark { heat = body.x, since = tally.many }, Tally { byte = tally.word, long = tally.huge })
end }
ecs.system "spawn" { query = { Body, Tally }, each = function(e, body, tally, ctx)
  ecs.spawn(Stats { level = tally.small, hp = 1 }, Boss)
  ecs.emit(Scored { points = tally.int, far = body.x })
end }
ecs.system "other" { query = { Mind, Tally }, each = function(e, mind, tally, ctx)
  if ecs.has(mind.target, Stats) then ecs.set(mind.target, Stats { max = 7, level = tally.short }) end
end }`,
	"indices that are written out": `
ecs.system "s" { query = { Pack, Path }, each = function(e, pack, path, ctx)
  if pack.slots[1.5] == nil and pack.slots[0] == nil and pack.slots[5] == nil and pack.slots[-1] == nil then
    pack.slots[1] = pack.slots[4] + 1
  end
  if pack.slots[1] ~= nil and path.xs[5] ~= nil and path.xs[6] == nil and path.turns[3] then
    pack.slots[4] = path.xs[1] + path.turns[2]
  end
  pack.halves[3] = pack.halves[1.25] or pack.halves[4] or pack.halves[2]
  pack.flags[5] = pack.flags[2.5] or false
end }`,
	"a number or a name": `
ecs.system "a" { query = { Stats }, each = function(e, stats, ctx)
  local v = stats.poisoned and 1 or stats.team
  if v == "blue" then stats.hp = 1 elseif v == 1 then stats.hp = 2 else stats.hp = 3 end
end }
ecs.system "b" { query = { Stats, Path }, each = function(e, stats, path, ctx)
  local w = path.done and stats.team or 2
  if w == "red" or w == 2 then path.at = 3 end
end }
ecs.system "c" { query = { Stats, Path }, each = function(e, stats, path, ctx)
  local u = (path.done and stats.poisoned and 1) or path.mode
  if u ~= "run" then stats.max = 4 end
end }
ecs.system "d" { query = { Stats, Path }, each = function(e, stats, path, ctx)
  local t = stats.team == "red" and "walk" or path.mode
  if t == path.mode then stats.speed = 1 end
end }
ecs.system "f" { query = { Stats, Path }, each = function(e, stats, path, ctx)
  if (path.done and 0 or path.mode) == 0 then stats.level = 7 end
end }
ecs.system "g" { query = { Mind, Stats }, each = function(e, mind, stats, ctx)
  local n
  if stats.poisoned then n = 1 end
  local m = ecs.get(mind.target, Path, "mode")
  if n == m then stats.hp = 9 else stats.hp = 8 end
end }`,
	"a name and a number that may be nothing": `
ecs.system "a" { query = { Stats }, kernel = "require", each = function(e, stats, ctx)
  local n
  if stats.poisoned then n = stats.hp end
  if n == stats.team or stats.team == n then stats.level = 1 else stats.level = 2 end
  if n ~= stats.team and stats.team ~= n then stats.max = stats.max + 1 end
end }`,
	"fewer values than names": `
local hits = 0
ecs.system "a" { query = { Stats }, kernel = "require", each = function(e, stats, ctx)
  local word, left = stats.poisoned and "red" or "blue"
  if stats.level > 2 then left = 3 end
  if stats.hp > 5 then word, left = "green" end
  if left == nil and word == "green" then stats.max = 1 elseif left then stats.max = left end
  if left == nil then hits = hits + 1 end
end }
ecs.system "z" { phase = "debug", run = function() ecs.log(hits) end }`,
	"names and entities that a change gets": `
ecs.system "a" { query = { Mind, Path }, kernel = "require", each = function(e, mind, path, ctx)
  if ecs.has(mind.target, Path) then
    ecs.set(mind.target, Path { mode = ecs.get(mind.home, Path, "mode"), at = 2 })
  elseif path.done then
    ecs.add(mind.target, Path { mode = path.mode })
  end
end }
ecs.system "b" { query = { Mind, Path }, each = function(e, mind, path, ctx)
  ecs.set(e, Mind { target = ecs.get(mind.home, Path, "mode") }) -- a name is no entity
end }`,
	"assert without a value": `
ecs.system "s" { query = { Body }, each = function(e, body, ctx)
  if body.x > 5 then assert() end
  body.y = 2
end }`,
	"random numbers": `
ecs.system "a" { query = { Body }, kernel = "require", each = function(e, body, ctx)
  body.x, body.y, body.mass = ecs.random(), ecs.random(6), ecs.random(-3, 4)
end }
ecs.system "b" { query = { Body }, kernel = "require", each = function(e, body, ctx)
  body.x, body.y, body.mass = body.x + math.random(), body.y + math.random(6), body.mass + math.random(-3, 4)
  body.vx = math.random(2.5, 7.5) + math.random(3.9)
end }
ecs.system "c" { query = { Body, Tally }, each = function(e, body, tally, ctx)
  body.vy = math.random(tally.short, tally.small) -- from a greater to a lesser one is an error
end }
ecs.system "d" { query = { Body, Tally }, each = function(e, body, tally, ctx)
  body.vx = math.random(tally.int)
  body.y = math.random(1, 0.5 + tally.byte)
end }`,
	"conditions about what has no number": `
local open, level = true, 0
ecs.system "a" { query = { Mind, Stats, optional = { Deep } }, kernel = "require", each = function(e, mind, stats, deep, ctx)
  local near = mind.awake and stats.poisoned
  level = near and level + 1 or level
  local word = stats.team
  if stats.hp > 5 then word = "green" end
  if word == "green" and deep then stats.level = deep.level elseif word ~= "red" then stats.speed = level end
  local left
  if mind.angry then left = mind.left end
  if open and not left then stats.max = 1 elseif left and left > 2 then stats.max = left end
  open = not open
end }`,
	"the same question before and after a change": `
ecs.system "a" { query = { Mind, Body }, each = function(e, mind, body, ctx)
  if ecs.alive(mind.target) and mind.awake then
    body.x = body.x + 1
    ecs.despawn(mind.target)
    if ecs.alive(mind.target) then body.x = body.x + 10 end
  end
  if not ecs.alive(mind.target) then body.x = body.x + 100 end
end }
ecs.system "b" { query = { Body }, each = function(e, body, ctx)
  if ecs.has(e, Boss) then
    ecs.remove(e, Boss)
    if ecs.has(e, Boss) then body.y = body.y + 1 end
  elseif not ecs.has(e, Boss) then
    ecs.add(e, Boss, Stats { hp = 3 })
    if ecs.has(e, Boss) then body.y = body.y + 10 end
    body.mass = ecs.get(e, Stats, "hp") or 0
  end
end }
ecs.system "c" { query = { Mind, Body }, each = function(e, mind, body, ctx)
  local who = mind.target
  if ecs.has(who, Body) then
    who = mind.home
    if ecs.has(who, Body) then body.vx = 1 else body.vx = 2 end
  end
  if body.x > 3 then
    body.x = body.x - 4
    if body.x > 3 then body.vy = 1 else body.vy = 2 end
  end
end }`,
	"nothing, from a function that does something": `
local hits, open = 0, true
local function nothing(n) hits = hits + n return nil end
local function perhaps(n) hits = hits + 1 if n > 0 then return n end return nil end
ecs.system "a" { query = { Mind, Body }, each = function(e, mind, body, ctx)
  local v = mind.awake and nothing(1)
  if v == nil then body.x = 1 elseif v == false then body.x = 2 else body.x = 3 end
  local w = mind.angry or nothing(2)
  if w then body.y = 1 elseif w == nil then body.y = 2 end
end }
ecs.system "b" { query = { Mind, Body }, each = function(e, mind, body, ctx)
  local u = mind.awake and perhaps(body.y)
  if u then body.mass = u elseif u == nil then body.mass = 7 else body.mass = 8 end
end }
ecs.system "z" { phase = "debug", run = function() ecs.log(hits) end }`,
	"nothing, after a look-up": `
local hits = 0
local function nothing(n) hits = hits + n return nil end
ecs.system "a" { query = { Mind, Body }, each = function(e, mind, body, ctx)
  local v = ecs.get(mind.target, Body, "x") or nothing(1)
  if v then body.y = v else body.y = -5 end
  local w = ecs.get(mind.home, Body, "mass") and nothing(2)
  if w == nil then body.mass = 3 end
end }
ecs.system "z" { phase = "debug", run = function() ecs.log(hits) end }`,
	"choices between two": `
ecs.system "s" { query = { Body, Tally }, each = function(e, body, tally, ctx)
  local small, large = math.min(tally.byte, tally.small), math.max(tally.word, 300)
  tally.byte = math.max(math.min(tally.many, 255), 0)
  tally.small = math.min(math.max(tally.short, -128), 127)
  if tally.byte < 300 then tally.int = tally.int % 100 end
  if tally.byte <= 254 and tally.byte >= 0 then tally.word = tally.byte + 1 else tally.word = 65535 end
  local pick = tally.byte < tally.many and tally.byte or tally.small
  body.x = pick + small - large
end }`,
	"components in pools, before and after a change": `
ecs.system "a" { query = { Mind, Body }, kernel = "require", each = function(e, mind, body, ctx)
  if ecs.has(mind.target, Burn) then body.x = body.x + 1 end
  body.y = ecs.get(mind.target, Burn, "left") or -1
  if ecs.alive(mind.home) then ecs.add(mind.home, Burn { left = body.x, times = 3 }) end
  if body.vx > 0 and ecs.alive(mind.target) then ecs.remove(mind.target, Burn) end
end }
ecs.system "b" { query = { Mind, Body }, kernel = "require", each = function(e, mind, body, ctx)
  if ecs.has(mind.target, Spark) then body.mass = body.mass + ecs.get(mind.target, Spark, "heat") end
  if ecs.has(mind.home, Spark) then ecs.set(mind.home, Spark { heat = body.vy, since = 2 }) end
end }`,
	"how long the array of a component is that may be missing": `
ecs.system "a" { query = { Body, optional = { Path } }, kernel = "require", each = function(e, body, path, ctx)
  body.x = body.x + 1
  if body.x > 3 then body.y = #path.xs end
end }`,
	"an array in memory of which an item is read by its number": `
ecs.system "a" { query = { Body, Pack }, kernel = "require", each = function(e, body, pack, ctx)
  local sum = pack.steps[2]
  for i = 1, 70 do sum = sum + pack.steps[i] end
  body.mass = sum
end }`,
	"a tag as a value": `
ecs.system "a" { query = { Mind, Boss, Loud, Body, optional = { Marked } }, kernel = "require", each = function(e, mind, boss, loud, body, marked, ctx)
  mind.awake, mind.angry = boss, not loud
  if boss == true and marked ~= true then body.x = body.x + 1 end
  mind.left = (boss and 1 or 2) + (marked and 10 or 20)
end }`,
	"an entity that a script keeps": `
local last, seen = 0, 0
ecs.system "a" { query = { Mind, Body }, kernel = "require", each = function(e, mind, body, ctx)
  if last == mind.target then body.x = body.x + 1 end
  if ecs.alive(last) then body.y = last end
  last = mind.target
end }
ecs.system "b" { query = { Mind }, kernel = "require", each = function(e, mind, ctx)
  seen = seen + last % 1000
  last = mind.awake and mind.home or e
end }
ecs.system "z" { phase = "debug", run = function() ecs.log(last, seen) end }`,
	"an entity, or a number that is none": `
ecs.system "a" { query = { Mind, Body }, kernel = "require", each = function(e, mind, body, ctx)
  local who = mind.target
  if mind.awake then who = 0.5 elseif mind.angry then who = -3 end
  body.x = who
  if who == mind.home then body.y = 1 end
  local far = mind.home
  if mind.angry then far = 9007199254740994 end
  body.mass = far
  if ecs.alive(far) then body.y = body.y + 10 end
end }`,
	"variables of the script that are only assigned": `
local last, rare, ok = 0, 0, false
ecs.system "a" { query = { Body }, kernel = "require", each = function(e, body, ctx)
  last = body.x
  body.x, body.y = body.x + 1, body.y + 1
end }
ecs.system "b" { query = { Body }, kernel = "require", each = function(e, body, ctx)
  body.x, body.y = body.x / 2, body.y / 2
  if body.x > 20 then rare = body.y ok = body.y > 3 end
end }
ecs.system "z" { phase = "debug", run = function() ecs.log(last, rare, ok) end }`,
	"items at an index that is computed": `
ecs.system "s" { query = { Body, Pack }, each = function(e, body, pack, ctx)
  local i = math.floor(body.x) % 4 + 1
  pack.slots[i] = body.y
  pack.counts[i % 3 + 1] = i
  pack.flags[i + 1] = not pack.flags[i]
end }`,
	"subtraction where it holds": `
ecs.system "s" { query = { Body, Spark, Stats }, kernel = "require", each = function(e, body, spark, stats, ctx)
  if body.x > 0 then body.x = body.x - body.mass end
  if body.vx > 0 then body.vx = body.vx - 0.5 end
  if spark.heat < 100 then spark.heat = spark.heat + 1 end
  stats.hp = stats.hp - (stats.hp > stats.max and 1 or 0)
  stats.max = stats.max + (stats.poisoned and stats.hp or 0)
end }`,
}

// mathematics are the functions of math and how many arguments they take.
var mathematics = map[string]int{
	"abs": 1, "acos": 1, "asin": 1, "atan": 1, "atan2": 2, "ceil": 1, "cos": 1, "cosh": 1, "deg": 1, "exp": 1, "floor": 1, "fmod": 2,
	"log": 1, "log10": 1, "max": 2, "min": 2, "pow": 2, "rad": 1, "sin": 1, "sinh": 1, "sqrt": 1, "tan": 1, "tanh": 1,
	"frexp": 1, "modf": 1,
}

func TestAimedPrograms(t *testing.T) {
	head := "local ecs = require \"ecs\"\n"
	for _, name := range components[:hosts] {
		head += fmt.Sprintf("local %s = ecs.native(%q)\n", name, name)
	}
	for _, d := range declarations {
		head += d + "\n"
	}
	all := map[string]string{}
	for name, text := range aimed {
		all[name] = text
	}
	for name, n := range mathematics {
		args := strings.TrimSuffix(strings.Repeat("body.x, ", n-1)+"body.y, ", ", ")
		all["math."+name] = fmt.Sprintf("\necs.system \"s\" { query = { Body }, kernel = \"require\", each = function(e, body, ctx)\n  body.mass = (math.%s(%s))\nend }", name, args)
	}
	for name, text := range all {
		t.Run(name, func(t *testing.T) {
			for _, c := range []crowd{{1, 6, 2}, {2, 40, 12}, {3, 200, 30}} {
				p := &program{root: body(line(head + text)), crowd: c, ticks: 4}
				with, d, err := p.parts()
				if err != nil {
					t.Fatal(err)
				}
				if d != nil {
					t.Fatalf("%+v: %s\n%s", c, p.show(d), text)
				}
				if !with.loaded {
					t.Fatalf("not loaded: %v", with.ticks)
				}
				for _, s := range with.compiled {
					if !s.Compiled && !slices.Contains(loose, name) {
						t.Errorf("%v", s)
					}
				}
			}
		})
	}
}
