local ecs = require "ecs"
ecs.system "attack" { run = function()
  local mt = {}
  mt.__concat = function(a, b) return ("x"):rep(16000000) end
  local t = setmetatable({}, mt)
  while true do local s = t .. t .. t .. t end
end }
