local ecs = require "ecs"
local A = ecs.component("A", { x = ecs.f64(0) })
local list = { A }
local kid = ecs.prefab("kid", { A })
local kids = {} for i = 1, 9000 do kids[i] = kid end
local P = ecs.prefab("P", { A, children = kids })
ecs.system "attack" { run = function(ctx)
  while true do pcall(ecs.spawn, P, A { x = 1 }) end
end }
