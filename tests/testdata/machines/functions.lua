-- functions.lua: a game of numbers. Every function of math and every operator meets
-- numbers that the seed decides, in compiled functions and on the virtual machine. The
-- checksum of the world at the end is the same on every machine.

local ecs = require "ecs"

local Seed = ecs.component("Seed", { x = ecs.f64(0), y = ecs.f64(0), turns = ecs.f64(0) })
local Angles = ecs.component("Angles", { s = ecs.f64(0), c = ecs.f64(0), t = ecs.f64(0), a = ecs.f64(0), b = ecs.f64(0) })
local Growth = ecs.component("Growth", { e = ecs.f64(0), l = ecs.f64(0), p = ecs.f64(0), h = ecs.f32(0), m = ecs.f64(0) })

local game = { entities = 500, magnitudes = 40 }

-- A number of any size and sign.
local function anything()
  return (math.random() - 0.5) * 2 ^ math.random(-game.magnitudes, game.magnitudes)
end

ecs.on_start(function()
  for _ = 1, game.entities do
    ecs.spawn(Seed { x = anything(), y = anything() }, Angles {}, Growth {})
  end
end)

ecs.system "angles" {
  query = { Seed, Angles },
  each = function(_, seed, angles)
    angles.s = math.sin(seed.x) + math.cos(seed.y) * 0.5
    angles.c = math.cos(seed.x) * seed.y + angles.c
    angles.t = math.tan(seed.y) + math.atan(seed.x)
    angles.a = math.atan2(seed.y, seed.x) + angles.s * angles.c
    angles.b = math.asin(angles.s / 2) + math.acos(math.sin(seed.y))
  end,
}

ecs.system "growth" {
  query = { Seed, Growth },
  each = function(_, seed, growth)
    local near = seed.x % 7.3
    growth.e = math.exp(near) + math.exp(-near)
    growth.l = math.log(math.abs(seed.y)) + math.log10(math.abs(seed.x))
    growth.p = math.abs(seed.x) ^ (near / 10) + near ^ 2 + math.sqrt(near)
    growth.h = math.sinh(near) - math.cosh(near) * math.tanh(seed.y)
    growth.m = math.fmod(seed.y, 0.37) + seed.y % -0.21
  end,
}

local some = { math.sin, math.cos, math.tan, math.atan, math.exp, math.tanh }

-- On the virtual machine, as a call of an item of a table is not compiled.
ecs.system "wander" {
  query = { Seed, Angles },
  every = 0.1,
  each = function(_, seed, angles)
    local f = some[math.random(#some)]
    local v = f(seed.x) * 0.75 + f(angles.a) ^ 3 % 11
    if v == v and math.abs(v) < 1e9 and math.random(10) == 1 then
      seed.x, seed.y = seed.y * 1.25 + v, anything()
      seed.turns = seed.turns + #tostring(v)
    end
  end,
}
