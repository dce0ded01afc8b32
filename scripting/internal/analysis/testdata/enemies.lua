-- One of each fact that is known of a text.
local ecs = require "ecs"
local host = require "host"
local C = require "components"
local lib = require "lib.vector"
local speed, half = 12, 0.5
local floor = math.floor

local Boss = ecs.tag "Boss"

ecs.system "enemies.move" {
  query = { C.Position, C.Velocity, with = { C.Enemy, Boss or nil }, without = C.Frozen },
  after = "input",
  each = function(e, pos, vel, ctx)
    if vel.x ~= 0 and floor(pos.x) < speed then
      pos.x = pos.x + vel.x * ctx.dt * speed
    end
    pos.y = pos.y - half
  end,
}

ecs.system "enemies.keep" {
  query = { C.Position, C.Target },
  each = function(e, pos, target)
    lib.note(target)
    for _, name in ipairs { "x", "y" } do pos[name] = target.x end
  end,
}

ecs.system "enemies.batch" {
  query = { C.Position },
  batch = function(b)
    local x = b:write(C.Position, "x")
    for i = 1, b.n do x[i] = math.max(x[i], host.floor_of(i)) end
  end,
}

local gravity = ecs.kernel("gravity", { C.Velocity }, function(e, vel, dt)
  vel.y = vel.y - 9.81 * dt
end, { kernel = "require" })

local function spawn_at(place)
  local options = { with = { C.Position }, any = place }
  lib.last = ecs.count(options)
  if false then ecs.no_such() end
  return pcall(function() ecs.despawn("nobody") end), host.spawn_point(place) * math.tau
end

function C.reset(e)
  e.hp = 0
  ecs.remove(e, Boss)
  table.insrt(C.list, e)
end

return { spawn_at = spawn_at, gravity = gravity }
