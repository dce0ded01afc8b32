-- A function that remembers its results in a table.
local function memoise(f)
  local known = {}
  return function(n)
    local v = known[n]
    if v == nil then
      v = f(n)
      known[n] = v
    end
    return v
  end
end

return 20 * 36 * 36, function()
  local sum = 0
  for _ = 1, 20 do
    local ways
    ways = memoise(function(place)
      local x, y = math.floor(place / 1000), place % 1000
      if x == 0 or y == 0 then return 1 end
      return (ways(place - 1000) + ways(place - 1)) % 1000003
    end)
    for x = 1, 36 do
      for y = 1, 36 do sum = sum + ways(x * 1000 + y) end
    end
  end
  return sum
end
