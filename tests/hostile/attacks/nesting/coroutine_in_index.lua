local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  setmetatable(t, { __index = function(t, k)
    local co = coroutine.wrap(function() local x = t[k + 1] coroutine.yield(x) end)
    return co()
  end })
  for i = 1, 1e6 do pcall(function() return t[1] end) end
end }
