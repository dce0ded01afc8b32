-- Products of matrices that are lists of lists.
local function filled(n, f)
  local m = {}
  for r = 1, n do
    local row = {}
    for c = 1, n do row[c] = f(r, c) end
    m[r] = row
  end
  return m
end

local function product(a, b, n)
  return filled(n, function(r, c)
    local row, sum = a[r], 0
    for k = 1, n do sum = sum + row[k] * b[k][c] end
    return sum
  end)
end

return 60 ^ 3, function()
  local n = 60
  local a = filled(n, function(r, c) return (r + c) % 5 + 1 end)
  local b = filled(n, function(r, c) return (r * c) % 3 + r end)
  local m = product(a, b, n)
  return m[7][9] + m[n][n]
end
