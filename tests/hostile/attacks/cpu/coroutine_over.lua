local ecs = require "ecs"
local keep = {}
ecs.system "attack" { run = function(ctx)
  local f = function() coroutine.yield() end
  for i = 1, 1e9 do
    local ok, co = pcall(coroutine.create, f)
    if ok then keep[#keep + 1] = co; coroutine.resume(co) end
  end
end }
