local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("0"):rep(16777000) .. "1"
  local t = {}
  for i = 1, 1000 do t[i] = s end
  for i = 1, 1e6 do
    for _, f in pairs(table) do if type(f) == "function" then pcall(f, t, s, s, s) end end
  end
end }
