local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 1000 do t[i] = i end
  while true do
    pcall(table.sort, t, function(a, b) t[#t + 1] = a; return (a or 0) < (b or 0) end)
  end
end }
