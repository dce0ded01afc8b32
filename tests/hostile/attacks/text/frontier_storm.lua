local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("a b"):rep(5000000)
  while true do s:gsub("%f[%w]", "%0%0") end
end }
