local ecs = require "ecs"
ecs.system "attack" { run = function()
  local big = ("n"):rep(16000000)
  local t = setmetatable({}, { __name = big, __tostring = function() return big end })
  for i = 1, 1e6 do pcall(function() return t + 1 end); pcall(error, t); pcall(string.format, "%s%s", t, t) end
end }
