-- Tables: number keys that agree in all low or in all high bits, as a hash of the bits
-- would like them least.
---! place "(Limits."
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    for power = 20, 51 do
      for i = 1, 400 do
        t[i * 2 ^ power] = i
        t[i + 2 ^ -power] = i
        t[-i * 2 ^ power] = i
      end
    end
    while true do
      for power = 20, 51 do
        for i = 1, 400 do
          if t[i * 2 ^ power] == nil then error("a key is lost") end
        end
      end
    end
  end,
}
