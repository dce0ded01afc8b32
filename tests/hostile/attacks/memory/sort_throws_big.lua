local ecs = require "ecs"
local keep = {}
ecs.system "attack" { run = function()
  for i = 1, 1e7 do
    local ok, why = pcall(table.sort, { 3, 2, 1 }, function(a, b) error(("x"):rep(100000) .. i, 0) end)
    keep[i % 1000] = why
  end
end }
