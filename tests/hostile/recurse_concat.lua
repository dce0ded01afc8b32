-- Recursion: limit Depth. A __concat that joins.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local meta = {}
    meta.__concat = function(a, b) return a .. b end ---! "(Limits.Depth)"
    local x = setmetatable({}, meta) .. "x"
  end,
}
