---: quiet
local ecs = require "ecs"
local t = {}
ecs.system "attack" { run = function()
  for i = 1, 1e7 do
    local k = next(t)
    if k then t[k] = nil end
    t[i] = true; t[-i] = true; t[i + 0.5] = nil
  end
end }
