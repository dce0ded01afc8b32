local ecs = require "ecs"
ecs.system "attack" { run = function()
  for i = 1, 1e6 do pcall(require, "x" .. i); pcall(require, ("a."):rep(10000) .. i); pcall(require, ("../"):rep(10000)) end
end }
