local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = setmetatable({}, { __tostring = function() return ("x"):rep(16000000) end })
  for i = 1, 1e6 do print(t, t, t) end
end }
