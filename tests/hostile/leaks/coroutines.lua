-- Coroutines that wait for what never comes, each with something on its stack.
local ecs = require "ecs"
local waiting = {}

ecs.system "hostile" {
  run = function(ctx) ---! "the variables of this script hold too much: "
    for _ = 1, 5 do
      local co = coroutine.wrap(function()
        local mine = string.rep("x", 20000) .. ctx.tick
        coroutine.yield()
        return mine
      end)
      co()
      waiting[#waiting + 1] = co
    end
  end,
}
