---: names "hold more than 524,288 values"
local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  local t = {}
  for i = 1, 3000 do t[i] = i end
  local function f(n, ...) if n == 0 then return ... end return f(n - 1, unpack(t)), f(n - 1, ...) end
  f(400)
end })
