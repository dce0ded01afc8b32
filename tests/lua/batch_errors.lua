--- Faults of a batch stand at the call that makes them; values that do not fit,
--- at the function, with the row.
local ecs = require "ecs"

local Spot, Kinds, Label = ecs.native("Spot"), ecs.native("Kinds"), ecs.native("Label")

ecs.on_start(function() ecs.spawn_many(3, Spot { x = 1 }, Kinds, Label) end)

ecs.system "a" { query = { Spot }, batch = function(b)
  b:col(Spot, "x"):fill(9)
  b:read(Spot, "why") ---! "unknown field \"why\" of \"Spot\""
end }
ecs.system "b" { query = { Spot }, batch = function(b) ---! "row 2 of the batch: expected a number, got nil"
  b:write(Spot, "x")[2] = nil
end }
ecs.system "c" { query = { Kinds }, batch = function(b) ---! "unknown value \"runn\" (did you mean \"run\"?)"
  b:write(Kinds, "mode")[1] = "runn"
end }
ecs.system "d" { query = { Kinds }, batch = function(b) ---! "the table has 5 elements, the field has room for 4"
  b:write(Kinds, "path")[3] = { 1, 2, 3, 4, 5 }
end }
ecs.system "e" { query = { Kinds }, batch = function(b) ---! "expected true or false, got the number 1"
  b:write(Kinds, "flag")[3] = 1
end }
ecs.system "f" { query = { Label }, batch = function(b) ---! "expected a string, got the number 5"
  b:write(Label, "name")[1] = 5
end }
ecs.system "g" { query = { Kinds }, batch = function(b) ---! "fractional"
  b:write(Kinds, "mate")[1] = 0.5
end }
ecs.system "h" { query = { Spot }, batch = function(b)
  ecs.despawn(b.entities[1])
  b:col(Spot, "x"):fill(9)
  b:write(Spot, "y")[1] = 9
  error("late") ---! "late"
end }
ecs.system "z" { query = { Spot, Kinds, Label }, each = function(e, p, k, l)
  assert(p.x == 1 and p.y == 0 and k.mode == "idle" and k.flag == false and l.name == "" and k.path[3] == 0)
end }
