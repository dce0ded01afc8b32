local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  for i = 1, 1e7 do
    setmetatable({}, { __gc = function() while true do end end, __mode = "kv", __metatable = i, __len = function() return -1 end })
  end
end }
