local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 7000 do t[i] = i end
  local function f(...) for i = 1, select("#", ...) do local x = select(-i, ...) end end
  while true do f(unpack(t)) end
end }
