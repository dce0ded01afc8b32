-- Tables: limit Instructions or Time. Data for timers that shares its parts is copied as a tree of 2^30.
local ecs = require "ecs"

ecs.handler("never", function() end)

ecs.system "hostile" {
  run = function()
    local wide = { 1 }
    for _ = 1, 30 do wide = { wide, wide } end
    ecs.after(1, "never", wide) ---! "data"
  end,
}
