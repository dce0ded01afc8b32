local ecs = require "ecs"
ecs.system "attack" { run = function()
  while true do
    pcall(table.concat, {}, "", 1, 1e15)
    pcall(table.concat, {}, "", -1e15, 1)
    pcall(unpack, {}, 1, 1e9)
    pcall(unpack, {}, -1e15, 1e15)
  end
end }
