-- Keys that are joined from numbers.
return 100000, function()
  local seen, count = {}, 0
  for i = 1, 100000 do
    local key = (i % 100) .. ":" .. (i % 7)
    if not seen[key] then
      seen[key] = i
      count = count + 1
    end
  end
  return count
end
