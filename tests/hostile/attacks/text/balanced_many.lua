---: names "attack.lua:\d+:\d+: .*pattern too complex"
local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("("):rep(16000000)
  while true do s:find("%b()") end
end }
