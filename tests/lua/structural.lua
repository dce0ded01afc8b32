--- Changes while iterating: recorded, applied when the call ends, in order.
local ecs = require "ecs"
local host = require "host"

local Spot, Kinds, Burning = ecs.native("Spot"), ecs.native("Kinds"), ecs.native("Burning")
local Seen = ecs.tag("Seen")
local Count = ecs.component("Count", { n = 0 })
local Sparse = ecs.component("Sparse", { n = 0 }, { sparse = true })

ecs.on_start(function()
  ecs.spawn_many(50, Spot, function(i) return Count { n = i } end)
  ecs.spawn_many(50, Spot, Sparse, function(i) return Count { n = i } end)
end)

-- Every row is seen once, though each one moves while the loop runs.
local visits = {}
ecs.system "a.each" {
  when = function(ctx) return ctx.tick == 1 end,
  query = { Count, Spot },
  each = function(e, c, p)
    assert(not visits[e], "a row was seen twice")
    visits[e] = true
    ecs.add(e, Seen, Burning { left = c.n })
    assert(ecs.has(e, Seen) and ecs.get(e, Burning, "left") == c.n)
    ecs.remove(e, Spot)
    assert(not ecs.has(e, Spot))
    c.n = c.n + 1000 -- stored although the row moves
    ecs.spawn(Spot { x = -1 })
  end,
}
ecs.system "b.batch" {
  after = { "a.each" },
  when = function(ctx) return ctx.tick == 1 end,
  query = { Count, Burning },
  batch = function(b, ctx)
    local n, left = b:write(Count, "n"), b:read(Burning, "left")
    for i = 1, b.n do
      assert(n[i] == left[i] + 1000, "stored before the row moved")
      n[i] = n[i] - 1000
      if n[i] % 2 == 0 then ecs.despawn(b.entities[i]) end
    end
  end,
}
ecs.system "c.entities" {
  after = { "b.batch" },
  run = function(ctx)
    if ctx.tick > 1 then return end
    assert(ecs.count { Count } == 50 and ecs.count { Sparse } == 25)
    local n = 0
    for e in ecs.entities { Spot } do
      n = n + 1
      ecs.despawn(e)
      ecs.despawn(e) -- twice is once
      ecs.add(e, Count) -- to one that is about to die
      for other in ecs.entities { Spot } do
        assert(ecs.alive(other))
        break
      end
    end
    assert(n == 100)
  end,
}

-- What observers change is told in turn, in rounds.
local told = 0
ecs.on_add(Seen, function(e)
  told = told + 1
  if told <= 3 then ecs.spawn(Seen) end
end)
ecs.on_despawn(function(e) ecs.spawn(Kinds) end)

ecs.system "z.judge" {
  phase = "debug",
  run = function(ctx)
    if ctx.tick ~= 2 then return end
    assert(told == 103, told)
    assert(ecs.count { Spot } == 0)
    assert(ecs.count { Kinds } == 150, ecs.count { Kinds })
    assert(ecs.count { Count } == 50)
    host.done()
  end,
}
