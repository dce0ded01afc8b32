local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("ab"):rep(8000000)
  for i = 1, 1e6 do for a in s:gmatch("()") do end end
end }
