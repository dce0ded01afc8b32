-- Errors that lie: a text that begins with the place of a healthy script. The system is named all the same.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    error("healthy.lua:1: it was me", 0)
  end,
}
---! place "healthy.lua:1: system \"hostile\""
