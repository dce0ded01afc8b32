local ecs = require "ecs"
ecs.system "attack" { run = function()
  local mt = { __lt = function(a, b) return a.n < b.n end }
  local t = {}
  for i = 1, 100000 do t[i] = setmetatable({ n = -i }, mt) end
  while true do table.sort(t) end
end }
