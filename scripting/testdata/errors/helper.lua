local ecs = require "ecs"
local lib = require "lib"
local P = ecs.native("Position")

ecs.system "helper" {
  query = { P },
  each = function(e, p)
    p.x = lib.outer { x = p.x }
  end,
}
