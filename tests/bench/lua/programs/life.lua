-- The game of life on lists of lists.
local size = 48

local function step(from, to)
  for y = 1, size do
    local above, row, below = from[y > 1 and y - 1 or size], from[y], from[y < size and y + 1 or 1]
    local out = to[y]
    for x = 1, size do
      local l, r = x > 1 and x - 1 or size, x < size and x + 1 or 1
      local n = above[l] + above[x] + above[r] + row[l] + row[r] + below[l] + below[x] + below[r]
      out[x] = (n == 3 or n == 2 and row[x] == 1) and 1 or 0
    end
  end
end

return 20 * size * size, function()
  local a, b = {}, {}
  for y = 1, size do
    a[y], b[y] = {}, {}
    for x = 1, size do a[y][x] = (x * 3 + y * 7 + x * y) % 5 < 2 and 1 or 0 end
  end
  for _ = 1, 10 do
    step(a, b)
    step(b, a)
  end
  local living = 0
  for y = 1, size do
    for x = 1, size do living = living + a[y][x] end
  end
  return living
end
