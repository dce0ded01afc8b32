--- Each functions that the fast form must get right: gotos to the end, exits in
--- the middle, closures, swaps, many locals.
local ecs = require "ecs"
local host = require "host"

local Spot, Motion = ecs.native("Spot"), ecs.native("Motion")
local Kinds = ecs.native("Kinds")
local Counted = ecs.component("Counted", { n = 0, m = 0 })

local one
ecs.on_start(function()
  one = ecs.spawn(Spot { x = 1, y = 2 }, Motion { x = 3, y = 4 }, Kinds, Counted)
end)

ecs.system "1.goto" {
  query = { Counted },
  each = function(e, c)
    if c.n < 0 then goto done end
    local step = 1
    c.n = c.n + step
    ::done::
  end,
}
ecs.system "2.swap" {
  query = { Spot, Motion },
  each = function(e, p, v)
    p.x, p.y = p.y, p.x
    v.x, v.y = v.y, v.x
  end,
}
ecs.system "3.returns" {
  query = { Counted },
  each = function(e, c)
    for i = 1, 10 do
      repeat
        local stop = i > 3
        if stop then return ecs.alive(e), c.m end
        c.m = c.m + 1
      until true
    end
    c.m = -1
  end,
}
ecs.system "4.closures" {
  query = { Counted },
  each = function(e, c)
    local function bump(n) c.n = c.n + n end
    bump(10)
    pcall(function()
      c.m = c.m + 100
      error("caught")
    end)
    coroutine.wrap(function() c.m = c.m + 1000 end)()
  end,
}
ecs.system "5.nil entity" {
  query = { Kinds },
  each = function(e, k)
    k.mate = nil
    assert(k.mate == nil)
    k.mate = e
    rawequal(k, nil)
  end,
}
ecs.system "6.nil and back" {
  query = { Counted },
  each = function(e, c)
    c.n = nil
    c.n = 5
    rawequal(c, nil)
  end,
}
ecs.system "7.only e" { query = { Counted }, each = function(e) assert(e == one) end }
ecs.system "8.judge" {
  run = function(ctx)
    if ctx.tick ~= 1 then return end
    local c, p = ecs.get(one, Counted), ecs.get(one, Spot)
    assert(c.n == 5, c.n)
    assert(c.m == 3 + 100 + 1000, c.m)
    assert(p.x == 2 and p.y == 1)
    assert(ecs.get(one, Kinds, "mate") == one)
    host.done()
  end,
}
