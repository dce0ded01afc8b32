local ecs = require "ecs"
ecs.system "attack" { run = function()
  while true do
    local t = {}
    for i = 1, 200 do t[i] = i * 7 % 13 end
    pcall(table.sort, t, function(a, b) t[1] = nil; t[#t] = nil; return tostring(a) < tostring(b) end)
  end
end }
