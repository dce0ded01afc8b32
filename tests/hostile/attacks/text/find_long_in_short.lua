local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  local p = ("x"):rep(16000000)
  local f = string.find
  while true do f("a", p) f("a", p) f("a", p) f("a", p) end
end }
