-- An error whose message is made of another's, again and again.
local ecs = require "ecs"
ecs.system "attack" { run = function()
  local m = "x"
  for i = 1, 1e6 do
    local _, why = pcall(error, m, 1)
    local _, more = pcall(error, m, 2)
    m = why .. more
  end
end }
