-- Coroutines that yield ten thousand times each.
local function counter(n)
  return coroutine.wrap(function()
    for i = 1, n do
      coroutine.yield(i)
    end
  end)
end

return 200000, function()
  local sum = 0
  for _ = 1, 20 do
    local next_number = counter(10000)
    for _ = 1, 10000 do
      sum = sum + next_number()
    end
  end
  return sum
end
