local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("%Y"):rep(8000000)
  for i = 1, 1e6 do pcall(os.time, { year = s, month = 1, day = 1 }); pcall(os.clock, s); pcall(function() return os[s] end); pcall(os.time, s) end
end }
