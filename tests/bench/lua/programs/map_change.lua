-- A map that is walked, filled and emptied.
return 60000, function()
  local sum = 0
  for round = 1, 20 do
    local map = {}
    for i = 1, 1000 do map["id" .. (i + round)] = i end
    for k, v in pairs(map) do
      if v % 2 == 0 then map[k] = nil else map[k] = v * 2 end
    end
    for _, v in pairs(map) do sum = sum + v end
  end
  return sum
end
