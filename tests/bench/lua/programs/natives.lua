-- Calls of a function of the library.
local floor = math.floor

return 1000000, function()
  local sum = 0
  for i = 1, 1000000 do
    sum = sum + floor(i * 0.5)
  end
  return sum
end
