---: quiet
local ecs = require "ecs"
ecs.system "attack" { run = function()
  for j = 1, 100 do
    local t = {}
    for i = 1, 200000 do t["k" .. i] = i end
    for k in pairs(t) do t[k] = nil; next(t) end
  end
end }
