-- 1,000 objects, which a cache holds: a field is read twice and written.
local count, dt = 1000, 0.016
local objects = {}
for i = 1, count do
  objects[i] = { x = i, y = 0, vx = i % 7, vy = 1 }
end

local function step(list, n, dt)
  for i = 1, n do
    local o = list[i]
    o.x = o.x + o.vx * dt
  end
end

return 200 * count, function()
  for _ = 1, 100 do
    step(objects, count, dt)
    step(objects, count, -dt)
  end
  return math.floor(objects[100].x + 0.5)
end
