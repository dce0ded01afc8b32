-- Loops: limit Instructions. An iterator that never ends.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for _ in function() return 1 end do end ---! "script ran too long: used "
  end,
}
