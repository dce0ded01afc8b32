---: ticks 40
local ecs = require "ecs"
local cos = {}
ecs.system "attack" { run = function(ctx)
  for i = 1, 30 do
    local co = coroutine.wrap(function(...) while true do local s = ("q"):rep(500000) .. i .. ctx.tick; coroutine.yield(s:sub(2)) end end)
    co(); cos[#cos + 1] = co
  end
end }
