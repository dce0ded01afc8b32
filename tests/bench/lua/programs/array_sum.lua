-- The sum of a list of numbers.
local list = {}
for i = 1, 10000 do
  list[i] = i * 1.5
end

local function sum(t, n)
  local s = 0
  for i = 1, n do
    s = s + t[i]
  end
  return s
end

return 1000000, function()
  local all = 0
  for _ = 1, 100 do
    all = all + sum(list, 10000)
  end
  return all
end
