-- A function of the script: its body takes the place of the call.
local ecs = require "ecs"

local Pair = ecs.component("Pair", { a = ecs.f64(0), b = ecs.f64(0) })

local function ordered(a, b)
  if a > b then
    return b, a
  end
  return a, b
end

ecs.system "inlined" {
  query = { Pair },
  each = function(e, pair)
    pair.a, pair.b = ordered(pair.a, pair.b)
  end,
}
