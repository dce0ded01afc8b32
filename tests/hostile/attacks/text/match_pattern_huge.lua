local ecs = require "ecs"
ecs.system "attack" { run = function()
  local p = ("[a-z]"):rep(3000000)
  for i = 1, 1e6 do pcall(string.match, "abc", p) end
end }
