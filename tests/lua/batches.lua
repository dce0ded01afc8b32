--- Batches: arrays, columns, optional components, and what cannot be done.
local ecs = require "ecs"
local host = require "host"

local Spot, Motion, Kinds = ecs.native("Spot"), ecs.native("Motion"), ecs.native("Kinds")
local Label, Burning = ecs.native("Label"), ecs.native("Burning")
local Shield = ecs.component("Shield", { left = 10 })
local Marked = ecs.tag("Marked")

local checked = {}
local function check(name) checked[name] = (checked[name] or 0) + 1 end

local function refuses(text, call, ...)
  local ok, why = pcall(call, ...)
  assert(not ok, "accepted, want: " .. text)
  assert(string.find(why, text, 1, true), why)
end

ecs.on_start(function()
  -- Short archetypes, so that rows are gathered from several.
  for i = 1, 40 do
    local e = ecs.spawn(Spot { x = i, y = -i }, Motion { x = 1 })
    if i % 2 == 0 then ecs.add(e, Shield) end
    if i % 3 == 0 then ecs.add(e, Marked) end
    if i % 5 == 0 then ecs.add(e, Burning { left = i }) end
  end
  ecs.spawn_many(100, Spot { x = 7 }, Shield { left = 1 })
end)

ecs.system "a.optional" {
  query = { Spot, optional = { Shield, Marked, Burning } },
  batch = function(b, ctx)
    local x, seen = b:read(Spot, "x"), 0
    for i = 1, b.n do
      assert(ecs.has(b.entities[i], Shield) == b:has(Shield), "mixed rows: Shield")
      assert(ecs.has(b.entities[i], Marked) == b:has(Marked), "mixed rows: Marked")
      assert(ecs.has(b.entities[i], Burning) == b:has(Burning), "mixed rows: Burning")
      assert(ecs.get(b.entities[i], Spot, "x") == x[i])
    end
    assert(b.n == #b.entities and b.n == #x)
    if b:has(Shield) then
      local left = b:write(Shield, "left")
      for i = 1, b.n do left[i] = left[i] + 1 end
      check "shield"
    else
      refuses('no "Shield"', b.read, b, Shield, "left")
      refuses('no "Shield"', b.write, b, Shield, "left")
      refuses('no "Shield"', b.col, b, Shield, "left")
      check "bare"
    end
  end,
}

ecs.system "b.columns" {
  query = { Spot, Motion },
  batch = function(b, ctx)
    local x, y = b:col(Spot, "x"), b:col(Spot, "y")
    local before = b:read(Spot, "x")
    local first = before[1]
    x:add(2):sub(1)
    assert(before[1] == first and b:read(Spot, "x")[1] == first + 1, "read again sees the change")
    x:mul(2):div(2):madd(b:col(Motion, "x"), 10):sub(10):sub(1)
    assert(b:read(Spot, "x")[1] == first)
    y:fill(3):max(4):min(b:col(Motion, "x")):copy(4):clamp(0, 2)
    assert(y:sum() == 2 * b.n and y:lowest() == 2 and y:highest() == 2)
    y:fill(0 / 0):max(1)
    local w = b:write(Spot, "y")
    for i = 1, b.n do w[i] = i end
    refuses("b:write", y.add, y, 1)
    refuses("b:write", b.col, b, Spot, "y")
    check "columns"
  end,
}

ecs.system "c.misuse" {
  query = { Spot, Motion, Label, Kinds },
  batch = function(b)
    refuses('unknown field "z" of "Spot"', b.read, b, Spot, "z")
    refuses('did you mean "x"', b.write, b, Spot, "X")
    refuses('not in the query of system "c.misuse"', b.read, b, Burning, "left")
    refuses("expected a component of the query, got the string", b.read, b, "Spot", "x")
    refuses("expected a component of the query, got nil", b.read, b)
    refuses("is no number", b.col, b, Label, "name")
    refuses("is no number", b.col, b, Kinds, "flag")
    refuses("is no number", b.col, b, Kinds, "path")
    refuses("is no number", b.col, b, Kinds, "mate")
    refuses('a batch has no "reed" (did you mean "read"?)', function() return b.reed end)
    local x = b:col(Spot, "x")
    refuses('a column has no "plus"', function() return x.plus end)
    refuses("expected a number or a column, got", x.add, x, "1")
    refuses("expected a number or a column, got", x.add, x)
    refuses("expected a column, got", x.add, 5, 5)
    local names = b:write(Label, "name")
    names[1] = names[1] .. "!"
    check "misuse"
  end,
}
ecs.on_start(function() ecs.spawn(Spot, Motion, Label { name = "it" }, Kinds) end)

local kept, column, method
ecs.system "d.keep" {
  query = { Spot },
  batch = function(b)
    if column and kept == b then refuses("column is over", column.add, column, 1) end
    kept, column, method = b, b:col(Spot, "x"), b.read
  end,
}
ecs.system "e.kept" {
  query = { Motion },
  batch = function(b)
    refuses("batch is over", function() return kept.n end)
    refuses("batch is over", function() return kept.entities end)
    refuses("batch is over", function() return kept:read(Spot, "x") end)
    refuses("column is over", column.add, column, 1)
    refuses("column is over", b:col(Motion, "x").add, b:col(Motion, "x"), column)
    check "kept"
  end,
}
ecs.system "f.kept" {
  run = function(ctx)
    refuses("batch is over", function() return kept.n end)
    refuses("batch is over", method, kept, Spot, "x")
    refuses("column is over", column.sum, column)
    if ctx.tick ~= 3 then return end
    for _, name in ipairs { "shield", "bare", "columns", "misuse", "kept" } do
      assert(checked[name], "not reached: " .. name)
    end
    assert(ecs.get(ecs.find { Label }, Label, "name") == "it!!!")
    host.done()
  end,
}
