local ecs = require "ecs"
for i = 1, 100 do ecs.system("attack" .. i, { run = function() error("x" .. ecs.random()) end }) end
for i = 1, 100 do ecs.on_error(function(err) error(err.message .. "y") end) end
---: names "attack"
