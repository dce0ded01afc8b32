-- table.sort of records by a field.
return 5000, function()
  local list, state = {}, 7
  for i = 1, 5000 do
    state = state * 16807 % 2147483647
    list[i] = { name = "unit" .. i, score = state % 1000000 }
  end
  table.sort(list, function(a, b) return a.score > b.score end)
  return list[1].score - list[5000].score
end
