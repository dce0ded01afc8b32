local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  local mt, mt2 = {}, {}
  local t = setmetatable({}, mt)
  local u = setmetatable({}, mt2)
  mt.__newindex = u
  while true do mt2.__newindex = {}; t[200000] = 1 end
end }
