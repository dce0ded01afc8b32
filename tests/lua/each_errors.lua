--- A failing row undoes the rows before it; the error names line and entity.
local ecs = require "ecs"

local Spot, Kinds, Label, Placed = ecs.native("Spot"), ecs.native("Kinds"), ecs.native("Label"), ecs.native("Placed")

ecs.on_start(function()
  ecs.spawn_many(40, Spot, function(i) return Kinds { i32 = i, mode = "walk" }, Label { name = "l" .. i }, Placed end)
end)

ecs.system "a" { query = { Spot, Kinds }, each = function(e, p, k)
  p.x = 5
  if k.i32 == 30 then ecs.spawn(nil) end ---! "got nil"
end }
ecs.system "b" { query = { Kinds }, each = function(e, k)
  k.flag = 1 ---! "field \"flag\" of \"Kinds\": expected true or false, got the number 1"
end }
ecs.system "c" { query = { Kinds }, each = function(e, k)
  k.mode = "wlak" ---! "unknown value \"wlak\" (did you mean \"walk\"?)"
end }
ecs.system "d" { query = { Kinds }, each = function(e, k)
  k.mate = "me" ---! "expected an entity, got the string \"me\""
end }
ecs.system "e" { query = { Kinds }, each = function(e, k)
  k.path = { 1, 2, 3, 4, 5 } ---! "the table has 5 elements, the field has room for 4"
end }
ecs.system "f" { query = { Kinds }, each = function(e, k)
  k.path = 5 ---! "expected a table of 4, got the number 5"
end }
ecs.system "g" { query = { Spot }, each = function(e, p)
  p.x = nil ---! "expected a number, got nil"
end }
ecs.system "h" { query = { Label }, each = function(e, l)
  l.name = 5 ---! "expected a string, got the number 5"
end }
ecs.system "i" { query = { Placed }, each = function(e, p)
  p.at.z = 5 ---! "field \"at\" of \"Placed\": unknown field \"z\""
end }
ecs.system "j" { query = { Placed }, each = function(e, p)
  p.at.x = true ---! "field \"at\" of \"Placed\": field \"x\": expected a number, got true"
end }
ecs.system "k" { query = { Spot, Kinds }, each = function(e, p, k)
  p.x = 7
  local t = nil
  t.x = 5 ---! "attempt to index \"t\", a nil value, with key \"x\""
end }
local function helper(p) p.why = 5 end ---! "unknown field \"why\" of \"Spot\""
ecs.system "l" { query = { Spot }, each = function(e, p) helper(p) end }
ecs.system "m" { on = ecs.native_event("Hit"), each = function(ev) local hit = ev return hit.amout end } ---! "unknown field \"amout\" of \"Hit\" (did you mean \"amount\"?)"
ecs.system "n" { run = function() ecs.emit(ecs.native_event) end } ---! "such as"
ecs.system "o" { run = function() ecs.emit(nil) end } ---! "got nil"
local Hit = ecs.native_event("Hit")
ecs.system "p" { priority = 0, run = function() ecs.emit(Hit) end }
ecs.on_set(Spot, function(e, p) local spot = p spot.z = 1 end) ---! "unknown field \"z\" of \"Spot\""
ecs.system "q" { query = { Spot }, each = function(e) ecs.set(e, Spot { x = 0 }) end }

ecs.system "z" { phase = "debug", query = { Spot, Kinds, Label, Placed }, each = function(e, p, k, l, at)
  assert(p.x == 0 and k.flag == false and k.mode == "walk" and k.mate == 0 and k.path[1] == 0)
  assert(string.sub(l.name, 1, 1) == "l" and at.at.x == 0)
end }
