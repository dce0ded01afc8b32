-- A loop whose end is a field: it takes fuel.
local ecs = require "ecs"

local Sum = ecs.component("Sum", { terms = ecs.u16(10), total = ecs.f64(0) })

ecs.system "loop" {
  query = { Sum },
  each = function(e, sum)
    local total = 0
    for i = 1, sum.terms do
      total = total + 1 / i
    end
    sum.total = total
  end,
}
