---: quiet
local ecs = require "ecs"
local st = ecs.state("attack", {})
ecs.system("attack", { run = function(ctx)
  local t = {}
  for i = 1, 20000 do t[i] = { i, { i } } end
  st["t" .. ctx.tick] = t
end })
