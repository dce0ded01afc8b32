---: quiet
local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  local t = {}
  for i = 1, 250 do t[i] = setmetatable({}, { __tostring = function() return ("q"):rep(60000) end }) end
  for i = 1, 1e5 do pcall(ecs.log, unpack(t, 1, 190)) end
end }
