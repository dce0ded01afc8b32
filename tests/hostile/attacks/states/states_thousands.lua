local ecs = require "ecs"
local names = {}
for i = 1, 9000 do names[i] = ecs.state("attack" .. i, { n = 0, list = { 1, 2, 3 } }) end
ecs.system "attack" { run = function(ctx)
  for i = 1, 9000 do local s = names[i]; for j = 1, 50 do s["k" .. j] = ctx.tick; s.list[j] = { i, j } end end
end }
