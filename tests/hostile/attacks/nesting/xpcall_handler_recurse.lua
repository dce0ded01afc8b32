local ecs = require "ecs"
ecs.system "attack" { run = function()
  local function h(e) return xpcall(error, h, e) end
  while true do xpcall(error, h, ("x"):rep(1000)) end
end }
