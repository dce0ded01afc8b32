local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("x"):rep(8000000)
  local t = setmetatable({}, { __tostring = function() return s end })
  for i = 1, 1e6 do local x = tostring(t) .. "" end
end }
