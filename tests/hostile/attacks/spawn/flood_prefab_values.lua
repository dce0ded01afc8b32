---: load
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
local kids = {}
for i = 1, 4000 do kids[i] = { A } end
local P = ecs.prefab("P", { A, children = kids })
ecs.system "attack" { run = function() ecs.spawn(P) end }
