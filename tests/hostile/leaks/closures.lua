-- Functions that keep those before them.
local ecs = require "ecs"
local last = function() end

ecs.system "hostile" {
  run = function(ctx) ---! "the variables of this script hold too much: "
    for i = 1, 500 do
      local before, n = last, ctx.tick + i
      last = function() return before, n end
    end
  end,
}
