-- Loops: limit Instructions. Protected calls in each other, each of which goes on.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function again(depth)
      pcall(function()
        if depth < 100 then again(depth + 1) end
        while true do end ---! "script ran too long: used "
      end)
      while true do end
    end
    again(1)
  end,
}
