--- The error of a builtin stands at the argument, or at the call where there is none.
local ecs = require "ecs"

local Tag = ecs.tag("Tag")

ecs.system "a" { run = function() ecs.despawn(-1) end } ---! "the negative number -1 is not an entity"
ecs.system "b" {
  run = function()
    local e = 0.5
    ecs.add(
      e, Tag) ---! "fractional"
  end,
}
ecs.system "c" { run = function()
  return ecs.has("player", Tag) ---! "expected an entity, got the string"
end }
ecs.system "d" { run = function()
  ecs.remove(nil, Tag) ---! "expected an entity, got nil"
end }
ecs.system "e" { run = function()
  ecs.remove(ecs.spawn(Tag), "Tag") ---! "without quotes"
end }
ecs.system "f" { run = function()
  ecs.despawn() ---! "expected an entity, got nil"
end }
