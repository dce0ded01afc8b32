-- Five bodies that attract each other: fields of a few objects and arithmetic.
local sqrt = math.sqrt

local function system()
  local list = {}
  for i = 1, 5 do
    list[i] = { x = i, y = i * 2, z = i * 3, vx = 0, vy = 0, vz = 0, mass = i }
  end
  return list
end

local function advance(list, n, dt)
  for i = 1, n do
    local a = list[i]
    local ax, ay, az, mass = a.x, a.y, a.z, a.mass
    local vx, vy, vz = a.vx, a.vy, a.vz
    for k = i + 1, n do
      local b = list[k]
      local dx, dy, dz = ax - b.x, ay - b.y, az - b.z
      local square = dx * dx + dy * dy + dz * dz
      local force = dt / (sqrt(square) * square)
      local pull = b.mass * force
      vx, vy, vz = vx - dx * pull, vy - dy * pull, vz - dz * pull
      pull = mass * force
      b.vx, b.vy, b.vz = b.vx + dx * pull, b.vy + dy * pull, b.vz + dz * pull
    end
    a.vx, a.vy, a.vz = vx, vy, vz
    a.x, a.y, a.z = ax + dt * vx, ay + dt * vy, az + dt * vz
  end
end

return 10000, function()
  local list = system()
  for _ = 1, 10000 do
    advance(list, 5, 0.01)
  end
  return list[1].x
end
