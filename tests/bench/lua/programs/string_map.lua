-- A map with a thousand texts as keys, read and written.
local names = {}
for i = 1, 1000 do
  names[i] = "unit" .. i
end

local function count(map, list, n)
  for i = 1, n do
    local name = list[i]
    map[name] = (map[name] or 0) + i
  end
end

return 200000, function()
  local map = {}
  for _ = 1, 200 do
    count(map, names, 1000)
  end
  return map.unit10
end
