-- Loops: limit Instructions. The handler of xpcall loops, too.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function forever() while true do end end ---! "script ran too long: used "
    while true do
      xpcall(forever, forever)
    end
  end,
}
