local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("a"):rep(100000)
  local set = "[" .. ("b-c"):rep(30000) .. "]*$"
  for i = 1, 1e8 do s:match(set) end
end }
