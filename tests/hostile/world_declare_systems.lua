-- World: limit Instructions. Systems without end.
local ecs = require "ecs"
for i = 1, 1e9 do ecs.system("s" .. i) { run = function() end } end ---! "(Limits."
