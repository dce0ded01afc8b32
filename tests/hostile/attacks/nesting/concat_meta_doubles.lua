local ecs = require "ecs"
ecs.system "attack" { run = function()
  local m = {}
  m.__concat = function(a, b)
    local t = setmetatable({ a, b }, m)
    return t
  end
  m.__tostring = function(t) return tostring(t[1]) .. tostring(t[2]) end
  local x = setmetatable({ "a", "b" }, m)
  for i = 1, 60 do x = x .. x end
  local s = tostring(x)
end }
