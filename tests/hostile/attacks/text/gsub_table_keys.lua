local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s, r = ("a"):rep(8000000), {}
  for i = 1, 1e6 do s:gsub("a*", r) end
end }
