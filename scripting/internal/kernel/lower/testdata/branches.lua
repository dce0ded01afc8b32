--- elseif
if u.x > 3 then
  u.y = 3
elseif u.x > 2 then
  u.y = 2
else
  u.y = 1
end
--- a row that is done early
if u.on then
  return
end
u.x = 1
--- goto to the end of a block around it
for i = 1, 3 do
  if u.on then
    goto continue
  end
  u.x = u.x + i
  ::continue::
end
--- goto backwards
§::again::
u.x = u.x + 1
if u.x < 5 then
  goto again
end
--- a label in the middle of a block
do
  §goto middle
  ::middle::
  u.x = 1
end
--- a constant condition
if true then
  u.x = 1
else
  u.x = 2
end
