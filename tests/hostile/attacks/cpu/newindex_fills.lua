local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  local mt = {}
  local t = setmetatable({}, mt)
  while true do mt.__newindex = {}; t[200000] = 1 end
end }
