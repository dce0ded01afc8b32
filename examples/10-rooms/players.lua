-- players.lua: what a player steers, and what picking up a coin is worth.

local ecs = require "ecs"

local Velocity = ecs.native("Velocity") -- of the kit, which moves whatever has one
local Steering = ecs.native("Steering") -- what the client asks for, from -1 to 1
local Look = ecs.native("Look") -- what clients see of an entity
local Collision = ecs.native_event("Collision")

local tuning = { speed = 300 } -- units per second
local kinds = { player = 1, coin = 2 }

ecs.system "players.steer" {
  phase = "input",
  query = { Velocity, Steering },
  each = function(_, velocity, steering)
    velocity.x = steering.x * tuning.speed
    velocity.y = steering.y * tuning.speed
  end,
}

ecs.system "players.collect" {
  phase = "physics", after = { "kit.collide" },
  on = Collision,
  each = function(touch)
    if ecs.get(touch.b, Look, "kind") == kinds.coin and ecs.alive(touch.a) then
      ecs.set(touch.a, Look { points = ecs.get(touch.a, Look, "points") + 1 })
      ecs.despawn(touch.b)
    end
  end,
}
