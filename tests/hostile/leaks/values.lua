-- Values of a component that are never given to an entity.
local ecs = require "ecs"
local Note = ecs.component("Note", { at = ecs.f64(0), place = ecs.array(ecs.f64(0), 100) })
local notes = {}

ecs.system "hostile" {
  run = function(ctx) ---! "the variables of this script hold too much: "
    for _ = 1, 50 do notes[#notes + 1] = Note { at = ctx.time } end
  end,
}
