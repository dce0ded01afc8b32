local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s, p = ("a"):rep(8000000), ("a"):rep(4000000) .. "b"
  for i = 1, 1e6 do s:find(p, 1, true) end
end }
