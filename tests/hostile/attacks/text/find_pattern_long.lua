local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s, p = ("a"):rep(8000000), ("a?"):rep(5000) .. "b"
  for i = 1, 1e6 do pcall(string.find, s, p) end
end }
