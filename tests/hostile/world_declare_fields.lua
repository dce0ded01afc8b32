-- World: a component with four thousand fields.
local ecs = require "ecs"
local fields = {}
for i = 1, 4000 do fields["f" .. i] = ecs.f64() end
local Wide = ecs.component("Wide", fields)

ecs.system "hostile" {
  run = function()
    for _ = 1, 100 do ecs.spawn(Wide) end
    error("done") ---! "done"
  end,
}
