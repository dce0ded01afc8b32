-- World: limit Instructions or Time. To look up what a name might mean takes longer than to read it.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    while true do
      pcall(function() return _G[("x"):rep(1e5)] end) ---! "script ran too long"
    end
  end,
}
