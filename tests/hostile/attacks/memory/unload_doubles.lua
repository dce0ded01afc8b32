---: quiet
local ecs = require "ecs"
local t = { 1 }
for i = 1, 40 do t = { t, t } end
ecs.on_unload(function() return t end)
