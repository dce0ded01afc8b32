local ecs = require "ecs"
for i = 1, 100 do ecs.system("attack" .. i, { run = function() error("x" .. i) end }) end
ecs.on_error(function() while true do end end)
---: names "attack"
