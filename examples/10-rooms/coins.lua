-- coins.lua: there are always some coins to pick up.

local ecs = require "ecs"

local Position = ecs.native("Position")
local Collider = ecs.native("Collider")
local Look = ecs.native("Look")
local Coin = ecs.tag("Coin")
local arena = ecs.resource("Arena")

local tuning = { coins = 20, radius = 10 }

ecs.system "coins.grow" {
  every = 0.2,
  run = function()
    if ecs.count(Coin) < tuning.coins then
      ecs.spawn(Coin, Look { kind = 2 }, Collider { radius = tuning.radius, layer = 2 },
        Position { x = ecs.random() * arena.width, y = ecs.random() * arena.height })
    end
  end,
}
