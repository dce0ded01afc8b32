--- a loop with constant bounds
for i = 1, 4 do
  u.x = u.x + i
end
--- a loop that counts down
for i = 4, 1, -2 do
  u.x = u.x + i
end
--- a loop to a bound of the row takes fuel
for i = 1, u.x do
  u.y = u.y + i
end
--- a step of the row may be zero
for i = 1, 4, u.x do
  u.y = u.y + i
end
--- while takes fuel
while u.x > 1 do
  u.x = u.x / 2
end
--- repeat sees the locals of its body
repeat
  local a = u.x - 1
  u.x = a
until a < 1
--- break
while true do
  u.x = u.x - 1
  if u.x < 1 then
    break
  end
end
--- a loop to a boolean
for i = 1, §true do
end
--- pairs
§for k in pairs(u) do
end
--- a label at the end of repeat
repeat
  u.x = u.x + 1
  §::out::
until u.x > 3
--- a loop over a list
for i, v in ipairs(levels) do
  u.x = u.x + i * v
end
--- a loop over a list of tables
for _, spot in ipairs(spots) do
  u.x = u.x + spot.x
end
--- a loop over a long list
for i, v in ipairs(long) do
  u.x = u.x + v
end
--- a loop over an empty list
for i, v in ipairs(empty) do
  u.x = v
end
--- a loop over a list that is not read
for i in ipairs(levels) do
  u.x = u.x + i
end
--- a loop over a list with holes
for i in ipairs(§holes) do
  u.x = i
end
--- a loop over a field of the row
for i, v in ipairs(u.§slots) do
  u.x = v
end
--- a loop over the list of an item
for _, v in ipairs(grid[u.n]) do
  u.x = u.x + v
end
