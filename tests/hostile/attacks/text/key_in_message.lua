-- A key of 16 MB in the message of an error.
local ecs = require "ecs"
ecs.system "attack" { run = function()
  local k = ("k"):rep(16777000)
  for i = 1, 1e5 do pcall(function() local t = {} t[k].x = 1 end) end
end }
