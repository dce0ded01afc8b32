-- The ten workloads over column tables: an array of numbers for each field, as
-- ECS libraries in Lua hand them out. Start, order and arithmetic are those of the
-- other programs, so that all come to the same numbers to the last bit.
--
-- The file returns a function that makes workloads of n entities.

local n
local dt = 1 / 60
local sqrt, floor = math.sqrt, math.floor

-- A generator so simple that every language draws the same numbers.
local function generator()
  local state = 12345
  return function(low, high)
    state = state * 48271 % 2147483647
    return low + (high - low) * (state / 2147483647)
  end
end

-- columns makes as many as there are ranges, drawing row by row.
local function columns(...)
  local ranges, random, made = { ... }, generator(), {}
  for c = 1, #ranges do
    made[c] = {}
  end
  for i = 1, n do
    for c = 1, #ranges do
      made[c][i] = random(ranges[c][1], ranges[c][2])
    end
  end
  return made
end

local function bodies()
  local box, speed = { 0, 1000 }, { -100, 100 }
  local c = columns(box, box, speed, speed)
  return c[1], c[2], c[3], c[4]
end

-- Each workload returns its tick; the columns to add up, grouped as they lie in
-- structs; and where there are such things, what follows a tick outside of the
-- measured time, a function that returns more numbers to add up, and whether the
-- entities have no fixed place.
local workloads = {}

function workloads.integrate()
  local x, y, vx, vy = bodies()
  return function()
    for i = 1, n do
      x[i] = x[i] + vx[i] * dt
      y[i] = y[i] + vy[i] * dt
    end
  end, { { x, y }, { vx, vy } }
end

function workloads.bounce()
  local x, y, vx, vy = bodies()
  local size = 1000
  return function()
    for i = 1, n do
      local dx, dy = vx[i], vy[i]
      local px, py = x[i] + dx * dt, y[i] + dy * dt
      x[i], y[i] = px, py
      if px < 0 or px > size then
        vx[i] = -dx
      end
      if py < 0 or py > size then
        vy[i] = -dy
      end
    end
  end, { { x, y }, { vx, vy } }
end

function workloads.spring()
  local c = columns({ -1, 1 }, { -1, 1 }, { 10, 40 }, { 0.5, 2 })
  local value, target, stiffness, damping, speed = c[1], c[2], c[3], c[4], {}
  for i = 1, n do
    speed[i] = 0
  end
  return function()
    for i = 1, n do
      local x, v = value[i], speed[i]
      v = v + ((target[i] - x) * stiffness[i] - v * damping[i]) * dt
      speed[i] = v
      value[i] = x + v * dt
    end
  end, { { value, speed }, { target, stiffness, damping } }
end

-- Handles are looked up in a table from the handle to the place in the columns.
function workloads.steer()
  local x, y, vx, vy = bodies()
  local place, random = {}, generator()
  local a, b, c, d = {}, {}, {}, {}
  for i = 1, n do
    place[i] = i
    for _, mates in ipairs { a, b, c, d } do
      mates[i] = (i + floor(random(0, 1) * 64)) % n + 1
    end
  end
  local cohesion, drag = 0.8, 0.25
  return function()
    for i = 1, n do
      local sx, sy = 0, 0
      local at = place[a[i]]
      if at then
        sx, sy = sx + x[at], sy + y[at]
      end
      at = place[b[i]]
      if at then
        sx, sy = sx + x[at], sy + y[at]
      end
      at = place[c[i]]
      if at then
        sx, sy = sx + x[at], sy + y[at]
      end
      at = place[d[i]]
      if at then
        sx, sy = sx + x[at], sy + y[at]
      end
      vx[i] = vx[i] + ((sx / 4 - x[i]) * cohesion - vx[i] * drag) * dt
      vy[i] = vy[i] + ((sy / 4 - y[i]) * cohesion - vy[i] * drag) * dt
    end
    for i = 1, n do
      x[i] = x[i] + vx[i] * dt
      y[i] = y[i] + vy[i] * dt
    end
  end, { { x, y }, { vx, vy } }
end

function workloads.regen()
  local c = columns({ 0, 100 }, { 100, 200 }, { 0, 1 })
  local hp, most, regen = c[1], c[2], c[3]
  local min = math.min
  return function()
    for i = 1, n do
      hp[i] = min(most[i], hp[i] + regen[i] * dt)
    end
  end, { { hp, most, regen } }
end

-- The last entity takes the place of one that is gone. As many come as have gone.
function workloads.cooldown()
  local left, entity, place, free = {}, {}, {}, {}
  local random, alive = generator(), n
  for i = 1, n do
    left[i], entity[i], place[i] = random(0, 2), i, i
  end
  local function tick()
    local i = 1
    while i <= alive do
      local now = left[i] - dt
      left[i] = now
      if now > 0 then
        i = i + 1
      else
        local gone, last = entity[i], entity[alive]
        left[i], entity[i], place[last] = left[alive], last, i
        left[alive], entity[alive], place[gone] = nil, nil, nil
        free[#free + 1] = gone
        alive = alive - 1
      end
    end
  end
  local function after()
    while alive < n do
      alive = alive + 1
      local e = free[#free]
      free[#free] = nil
      left[alive], entity[alive], place[e] = random(1, 3), e, alive
    end
  end
  return tick, { { left } }, after, nil, true
end

-- What is emitted goes into lists, which readers empty after the tick.
function workloads.damage()
  local most, share, rate = {}, {}, {}
  local random, left = generator(), {}
  for i = 1, n do
    most[i] = random(50, 150)
    left[i] = most[i] * random(0, 1)
    rate[i] = random(20, 40)
  end
  local victims, excesses, died = {}, {}, 0
  local seen, excess = 0, 0
  local function tick()
    for i = 1, n do
      local now = left[i] - rate[i] * dt
      if now <= 0 then
        died = died + 1
        victims[died], excesses[died] = i, -now
        now = most[i]
      end
      left[i] = now
    end
  end
  local function after()
    for k = 1, died do
      seen, excess = seen + 1, excess + excesses[k]
    end
    died = 0
  end
  return tick, { { left, most } }, after, function() return seen, excess end
end

function workloads.states()
  local c = columns({ 20, 100 }, { 0.5, 2 }, { 0, 2 }, { 0, 1 })
  local stamina, nerve, timer, mode = c[1], c[2], c[3], c[4]
  local rest, watch, chase, flee = 0, 1, 2, 3
  for i = 1, n do
    mode[i] = floor(mode[i] * 4)
  end
  return function()
    for i = 1, n do
      local m = mode[i]
      if m == rest then
        local s = stamina[i] + 10 * dt
        stamina[i] = s
        if s >= 100 then
          mode[i], timer[i] = watch, 2
        end
      elseif m == watch then
        local t = timer[i] - nerve[i] * dt
        timer[i] = t
        if t <= 0 then
          mode[i] = chase
        end
      elseif m == chase then
        local s = stamina[i] - 25 * dt
        stamina[i] = s
        if s <= 20 then
          mode[i], timer[i] = flee, 1.5
        end
      else
        stamina[i] = stamina[i] - 5 * dt
        local t = timer[i] - dt
        timer[i] = t
        if t <= 0 then
          mode[i] = rest
        end
      end
    end
  end, { { mode, stamina, timer, nerve } }
end

function workloads.fade()
  local c = columns({ 1, 3 }, { 0, 1 }, { 1, 4 })
  local life, age, width, size, alpha = c[1], c[2], c[3], {}, {}
  for i = 1, n do
    age[i], size[i], alpha[i] = life[i] * age[i], 0, 0
  end
  return function()
    for i = 1, n do
      local a = age[i] + dt
      if a >= life[i] then
        a = a - life[i]
      end
      local left = 1 - a / life[i]
      age[i] = a
      alpha[i] = left * left
      size[i] = width[i] * (0.25 + 0.75 * left)
    end
  end, { { age, life, width, size, alpha } }
end

-- Around the ring: from the next body to the body itself.
function workloads.nbody()
  local c = columns({ 0, 1000 }, { 0, 1000 }, { 1, 100 })
  local x, y, mass, vx, vy = c[1], c[2], c[3], {}, {}
  for i = 1, n do
    vx[i], vy[i] = 0, 0
  end
  local function pull(px, py, ax, ay, from, to)
    for j = from, to do
      local dx, dy = x[j] - px, y[j] - py
      local square = dx * dx + dy * dy + 25
      local force = mass[j] / (square * sqrt(square))
      ax, ay = ax + dx * force, ay + dy * force
    end
    return ax, ay
  end
  return function()
    for i = 1, n do
      local ax, ay = pull(x[i], y[i], 0, 0, i + 1, n)
      ax, ay = pull(x[i], y[i], ax, ay, 1, i)
      vx[i] = vx[i] + ax * dt
      vy[i] = vy[i] + ay * dt
    end
    for i = 1, n do
      x[i] = x[i] + vx[i] * dt
      y[i] = y[i] + vy[i] * dt
    end
  end, { { x, y, mass }, { vx, vy } }
end

return function(name, entities)
  n = entities
  return workloads[name]()
end
