local ecs = require "ecs"
for i = 1, 1900 do ecs.system("s" .. i) { enabled = false, run = function() end } end
ecs.system "attack" { run = function(ctx)
  while true do ecs.enable("s1900", false) end
end }
