local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("0"):rep(16777000) .. "1"
  for i = 1, 1e6 do
    for _, f in pairs(math) do if type(f) == "function" and f ~= math.randomseed then pcall(f, s, s, s) end end
  end
end }
