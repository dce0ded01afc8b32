-- Coroutines: ever more values are passed to and fro.
---! place "(Limits."
---! place "too many results"
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local co = coroutine.wrap(function(...)
      local list = { ... }
      while true do
        list = { coroutine.yield(unpack(list)) }
      end
    end)
    local list = { 1 }
    while true do
      local back = { co(unpack(list)) }
      for i = 1, #back do list[#list + 1] = back[i] end
    end
  end,
}
