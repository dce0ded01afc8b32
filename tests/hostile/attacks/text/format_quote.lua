local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("\0\"\\\n"):rep(2000000)
  for i = 1, 1e6 do pcall(string.format, "%q", s) end
end }
