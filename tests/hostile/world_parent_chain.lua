-- World: a family of two thousand generations has too many.
local ecs = require "ecs"
local Junk = ecs.tag("Junk")

ecs.system "hostile" {
  run = function()
    local up
    for _ = 1, 2000 do
      local e = ecs.spawn(Junk)
      if up then ecs.set_parent(e, up) end
      up = e
    end
  end,
}
---! place "1,024 ancestors or more"
---! place "Limits.Instructions"
---! place "entity limit"
