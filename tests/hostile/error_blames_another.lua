-- Errors that lie: a text that begins with the place of a healthy script. The place is where it was raised.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    error("healthy.lua:1: it was me", 0) ---! "system \"hostile\": tick 1: healthy.lua:1: it was me"
  end,
}
