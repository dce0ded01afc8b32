-- Functions that are made, called once and forgotten.
local function adder(a)
  return function(b) return a + b end
end

return 300000, function()
  local sum = 0
  for i = 1, 300000 do
    sum = sum + adder(i)(1)
  end
  return sum
end
