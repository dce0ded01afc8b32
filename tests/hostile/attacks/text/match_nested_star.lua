---: names "attack.lua:\d+:\d+: .*pattern too complex"
local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("a"):rep(3000)
  while true do s:match("a*a*a*a*a*a*a*b") s:find(".-.-.-.-.-b") s:gsub("%b()a*a*b", "") end
end }
