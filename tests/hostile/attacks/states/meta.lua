---: quiet
local ecs = require "ecs"
local st = ecs.state("attack", { t = {} })
ecs.system "attack" { run = function(ctx)
  for i = 1, 1e5 do pcall(setmetatable, st, { __index = function() while true do end end }) pcall(rawset, st, "x", print) pcall(function() st.t = st end) end
end }
