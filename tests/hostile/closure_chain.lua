-- Memory: limit Instructions or Bytes. Closures that hold each other.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local f = function() end
    while true do
      local g = f
      f = function() return g, {} end ---! "(Limits."
    end ---! "(Limits."
  end,
}
