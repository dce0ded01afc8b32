local ecs = require "ecs"
ecs.system "attack" { run = function()
  local big = ("y"):rep(1000000)
  for i = 1, 1000 do pcall(string.gsub, ("a"):rep(10000), "a", function() return big end) end
end }
