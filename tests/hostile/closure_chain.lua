-- Memory: limit Heap, Instructions or Table. Closures that hold each other.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local f = function() end
    while true do ---! "(Limits."
      local g = f ---! "(Limits."
      f = function() return g, {} end ---! "(Limits."
    end
  end,
}
