-- Reports with string.format.
return 20000, function()
  local size = 0
  for i = 1, 20000 do
    size = size + #string.format("%-10s %5d %8.2f %s", "unit", i, i / 7, tostring(i % 2 == 0))
  end
  return size
end
