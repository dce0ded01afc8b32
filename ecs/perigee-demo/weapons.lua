-- weapons.lua: turrets and towers pick a contact from the radar and shoot at it.

local ecs = require "ecs"
local components = require "components"
local prefabs = require "prefabs"
local radar = require "radar"
local geometry = require "lib.geometry"

local Position, Velocity = components.Position, components.Velocity
local Weapon, Bullet, Lifetime = components.Weapon, components.Bullet, components.Lifetime

local tuning = {
  bullet_speed = 420, -- units per second
  bored = 0.15,       -- seconds until the next look when nothing is in range
  spread = 0.06,      -- part of the bullet's speed that it may go astray
}

local function shoot(shooter, weapon, x, y, at_x, at_y)
  local speed = tuning.bullet_speed
  local vx, vy = geometry.toward(x, y, at_x, at_y, speed)
  local stray = speed * tuning.spread
  ecs.spawn(prefabs.bullet,
    Position { x = x, y = y },
    Velocity { x = vx + (ecs.random() - 0.5) * stray, y = vy + (ecs.random() - 0.5) * stray },
    Bullet { damage = weapon.damage, pierce = weapon.pierce, shooter = shooter },
    Lifetime { left = 1.2 * weapon.range / speed })
end

ecs.system "weapons.fire" {
  priority = 70, after = { "radar.queens" }, query = { Weapon, Position },
  kernel = "off", -- most of it is aiming, in tables of the radar that kernels do not have
  each = function(e, weapon, position, ctx)
    local now = ctx.time
    if now < weapon.ready then
      return
    end
    local x, y = position.x, position.y
    local at_x, at_y = radar.aim(x, y, weapon.range, tuning.bullet_speed, now)
    if not at_x then
      weapon.ready = now + tuning.bored
      return
    end
    weapon.ready = now + weapon.cooldown
    shoot(e, weapon, x, y, at_x, at_y)
  end,
}
