local ecs = require "ecs"
local host = require "host"
ecs.system "attack" { run = function()
  local s = ("1"):rep(16000000)
  for i = 1, 1e6 do pcall(host.nearest, s, s, s, s) end
end }
