-- Small tables with three fields that soon are garbage.
return 200000, function()
  local sum = 0
  for i = 1, 200000 do
    local p = { x = i, y = 2, z = 3 }
    sum = sum + p.x + p.z
  end
  return sum
end
