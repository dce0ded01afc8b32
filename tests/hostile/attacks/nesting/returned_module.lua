---: copies 2
---: quiet
local ecs = require "ecs"
local t = {}
for i = 1, 240000 do t = { t } end
return t
