--- What a failed call wrote to a resource is taken back, field by field.
local ecs = require "ecs"

local rules = ecs.resource("Rules")

ecs.system "a" { run = function(ctx)
  for i = 1, 100 do
    rules.width, rules.level, rules.title, rules.open = i, i, "t" .. i, true
  end
  assert(rules.width == 100 and rules.title == "t100")
  error("late") ---! "late"
end }
ecs.system "b" { run = function(ctx)
  assert(rules.width == 100 and rules.level == 0 and rules.title == "open" and rules.open == false)
end }
