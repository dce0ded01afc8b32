-- pilot.lua: the ship of the one who plays. W, A, S and D fly it, the pointer aims and shoots.
--
-- Loot is the score. When the swarm has the ship, the camera shows the whole arena; the next
-- shot launches a new one. Nobody has to play: the others fight on.

local ecs = require "ecs"
local arena = require "arena"
local components = require "components"
local events = require "events"
local prefabs = require "prefabs"
local geometry = require "lib.geometry"

local Position, Velocity = components.Position, components.Velocity
local Camera, Label, Shape = components.Camera, components.Label, components.Shape
local Pilot = components.Pilot

local tuning = {
  speed = 330,        -- units per second
  haste = 7,          -- how fast it answers, per second
  reload = 0.09,      -- seconds between two shots
  bullet_speed = 620,
  bullet_seconds = 0.75,
  damage = 9, pierce = 2,
  near = 900,         -- height of what the camera shows around the ship,
  far = 2640,         -- and without one, in units
}

-- What the one who plays does: keys, the pointer, a stick.
local input = ecs.resource("Input")

local state = ecs.state("pilot", { score = 0, best = 0, ready = 0, launched = false })

local function launch()
  local x, y = arena.at(0.5, 0.5)
  ecs.spawn(prefabs.pilot, Position { x = x, y = y })
  state.score, state.launched = 0, true
end

ecs.on_start(function()
  local x, y = arena.at(0.5, 0.5)
  ecs.spawn(Camera { height = tuning.far, background = 0x0a0e1a }, Position { x = x, y = y })
  ecs.spawn(Label { text = "", size = 22 })
  ecs.spawn(Label { text = "", size = 13, color = 0x9fb0d4 })
end)

ecs.system "pilot.launch" {
  phase = "input", priority = 10,
  run = function()
    if input.fire_pressed and ecs.count { Pilot } == 0 then
      launch()
    end
  end,
}

ecs.system "pilot.fly" {
  phase = "input", priority = 11, query = { Position, Velocity, Shape, with = { Pilot } },
  each = function(_, position, velocity, shape, ctx)
    local part = math.min(1, tuning.haste * ctx.dt)
    velocity.x = velocity.x + (input.x * tuning.speed - velocity.x) * part
    velocity.y = velocity.y + (input.y * tuning.speed - velocity.y) * part
    shape.angle = math.atan2(input.pointer_y - position.y, input.pointer_x - position.x)
  end,
}

ecs.system "pilot.fire" {
  phase = "input", priority = 12, query = { Position, with = { Pilot } },
  each = function(e, position, ctx)
    if not input.fire or ctx.time < state.ready then
      return
    end
    state.ready = ctx.time + tuning.reload
    local x, y = position.x, position.y
    local vx, vy = geometry.toward(x, y, input.pointer_x, input.pointer_y, tuning.bullet_speed)
    ecs.spawn(prefabs.bullet,
      Position { x = x, y = y }, Velocity { x = vx, y = vy },
      components.Bullet { damage = tuning.damage, pierce = tuning.pierce, shooter = e },
      components.Lifetime { left = tuning.bullet_seconds })
  end,
}

ecs.system "pilot.gather" {
  priority = 36, after = { "contacts.sort" }, on = events.Picked,
  each = function(found)
    if ecs.has(found.carrier, Pilot) then
      state.score = state.score + found.value
      state.best = math.max(state.best, state.score)
    end
  end,
}

-- The camera glides to the ship, and up to see everything when there is none.
ecs.system "pilot.camera" {
  phase = "render",
  run = function(ctx)
    local eye, ship = ecs.find { Camera }, ecs.find { Pilot }
    local position, height = ecs.get(eye, Position), ecs.get(eye, Camera, "height")
    local part, to_height = math.min(1, 4 * ctx.dt), tuning.far
    local to_x, to_y = arena.at(0.5, 0.5)
    if ship then
      local at = ecs.get(ship, Position)
      to_x, to_y, to_height = at.x, at.y, tuning.near
    end
    local x = position.x + (to_x - position.x) * part
    local y = position.y + (to_y - position.y) * part
    height = height + (to_height - height) * part
    ecs.set(eye, Position { x = x, y = y }, Camera { height = height })
  end,
}

-- Bars show what is left of those that have one.
ecs.system "bars.follow" {
  phase = "render", priority = 1, query = { components.Bar, components.Health },
  each = function(_, bar, health)
    bar.value, bar.max = health.hp, health.max
  end,
}

local function words()
  if ecs.count { Pilot } > 0 then
    return string.format("%d", state.score), "WASD to fly, the pointer to aim and shoot"
  elseif state.launched then
    return string.format("The swarm got you: %d", state.score),
      string.format("best %d, click to fly again", state.best)
  end
  return "", "click to launch a ship of your own"
end

ecs.system "pilot.words" {
  phase = "render", priority = 2, every = 0.2,
  run = function()
    local score, hint = words()
    for e in ecs.entities { Label } do
      local size = ecs.get(e, Label, "size")
      ecs.set(e, Label { text = size > 20 and score or hint })
    end
  end,
}
