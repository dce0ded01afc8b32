-- A walk over a map with pairs.
local map = {}
for i = 1, 1000 do
  map["key" .. i] = i
end

return 200000, function()
  local sum = 0
  for _ = 1, 200 do
    for _, v in pairs(map) do
      sum = sum + v
    end
  end
  return sum
end
