--- Every function that takes an entity says what is wrong with what it got.
local ecs = require "ecs"
local host = require "host"

local Health = ecs.component("Health", { hp = 100 })
local dead = 0

ecs.on_start(function()
  dead = ecs.spawn(Health)
end)

--- Calls that must refuse anything but a living entity.
local strict = {
  despawn = function(e) ecs.despawn(e) end,
  add = function(e) ecs.add(e, Health) end,
  remove = function(e) ecs.remove(e, Health) end,
  set = function(e) ecs.set(e, Health { hp = 1 }) end,
  set_parent = function(e) ecs.set_parent(e, nil) end,
}

--- Calls that answer for the dead, but not for what was never an entity.
local lenient = {
  get = function(e) return ecs.get(e, Health) end,
  get_field = function(e) return ecs.get(e, Health, "hp") end,
  has = function(e) return ecs.has(e, Health) end,
  parent = function(e) return ecs.parent(e) end,
  children = function(e) return ecs.children(e)[1] end,
}

local never = {
  { -1, "negative" },
  { 1.5, "fractional" },
  { 0 / 0, "NaN" },
  { 1 / 0, "too large" },
  { -1 / 0, "negative" },
  { 1e300, "too large" },
  { 5, "the number 5 is not an entity" },
  { host.foreign(), "another world" },
  { "12v1", 'expected an entity, got the string "12v1"' },
  { false, "expected an entity, got nil" },
  { {}, "expected an entity, got a table" },
  { Health, "expected an entity, got the component Health" },
  { function() end, "expected an entity, got a function" },
  { true, "expected an entity, got true" },
}

local function refused(name, call, e, text)
  if e == false then e = nil end
  local ok, why = pcall(call, e)
  assert(not ok, name .. " accepted " .. tostring(e))
  assert(string.find(why, text, 1, true), name .. ": " .. why)
  assert(string.find(why, "bad_entities.lua:", 1, true), name .. " has no place: " .. why)
  assert(string.find(why, "argument", 1, true), name .. " does not say which argument: " .. why)
end

local function judge()
  for name, call in pairs(strict) do
    for i = 1, #never do refused(name, call, never[i][1], never[i][2]) end
    refused(name, call, 0, "entity 0 means none")
    refused(name, call, dead, "is dead")
  end
  for name, call in pairs(lenient) do
    for i = 1, #never do refused(name, call, never[i][1], never[i][2]) end
    for _, e in ipairs { 0, dead } do
      local ok, got = pcall(call, e)
      assert(ok and not got, name .. " of a dead entity: " .. tostring(got))
    end
  end
  for i = 1, 8 do assert(ecs.alive(never[i][1]) == false) end
  assert(ecs.alive(nil) == false and ecs.alive(0) == false and ecs.alive(dead) == false)
  assert(not pcall(ecs.alive, "x") and not pcall(ecs.alive, {}))
end

local tick = 0
ecs.system "judge" {
  run = function()
    tick = tick + 1
    if tick == 1 then ecs.despawn(dead) end
    if tick ~= 2 then return end
    judge()
    local e = ecs.spawn(Health)
    refused("set_parent", function(p) ecs.set_parent(e, p) end, dead, "argument 2")
    refused("set_parent", function(p) ecs.set_parent(e, p) end, -3, "argument 2")
    host.done()
  end,
}
