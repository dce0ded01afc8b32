-- Lists are walked with ipairs, filtered and mapped by functions.
local function filter(list, f)
  local out = {}
  for _, v in ipairs(list) do
    if f(v) then out[#out + 1] = v end
  end
  return out
end

local function map(list, f)
  local out = {}
  for i, v in ipairs(list) do out[i] = f(v) end
  return out
end

local numbers = {}
for i = 1, 1000 do numbers[i] = i end

return 60000, function()
  local sum = 0
  for _ = 1, 20 do
    local squares = map(numbers, function(v) return v * v end)
    local some = filter(squares, function(v) return v % 3 == 1 end)
    for _, v in ipairs(some) do sum = sum + v end
  end
  return sum
end
