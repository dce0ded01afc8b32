---: quiet
---: ticks 30
local ecs = require "ecs"
local s = ecs.state("attack", { a = {}, b = {} })
ecs.system "attack" { run = function(ctx)
  for i = 1, 100 do s.a[i] = {} ; for j = 1, 200 do s.a[i][j] = { x = j } end end
  s.a, s.b = s.b, s.a
  s.b = {}
  error("no")
end }
