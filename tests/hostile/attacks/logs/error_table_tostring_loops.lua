local ecs = require "ecs"
for j = 1, 20 do
  ecs.system("attack" .. j, { run = function(ctx)
    error(setmetatable({}, { __tostring = function() while true do end end }))
  end })
end
