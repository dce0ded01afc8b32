local ecs = require "ecs"
local P, V = ecs.native("Position"), ecs.native("Velocity")
local Health = ecs.component("Health", { hp = ecs.u8(100), team = ecs.enum("red", "blue") })

ecs.on_start(function() ecs.spawn(P, Health) end)

ecs.system "1.each" {
  query = { Health },
  each = function(e, h)
    h.hp = h.hp - 1
    h.hp = h.hp * 0.5
  end,
}

ecs.system "2.batch" {
  query = { Health },
  batch = function(b, ctx)
    local team = b:write(Health, "team")
    team[1] = "blu"
  end,
}

ecs.system "3.value" {
  run = function(ctx)
    ecs.spawn(Health { hpp = 5 })
  end,
}

ecs.system "4.ctx" {
  query = { P },
  each = function(e, p, ctx)
    local times = ctx
    p.x = p.x + times.delta
  end,
}

ecs.system "5.kept" {
  run = function() return ecs.get("12v3", Health) end,
}
