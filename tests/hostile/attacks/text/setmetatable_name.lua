local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("x"):rep(16000000)
  for i = 1, 1e6 do pcall(setmetatable, {}, s) pcall(getmetatable, s) pcall(ipairs, s) pcall(pairs, s) pcall(unpack, s) end
end }
