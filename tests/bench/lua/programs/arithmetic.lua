-- Arithmetic on locals.
return 2000000, function()
  local s = 0
  for i = 1, 2000000 do
    s = s + i * 0.5 - s / 3
  end
  return s
end
