-- table.insert and table.remove within a short list.
return 100000, function()
  local list = {}
  for i = 1, 20 do list[i] = i end
  for i = 1, 50000 do
    table.insert(list, i % 20 + 1, i)
    table.remove(list, (i * 7) % 20 + 1)
  end
  return #list + list[3]
end
