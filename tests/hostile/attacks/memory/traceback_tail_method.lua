local ecs = require "ecs"
local o = setmetatable({}, { __call = function(self) return self() end })
ecs.system("attack", { run = function(ctx) return o() end })
