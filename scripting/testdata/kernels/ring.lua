-- A ring of entities, each with the handle of the next: no number is made of any.
local ecs = require "ecs"

local Bead = ecs.component("Bead", { x = ecs.f64(0), next = ecs.entity(), first = ecs.entity() })

ecs.system "ring" {
  query = { Bead },
  each = function(e, bead)
    local other, sum = bead.next, 0
    for i = 1, 1000 do
      local o = ecs.get(other, Bead)
      if not o or other == e then
        break
      end
      sum, other = sum + o.x, o.next
    end
    bead.x = sum
    bead.first = other == e and e or 0
  end,
}
