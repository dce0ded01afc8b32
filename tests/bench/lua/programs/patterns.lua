-- Settings are read with patterns.
local lines = {}
for i = 1, 100 do
  lines[i] = ("  unit%d.speed = %d  -- of kind %s"):format(i, i * 3, i % 2 == 0 and "fast" or "slow")
end
local text = table.concat(lines, "\n") .. "\n"

return 1000, function()
  local sum, words = 0, 0
  for _ = 1, 10 do
    for line in text:gmatch("([^\n]*)\n") do
      local name, value = line:match("^%s*([%w_.]+)%s*=%s*(%d+)")
      sum = sum + #name + tonumber(value)
    end
    local _, n = text:gsub("%a+", "<%0>")
    words = words + n
  end
  return sum + words
end
