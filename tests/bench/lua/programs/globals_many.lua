-- Globals of a game in one file: more names than a record has.
for i = 1, 200 do
  _G["level_" .. i] = i
end
gold, wood, food = 0, 0, 0

function gather(n)
  if n % 3 == 0 then
    gold = gold + level_7
  elseif n % 3 == 1 then
    wood = wood + level_150
  else
    food = food + level_199
  end
end

return 300000, function()
  gold, wood, food = 0, 0, 0
  for i = 1, 300000 do
    gather(i)
  end
  return gold + wood + food
end
