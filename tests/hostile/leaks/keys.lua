-- Keys that come and go: the machine keeps the place of each in a table.
local ecs = require "ecs"
local seen = {}

ecs.system "hostile" {
  run = function(ctx) ---! "the variables of this script hold too much: "
    for i = 1, 500 do
      local key = "entity " .. ctx.tick .. ":" .. i
      seen[key] = true
      seen[key] = nil
    end
  end,
}
