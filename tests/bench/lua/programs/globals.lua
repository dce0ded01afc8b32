-- Functions and counters that are globals, as in first scripts.
total = 0

function score(n)
  if n % 3 == 0 then
    total = total + 2
  else
    total = total + 1
  end
  return total
end

return 500000, function()
  total = 0
  for i = 1, 500000 do
    score(i)
  end
  return total
end
