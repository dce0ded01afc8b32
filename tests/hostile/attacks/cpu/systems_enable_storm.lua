local ecs = require "ecs"
for i = 1, 1900 do ecs.system("attack" .. i, { run = function() for j = 1, 1900 do ecs.enable("attack" .. j, (i + j) % 2 == 0) end end }) end
