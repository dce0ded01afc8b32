-- Eight queens on a board: recursion, comparisons and a list of numbers.
local size = 8

local function free(rows, column, row)
  for c = 1, column - 1 do
    local r = rows[c]
    if r == row or r - c == row - column or r + c == row + column then return false end
  end
  return true
end

local function place(rows, column)
  if column > size then return 1 end
  local found = 0
  for row = 1, size do
    if free(rows, column, row) then
      rows[column] = row
      found = found + place(rows, column + 1)
    end
  end
  return found
end

return 15720, function()
  return place({}, 1)
end
