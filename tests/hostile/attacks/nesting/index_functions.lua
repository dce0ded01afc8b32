local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = { x = 1 }
  for i = 1, 200 do local u = t t = setmetatable({}, { __index = function(_, k) return u[k] end }) end
  while true do pcall(function() return t.x end) end
end }
