-- Errors that lie: levels that no stack has.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for _, level in ipairs { -1, 0, 1, 2, 3, 99, 1e9, 1e300, -1e300, 0 / 0 } do
      assert(not pcall(error, "text", level))
    end
    error("not me", 1) ---! "not me"
  end,
}
