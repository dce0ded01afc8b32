-- A function that changes a local around it.
local function counter()
  local n = 0
  return function(by)
    n = n + by
    return n
  end
end

return 500000, function()
  local count, sum = counter(), 0
  for _ = 1, 500000 do
    sum = sum + count(1)
  end
  return sum
end
