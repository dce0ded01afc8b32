-- Texts: widths have two digits.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("%99999999d"):format(1) ---! "invalid format (width or precision too long)"
  end,
}
