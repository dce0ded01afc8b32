-- Quicksort in Lua with a function that compares.
local floor = math.floor

local function sort(t, low, high, before)
  while low < high do
    local pivot, i, k = t[floor((low + high) / 2)], low, high
    while i <= k do
      while before(t[i], pivot) do i = i + 1 end
      while before(pivot, t[k]) do k = k - 1 end
      if i <= k then
        t[i], t[k] = t[k], t[i]
        i, k = i + 1, k - 1
      end
    end
    if k - low < high - i then
      sort(t, low, k, before)
      low = i
    else
      sort(t, i, high, before)
      high = k
    end
  end
end

return 20000, function()
  local list, state = {}, 42
  for i = 1, 20000 do
    state = state * 16807 % 2147483647
    list[i] = { key = state }
  end
  sort(list, 1, #list, function(a, b) return a.key < b.key end)
  return list[1].key + list[777].key
end
