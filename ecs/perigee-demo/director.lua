-- director.lua: decides what comes into the arena, how much of it, and when.
--
-- A wave chooses a mix of swarmers and a side of the arena. Between waves the
-- director tops the arena up to a steady number of entities, a burst at a time.

local ecs = require "ecs"
local arena = require "arena"
local components = require "components"
local events = require "events"
local prefabs = require "prefabs"

local Position, Velocity = components.Position, components.Velocity

local tuning = {
  population = 10000,     -- entities alive, of all kinds
  burst = 300,            -- at most so many new ones per call of director.fill
  wave_seconds = 12,
  queen_every = 3,        -- each third wave brings a queen
  queens = 2,             -- at most so many at once
  gate_spread = 0.18,     -- width of a gate, as a part of the arena
  launch_speed = 60,      -- units per second, inwards
}

-- Each wave takes the next row, and begins again after the last. The numbers
-- are weights: how many of ten new swarmers are of that kind.
local waves = {
  { name = "drones",           gate = "north", drone = 10, wasp = 0, brute = 0 },
  { name = "wasps",            gate = "east",  drone = 5,  wasp = 5, brute = 0 },
  { name = "brutes",           gate = "south", drone = 7,  wasp = 0, brute = 3 },
  { name = "everything",       gate = "west",  drone = 4,  wasp = 4, brute = 2 },
  { name = "wasps and brutes", gate = "north", drone = 0,  wasp = 7, brute = 3 },
}

-- Where a gate is, in parts of the arena, and which way is in.
local gates = {
  north = { x = 0.5, y = 0.97, in_x = 0, in_y = -1 },
  east = { x = 0.97, y = 0.5, in_x = -1, in_y = 0 },
  south = { x = 0.5, y = 0.03, in_x = 0, in_y = 1 },
  west = { x = 0.03, y = 0.5, in_x = 1, in_y = 0 },
}

-- Kept when this file is edited while the game runs.
local state = ecs.state("director", { wave = 0, killed = 0, queens_killed = 0 })

local function current()
  return waves[(state.wave - 1) % #waves + 1]
end

-- Draws a kind of swarmer by the weights of the wave.
local function choose(wave)
  local draw = ecs.random(10)
  if draw <= wave.drone then
    return prefabs.drone
  elseif draw <= wave.drone + wave.wasp then
    return prefabs.wasp
  end
  return prefabs.brute
end

-- A place in the gate, and the velocity of something that comes out of it.
local function entrance(gate)
  local aside = (ecs.random() - 0.5) * tuning.gate_spread
  local x, y = arena.at(gate.x + aside * gate.in_y, gate.y + aside * gate.in_x)
  local speed = tuning.launch_speed
  return Position { x = x, y = y }, Velocity { x = gate.in_x * speed, y = gate.in_y * speed }
end

local function send_queen(gate)
  if ecs.count { components.Queen } < tuning.queens then
    ecs.spawn(prefabs.queen, entrance(gate))
  end
end

ecs.on_start(function()
  ecs.after(0, "director.wave")
  ecs.every(tuning.wave_seconds, "director.wave")
end)

ecs.handler("director.wave", function()
  state.wave = state.wave + 1
  local wave = current()
  ecs.log(string.format("wave %d: %s from the %s, %d killed so far",
    state.wave, wave.name, wave.gate, state.killed))
  if state.wave % tuning.queen_every == 0 then
    send_queen(gates[wave.gate])
  end
end)

ecs.system "director.fill" {
  priority = 10, every = 0.1,
  run = function()
    local missing = tuning.population - ecs.count { Position }
    local wave = current()
    local gate = gates[wave.gate]
    for _ = 1, math.min(missing, tuning.burst) do
      ecs.spawn(choose(wave), entrance(gate))
    end
  end,
}

ecs.system "director.kills" {
  priority = 11, after = { "damage.apply" }, on = events.Killed,
  each = function(killed)
    state.killed = state.killed + 1
    if killed.kind == "queen" then
      state.queens_killed = state.queens_killed + 1
      ecs.log(string.format("a queen is dead, the swarm has lost %d of them", state.queens_killed))
    end
  end,
}
