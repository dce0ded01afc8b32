-- Rules with many conditions on texts and numbers.
local kinds = { "fire", "ice", "stone", "wind", "none" }

local function damage(kind, target, n)
  if kind == "fire" then
    if target == "ice" then return n * 2 elseif target == "stone" then return n / 2 end
    return n
  elseif kind == "ice" then
    return target ~= "fire" and n or 0
  elseif kind == "stone" and n > 3 then
    return n + 1
  elseif kind == "wind" or not target then
    return 1
  end
  return 0
end

return 500000, function()
  local sum = 0
  for i = 1, 500000 do
    sum = sum + damage(kinds[i % 5 + 1], kinds[i % 3 + 1], i % 7)
  end
  return sum
end
