local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("0"):rep(16777000) .. "1"
  for i = 1, 1e6 do
    for name, f in pairs(ecs) do pcall(f, s, s, s, s) end
  end
end }
