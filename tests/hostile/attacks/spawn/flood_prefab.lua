local ecs = require "ecs"
local A = ecs.tag("AttackA")
local kids = {}
for i = 1, 4000 do kids[i] = { A } end
local P = ecs.prefab("P", { A, children = kids })
ecs.system "attack" { run = function() while true do ecs.spawn(P) end end }
