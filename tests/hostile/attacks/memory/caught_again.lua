-- Each call is caught and what it made is kept.
local ecs = require "ecs"
local kept = {}
ecs.system("attack", { run = function(ctx)
  while true do
    local t = {}
    kept[#kept + 1] = t
    pcall(function() for i = 1, 1e9 do t[i] = ("x"):rep(1000) .. i end end)
  end
end })
