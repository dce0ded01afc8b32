-- 100,000 objects, more than a cache holds: a field is read twice and written.
local count, dt = 100000, 0.016
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

return 2 * count, function()
  step(objects, count, dt)
  step(objects, count, -dt)
  return math.floor(objects[100].x + 0.5)
end
