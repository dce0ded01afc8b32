---: names "attack.lua:\d+:\d+: .*pattern too complex"
local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("ab"):rep(8000000)
  local p = ("(.-)"):rep(31) .. "$x"
  for i = 1, 1e6 do s:match(p) end
end }
