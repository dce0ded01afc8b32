-- Coroutines: one that a tick leaves behind in the middle of a loop goes on in the next, on its budget.
local ecs = require "ecs"

local co

ecs.system "hostile" {
  run = function()
    if not co or coroutine.status(co) == "dead" then
      co = coroutine.create(function()
        coroutine.yield()
        while true do end ---! "script ran too long: used "
      end)
    end
    coroutine.resume(co)
    local x = 1
  end,
}
