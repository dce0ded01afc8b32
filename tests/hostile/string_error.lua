-- Texts: an error whose text is a million bytes long is cut.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    error(("x"):rep(1e6)) ---! " more bytes)"
  end,
}
