-- All orders of eight things, by swapping in place.
local function each(list, n, f)
  if n <= 1 then return f(list) end
  for i = 1, n do
    list[i], list[n] = list[n], list[i]
    each(list, n - 1, f)
    list[i], list[n] = list[n], list[i]
  end
end

return 109601, function()
  local count = 0
  each({ 1, 2, 3, 4, 5, 6, 7, 8 }, 8, function(list)
    if list[1] < list[8] then count = count + 1 end
  end)
  return count
end
