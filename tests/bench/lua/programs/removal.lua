-- A list of bullets from which the spent ones are removed.
return 100000, function()
  local bullets, spent = {}, 0
  for tick = 1, 1000 do
    bullets[#bullets + 1] = { x = tick, left = tick % 100 + 50 }
    local kept = 0
    for i = 1, #bullets do
      local b = bullets[i]
      b.x = b.x + 2
      b.left = b.left - 1
      if b.left > 0 then
        kept = kept + 1
        bullets[kept] = b
      else
        spent = spent + 1
      end
    end
    for i = #bullets, kept + 1, -1 do bullets[i] = nil end
  end
  return spent
end
