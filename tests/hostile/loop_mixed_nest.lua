-- Loops: limit Instructions. Coroutines in protected calls in coroutines.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function dive(n)
      while true do
        pcall(coroutine.wrap(function()
          if n < 60 then pcall(dive, n + 1) end
          while true do end
        end))
      end ---! "script ran too long: used "
    end
    dive(1)
  end,
}
