-- World: limit LogLines. Lines without end are counted, and cost the others nothing.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    while true do ecs.log("!") end ---! "script ran too long"
  end,
}
