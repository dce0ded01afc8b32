-- lib/tally.lua: sums amounts by key and remembers the order of first mention.
--
-- Several events of one tick may name the same entity. Summed up first, each
-- entity is read and written once, and in an order that is the same every run.

local tally = {}
tally.__index = tally

--- A tally of nothing yet.
function tally.new()
  return setmetatable({ keys = {}, sums = {} }, tally)
end

function tally:add(key, amount)
  local sums = self.sums
  if not sums[key] then
    self.keys[#self.keys + 1] = key
    sums[key] = 0
  end
  sums[key] = sums[key] + amount
end

--- for key, sum in totals:each() do … end
function tally:each()
  local i = 0
  return function()
    i = i + 1
    local key = self.keys[i]
    return key, self.sums[key]
  end
end

return tally
