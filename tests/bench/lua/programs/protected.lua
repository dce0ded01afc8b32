-- Protected calls that succeed.
local function same(x) return x end

return 300000, function()
  local sum = 0
  for i = 1, 300000 do
    local ok, v = pcall(same, i)
    sum = sum + v
  end
  return sum
end
