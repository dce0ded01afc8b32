-- Functions of any number of arguments.
local function sum(...)
  local total = 0
  for i = 1, select("#", ...) do
    total = total + (select(i, ...))
  end
  return total
end

local function packed(...)
  local list = { ... }
  return #list + list[1]
end

local function passed(f, ...) return f(...) end

return 100000, function()
  local all = 0
  for i = 1, 50000 do
    all = all + passed(sum, i, 2, 3, 4) + passed(packed, i, 1)
  end
  return all
end
