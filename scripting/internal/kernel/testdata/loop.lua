-- A loop without a known end takes fuel; one of three turns does not.
function(e, p, v, ctx)
  local sum = 0
  for i = 1, 3 do
    if i == 2 then goto next end
    sum = sum + i
    ::next::
  end
  while sum < p.x do
    sum = sum * 2
    if sum > 100 then return end
  end
  p.y = sum
end
