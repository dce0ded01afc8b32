local ecs = require "ecs"
ecs.system "attack" { run = function()
  while true do
    local t = {}
    pcall(table.insert, t, 240000, 1)
    pcall(table.insert, t, 1e15, 1)
    pcall(table.remove, t, 1e15)
  end
end }
