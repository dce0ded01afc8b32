--- Values, set, add, remove, and what observers are told of them.
local ecs = require "ecs"
local host = require "host"

local Placed, Kinds, Label, Spot = ecs.native("Placed"), ecs.native("Kinds"), ecs.native("Label"), ecs.native("Spot")
local Burning = ecs.native("Burning")
local Health = ecs.component("Health", { hp = 100, max = 100, armour = ecs.u8(3), shield = ecs.bool(true) })
local Frozen = ecs.tag("Frozen")

local told = {}
ecs.on_add(Health, function(e, h) told[#told + 1] = "add " .. h.hp end)
ecs.on_set(Health, function(e, h) told[#told + 1] = "set " .. h.hp end)
ecs.on_remove("named", Health, function(e, old) told[#told + 1] = "remove " .. old.hp end)
ecs.on_add(Frozen, function(e, tag) told[#told + 1] = "frozen " .. tostring(tag) end)
ecs.on_spawn(function(e) told[#told + 1] = "spawn" end)
ecs.on_despawn(function(e, ctx)
  assert(not ecs.alive(e) and ctx.tick)
  told[#told + 1] = "despawn"
end)

local function expect(...)
  local want = { ... }
  for i = 1, math.max(#want, #told) do
    assert(want[i] == told[i], "told " .. table.concat(told, ", ") .. ", want " .. table.concat(want, ", "))
  end
  told = {}
end

local e
local steps = {
  function()
    e = ecs.spawn(Placed { at = { x = 1, y = 2 }, turn = 3 }, Label { name = "box" }, Kinds { path = { 1, 2, 3, 4 } })
    assert(ecs.alive(e) and ecs.has(e, Placed, Label) and ecs.get(e, Placed).at.y == 2, "who has done it sees it")
    assert(ecs.count { Placed } == 1)
  end,
  function()
    expect "spawn"
    ecs.set(e, Placed { at = { y = 5 } })
    ecs.set(e, Kinds { path = { 9 }, mode = "run", mate = e })
    ecs.set(e, Label {})
    assert(ecs.get(e, Placed).at.y == 5 and ecs.get(e, Placed).at.x == 1 and ecs.get(e, Kinds).path[1] == 9)
  end,
  function()
    local p, k = ecs.get(e, Placed), ecs.get(e, Kinds)
    assert(p.at.x == 1 and p.at.y == 5 and p.turn == 3, "only the named fields change, nested ones too")
    assert(k.path[1] == 9 and k.path[2] == 2 and k.path[4] == 4 and k.mode == "run" and k.mate == e)
    assert(ecs.get(e, Label, "name") == "box")
    ecs.set(e, Health { max = 50, armour = 7 })
  end,
  function()
    local h = ecs.get(e, Health)
    assert(h.hp == 100 and h.max == 50 and h.armour == 7 and h.shield == true, "set adds with defaults")
    expect "add 100"
    ecs.set(e, Health { shield = false, armour = 1, hp = 9 })
  end,
  function()
    expect "set 9" -- three fields apart, one change
    local h = ecs.get(e, Health)
    assert(h.hp == 9 and h.max == 50 and h.armour == 1 and h.shield == false)
    ecs.add(e, Frozen, Health { hp = 1 }, Burning { left = 2 })
    ecs.set(e, Burning { heat = 4 })
  end,
  function()
    expect("frozen true", "set 1")
    assert(ecs.get(e, Health, "max") == 100, "add replaces")
    assert(ecs.has(e, Frozen, Health, Burning) and ecs.get(e, Frozen) == true)
    assert(ecs.get(e, Burning).left == 2 and ecs.get(e, Burning, "heat") == 4)
    ecs.remove(e, Health, Frozen, Burning)
    ecs.remove(e, Spot) -- it has none
  end,
  function()
    expect "remove 1"
    assert(not ecs.has(e, Health) and not ecs.has(e, Placed, Frozen) and ecs.has(e))
    ecs.set(e, Health {})
  end,
  function()
    assert(ecs.get(e, Health, "hp") == 100, "an empty set adds, too")
    told = {}
    ecs.despawn(e)
    assert(not ecs.alive(e) and ecs.get(e, Health) == nil and not ecs.has(e))
  end,
  function()
    expect("despawn", "remove 100")
    assert(not ecs.alive(e) and ecs.get(e, Health) == nil)
    host.done()
  end,
}
ecs.system "steps" {
  run = function(ctx)
    if steps[ctx.tick] then steps[ctx.tick]() end
  end,
}
