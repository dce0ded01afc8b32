local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s, r = ("a"):rep(1000), ("%0"):rep(5000)
  for i = 1, 1e6 do pcall(string.gsub, s, "a", r) end
end }
