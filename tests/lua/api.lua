--- Spawning, prefabs, families, queries, events, resources, random numbers.
local ecs = require "ecs"
local host = require "host"

local Spot, Motion, Burning = ecs.native("Spot"), ecs.native("Motion"), ecs.native("Burning")
local Idle, Placed, Label = ecs.native("Idle"), ecs.native("Placed"), ecs.native("Label")
local Hit = ecs.native_event("Hit")
local Health = ecs.component("Health", {
  hp = ecs.f32(100), team = ecs.enum("red", "blue"), target = ecs.entity(),
  path = ecs.array(ecs.i16(-1), 3), alive = ecs.bool(true), plain = 5, flag = false,
})
local Boss = ecs.tag("Boss")
local Damage = ecs.event("Damage", { target = ecs.entity(), amount = ecs.f32(1), kind = ecs.enum("fire", "ice") })
local Turret = ecs.prefab("Turret", { Spot { y = 9 } })
local Grunt = ecs.prefab("Grunt", { Spot { x = 1 }, Health { hp = 20 }, children = { { Motion { x = 2 } }, Turret } })
local Big = ecs.prefab("Big", { Grunt, Health { hp = 500 }, Boss })
local rules = ecs.resource("Rules")

local function refuses(text, call, ...)
  local ok, why = pcall(call, ...)
  assert(not ok and string.find(why, text, 1, true), why)
end

local big, heard, polled = nil, {}, 0
local steps = {
  function() -- defaults
    assert(tostring(Health) == "the component Health" and tostring(Boss) == "the tag Boss")
    assert(tostring(Grunt) == "the prefab Grunt" and tostring(Damage) == "the event Damage")
    big = ecs.spawn(Big, Spot { x = 7 }, Idle)
    assert(type(big) == "number" and big == math.floor(big) and big < 2 ^ 52)
  end,
  function() -- prefabs
    local h = ecs.get(big, Health)
    assert(h.hp == 500 and h.team == "red" and h.target == 0 and h.alive == true and h.plain == 5 and h.flag == false)
    assert(#h.path == 3 and h.path[3] == -1, "an array's default is that of its kind")
    assert(ecs.get(big, Spot, "x") == 7 and ecs.has(big, Boss, Idle))
    h.hp = h.hp - 499 -- a copy
    assert(h.hp == 1 and ecs.get(big, Health, "hp") == 500)
    local list = ecs.children(big)
    assert(#list == 2 and ecs.get(list[1], Motion, "x") == 2 and ecs.get(list[2], Spot, "y") == 9)
    assert(ecs.parent(list[1]) == big and ecs.parent(big) == nil)
    ecs.set_parent(list[1], nil)
    ecs.set_parent(list[2], 0)
    ecs.set_parent(list[2], list[1])
    refuses('unknown field "hq" of "Health"', ecs.get, big, Health, "hq")
    refuses("expected a component, got a function", ecs.get, big, print)
  end,
  function() -- families
    local list = ecs.children(big)
    assert(#list == 0)
    local first = ecs.find { Motion }
    assert(#ecs.children(first) == 1 and ecs.find { Boss } == big)
    ecs.despawn(first)
  end,
  function() -- queries
    assert(ecs.find { Motion } == nil and ecs.count(Motion) == 0 and ecs.count(Turret and Spot) == 1)
    local list = ecs.spawn_many(10, Spot, function(i) return Motion { x = i }, i % 2 == 0 and Boss or Idle end)
    assert(#list == 10 and ecs.count(Spot) == 11 and ecs.get(list[3], Motion, "x") == 3)
    refuses("expected a whole number from 0 up, got -1", ecs.spawn_many, -1, Spot)
    refuses("expected a whole number from 0 up, got 1.5", ecs.spawn_many, 1.5, Spot)
    refuses("got NaN", ecs.spawn_many, 0 / 0, Spot)
    refuses("expected a component, a value or a prefab, got nil", ecs.spawn, nil)
    refuses("give prefabs before it", ecs.spawn_many, 1, function() return Grunt end)
    refuses("a prefab can be spawned, not added", ecs.add, big, Grunt)
    refuses("such as Health{ hp = 5 }", ecs.set, big, Health)
    assert(#ecs.spawn_many(0, Spot) == 0)
  end,
  function()
    assert(ecs.count { Spot } == 11 and ecs.count { Spot, with = { Boss } } == 6 and ecs.count { with = Motion, any = { Boss, Idle } } == 10)
    assert(ecs.count { Spot, without = { Boss } } == 5 and ecs.count { Motion, without = { Boss, Idle } } == 0)
    local sum = 0
    for e in ecs.entities { Motion, without = Boss } do sum = sum + ecs.get(e, Motion, "x") end
    assert(sum == 1 + 3 + 5 + 7 + 9)
    refuses("unknown query option", ecs.count, { Spot, wth = { Boss } })
    refuses("expected a component, got the string", ecs.count, "Spot")
    refuses("expected a component", ecs.find, { 5 })
    assert(ecs.despawn_all { Motion, without = { Boss } } == 5 and ecs.despawn_all(Burning) == 0)
  end,
  function() -- events
    assert(ecs.count { Motion } == 5)
    ecs.emit(Damage { target = big, amount = 5, kind = "ice" })
    ecs.emit(Damage)
    ecs.emit(Hit { target = big, amount = 2.5 })
    for ev in ecs.events(Damage) do assert(false, "not before the system has ended") end
    refuses('unknown value "icy" (did you mean "ice"?)', Damage, { kind = "icy" })
    refuses('unknown field "amout" of "Damage" (did you mean "amount"?)', Damage, { amout = 5 })
    refuses("such as Damage{ amount = 5 }", ecs.emit, Health)
    refuses("expected an event, got the component Health", ecs.events, Health)
  end,
  function()
    assert(#heard == 3, #heard)
    assert(heard[1] == "5 ice" and heard[2] == "1 fire" and heard[3] == "hit 2.5")
    for ev in ecs.events(Damage) do polled = polled + ev.amount end
    for ev in ecs.events(Damage) do polled = polled + 1000 end
    assert(polled == 6, polled)
  end,
  function() -- resources
    assert(rules.width == 100 and rules.level == 0 and rules.title == "open" and rules.open == false)
    rules.width, rules.level, rules.title, rules.open = 50, 3, "changed", true
    assert(rules.width == 50 and rules.level == 3 and rules.title == "changed" and rules.open == true)
    refuses('unknown field "widht" of "Rules" (did you mean "width"?)', function() return rules.widht end)
    refuses('field "level" of "Rules"', function() rules.level = 1.5 end)
    refuses('field "open" of "Rules": expected true or false', function() rules.open = 1 end)
    refuses("expected a string", function() rules.title = 5 end)
  end,
  function() -- random numbers
    assert(rules.title == "changed")
    for i = 1, 200 do
      local x, n, m = ecs.random(), ecs.random(6), ecs.random(-3, 3)
      assert(x >= 0 and x < 1 and n >= 1 and n <= 6 and m >= -3 and m <= 3 and n % 1 == 0 and m % 1 == 0)
      assert(math.random(5) <= 5)
    end
    refuses("a whole number from 1 up", ecs.random, 0)
    refuses("low <= high", ecs.random, 5, 1)
    refuses("whole number", ecs.random, 1.5)
    refuses("whole number", ecs.random, 0 / 0)
    refuses("expected a number", ecs.random, "x")
    refuses('unknown system "stps" (did you mean "steps"?)', ecs.enable, "stps", true)
    refuses("argument 2: expected true or false, got nil", ecs.enable, "steps")
    refuses("only be used at the top level", ecs.system, "x")
    refuses("only be used at the top level", ecs.component, "X", {})
    refuses("only be used at the top level", ecs.on_start, print)
    refuses("not while systems run", require, "api")
    ecs.enable("off", true)
  end,
  function() host.done() end,
}
ecs.system "steps" {
  after = { "hear", "hear.hit" },
  run = function(ctx)
    if steps[ctx.tick] then steps[ctx.tick]() end
    if ctx.tick == 7 then heard = {} end
  end,
}
ecs.system "hear" { on = Damage, each = function(ev, ctx) heard[#heard + 1] = ev.amount .. " " .. ev.kind end }
ecs.system "hear.hit" { on = Hit, after = { "hear" }, each = function(ev) heard[#heard + 1] = "hit " .. ev.amount end }
local ran = false
ecs.system "off" { enabled = false, run = function(ctx) ran = true assert(ctx.tick > 9, "switched off") end }
ecs.system "every" { every = 0.25, run = function(ctx) assert(math.abs(ctx.dt - 0.25) < 1e-6) end }
ecs.system "when" { when = function(ctx) return ctx.tick == 3 end, run = function(ctx) assert(ctx.tick == 3) end }
ecs.system "fixed" { fixed = true, run = function(ctx) assert(math.abs(ctx.dt - 1 / 60) < 1e-9) end }
ecs.system "optional" {
  query = { Spot, Idle, optional = { Motion, Label } },
  each = function(e, p, idle, m, label, ctx)
    assert(idle == true and label == nil and ctx.tick and (m ~= nil) == ecs.has(e, Motion))
  end,
}
ecs.system "changed" { query = { Placed, changed = { Placed } }, each = function() assert(false, "nobody has it") end }
