-- radar.lua: who is near? A coarse map of the swarm for everything that aims.
--
-- Seventy weapons that each look at ten thousand swarmers would be 700,000 looks.
-- So the arena is cut into cells, and a sweep notes one swarmer in each. A part
-- of the flocks at a time, and some of each flock, are enough to fill the map.
-- Queens stand out: they are kept in a list of their own.

local ecs = require "ecs"
local arena = require "arena"
local components = require "components"
local turns = require "lib.turns"

local Position, Velocity = components.Position, components.Velocity
local floor, sqrt = math.floor, math.sqrt

local tuning = {
  cell = 64,       -- units
  share = 6,       -- a sweep looks at every sixth flock,
  sample = 3,      -- and at every third swarmer in it
  fades = 0.6,     -- seconds after which a contact is forgotten
  queen_lure = 16, -- how many times nearer than the square of her distance says
}

local radar = {}

-- The map: for each cell that a swarmer was seen in, where it was, how it flew,
-- and when that was.
local columns = 1
local xs, ys, vxs, vys, times = {}, {}, {}, {}, {}

-- The queens: { x, y, vx, vy, time } each.
local queens = {}

local my_turn, sweeps = turns.every(tuning.share)

ecs.system "radar.sweep" {
  priority = 60, every = 0.05, query = { Position, Velocity, with = { components.Wander } },
  batch = function(b, ctx)
    if not my_turn(ctx.tick) then
      return
    end
    local x, y = b:read(Position, "x"), b:read(Position, "y")
    local vx, vy = b:read(Velocity, "x"), b:read(Velocity, "y")
    local size, time = tuning.cell, ctx.time
    columns = floor(arena.width() / size) + 1
    for i = ecs.random(tuning.sample), b.n, tuning.sample do
      local cell = floor(y[i] / size) * columns + floor(x[i] / size)
      xs[cell], ys[cell], vxs[cell], vys[cell], times[cell] = x[i], y[i], vx[i], vy[i], time
    end
  end,
}

ecs.system "radar.queens" {
  priority = 61, after = { "radar.sweep" }, every = 0.2,
  run = function(ctx)
    queens = {}
    for e in ecs.entities { components.Queen } do
      local position, velocity = ecs.get(e, Position), ecs.get(e, Velocity)
      queens[#queens + 1] = {
        x = position.x, y = position.y, vx = velocity.x, vy = velocity.y, time = ctx.time,
      }
    end
  end,
}

-- The nearest fresh contact on the map.
local function nearest_cell(x, y, range, oldest)
  local best, best_square = nil, range * range
  local size = tuning.cell
  for row = floor((y - range) / size), floor((y + range) / size) do
    for column = floor((x - range) / size), floor((x + range) / size) do
      local cell = row * columns + column
      if times[cell] and times[cell] > oldest then
        local dx, dy = xs[cell] - x, ys[cell] - y
        local square = dx * dx + dy * dy
        if square < best_square then
          best, best_square = cell, square
        end
      end
    end
  end
  return best, best_square
end

-- The first queen in range that lures more than what is at that distance.
local function lure(x, y, range, square_to_beat)
  for _, queen in ipairs(queens) do
    local dx, dy = queen.x - x, queen.y - y
    local square = dx * dx + dy * dy
    if square < range * range and square < square_to_beat * tuning.queen_lure then
      return queen
    end
  end
end

--- Where to shoot from (x, y) to hit what is nearest in range, with a bullet of
--- that speed; nil when nothing is near.
function radar.aim(x, y, range, bullet_speed, time)
  local cell, square = nearest_cell(x, y, range, time - tuning.fades)
  local seen = lure(x, y, range, square)
  if not seen then
    if not cell then
      return nil
    end
    seen = { x = xs[cell], y = ys[cell], vx = vxs[cell], vy = vys[cell], time = times[cell] }
  end
  local dx, dy = seen.x - x, seen.y - y
  local later = time - seen.time + sqrt(dx * dx + dy * dy) / bullet_speed
  return seen.x + seen.vx * later, seen.y + seen.vy * later
end

-- A saved game goes on with the map that it had.
ecs.on_save(function()
  return {
    columns = columns, xs = xs, ys = ys, vxs = vxs, vys = vys, times = times,
    queens = queens, sweeps = sweeps(),
  }
end)

ecs.on_load(function(saved)
  columns, times = saved.columns, saved.times
  xs, ys, vxs, vys = saved.xs, saved.ys, saved.vxs, saved.vys
  queens = saved.queens
  sweeps(saved.sweeps)
end)

return radar
