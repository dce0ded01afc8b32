local ecs = require "ecs"
local host = require "host"
ecs.system "attack" { run = function()
  local s = ("x"):rep(16000000)
  for i = 1, 1e6 do pcall(function() return host[s] end) end
end }
