--- A call that makes no sense ends the file with its place.
local ecs = require "ecs"

local Spot = ecs.native("Spot")

local function refuses(text, call, ...)
  local ok, why = pcall(call, ...)
  assert(not ok and string.find(why, text, 1, true), why)
end
refuses("argument 1: expected a string, got nil", ecs.component)
refuses("argument 2: expected a table, got nil", ecs.component, "X")
refuses("argument 2: expected a table, got a function", ecs.system, "X", print)
refuses("argument 2: expected a component, got the string", ecs.on_add, "named", "Spot", print)
refuses("argument 2: expected a function, got nil", ecs.on_add, Spot)
refuses("argument 1: expected a function", ecs.on_start, {})
refuses("argument 2: expected a function", ecs.handler, "x", 1)
refuses("argument 1: expected a component, got the number 5", ecs.on_set, 5, function() end)
refuses("expected 1 to 256 names, got 0", ecs.enum)
refuses('the value "a" is given twice', ecs.enum, "a", "a")
refuses("expected a string, got the number 1", ecs.enum, 1)
refuses("argument 1: expected a field kind such as ecs.f32()", ecs.array, 5, 5)
refuses("argument 1: an array of arrays is not possible", ecs.array, ecs.array(ecs.f32(), 2), 5)
refuses("argument 2: expected a whole number from 1 to 4096, got 0", ecs.array, ecs.f32(), 0)
refuses("argument 2: expected a whole number from 1 to 4096, got 2.5", ecs.array, ecs.f32(), 2.5)
refuses('unknown field "hq" of "Spot"', Spot, { hq = 1 })
refuses('takes fields by name, such as Spot{ x = … }', Spot, { 1, 2 })
refuses('expected a component, a value or a prefab, got the string "Spot"', ecs.prefab, "P", { "Spot" })
refuses('(did you mean "Spot"?)', ecs.prefab, "P", { "Spt" })
refuses("expected a prefab or a table of values, got the number 1", ecs.prefab, "P", { children = { 1 } })
refuses('unknown resource "Ruless" (did you mean "Rules"?)', ecs.resource, "Ruless")
refuses("expected plain data", ecs.state, "s", { f = print })
for _, name in ipairs { "spawn", "despawn", "add", "set", "remove", "emit", "get", "has", "alive", "count", "find",
  "entities", "parent", "children", "set_parent", "events", "after", "every", "cancel", "enable", "despawn_all", "spawn_many" } do
  refuses("the top level declares, systems act", ecs[name])
end
local rules = ecs.resource("Rules")
refuses("the top level declares, systems act", function() rules.width = 5 end)
refuses('unknown name "spwan"', function() return spwan end)
refuses('module "nothere" not found', require, "nothere")

ecs.spawn(Spot) ---! "put it into ecs.on_start(function() … end)"
