---: names "attack.lua:\d+:\d+: .*pattern too complex"
local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("a"):rep(16000000)
  for i = 1, 1e8 do s:find("b", 1, true); s:find("[^a]", -16000000); s:find("a-b") end
end }
