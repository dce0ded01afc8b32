local ecs = require "ecs"
ecs.system "attack" { run = function()
  local p = "[" .. ("a"):rep(8000000) .. "]*z"
  local s = ("b"):rep(100000)
  for i = 1, 1e6 do pcall(string.match, s, p) end
end }
