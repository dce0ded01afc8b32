local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("ab "):rep(3000000)
  for i = 1, 1e6 do for w in s:gmatch("%f[%w]%w+%f[%W]") do end end
end }
