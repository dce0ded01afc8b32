local ecs = require "ecs"
for i = 1, 9000 do ecs.system("s" .. i) { enabled = false, run = function() end } end
ecs.system "attack" { run = function(ctx)
  while true do ecs.enable("s9000", false) end
end }
