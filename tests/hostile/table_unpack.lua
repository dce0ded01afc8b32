-- Tables: no call has more than 8,000 values.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local n = select("#", unpack({}, 1, 1e9)) ---! "too many results to unpack"
  end,
}
