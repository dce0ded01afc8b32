local ecs = require "ecs"
-- each call returns many values and costs one instruction
ecs.system "attack" { run = function()
  local s = ("x"):rep(200)
  while true do local a = s:byte(1, 200) end
end }
