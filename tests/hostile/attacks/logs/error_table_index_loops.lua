---: quiet
local ecs = require "ecs"
for j = 1, 20 do
  ecs.system("attack" .. j, { run = function(ctx)
    error(setmetatable({}, { __index = function(t, k) while true do end end }))
  end })
end
