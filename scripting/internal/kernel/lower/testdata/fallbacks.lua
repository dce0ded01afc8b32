--- a line in the log where few rows come
if u.x > 9 then
  ecs.§log("high")
end
u.x = u.x + 1
--- after a way out
if u.x < 9 then
  return
end
ecs.§log("high")
--- the innermost branch
if u.on then
  u.x = 1
  if u.x > 9 then
    u.y = 2
    §print(u.x)
  else
    u.y = 3
  end
end
--- every row comes there
u.x = 1
ecs.§log("all")
--- both arms
if u.on then
  ecs.§log("on")
else
  ecs.log("off")
end
