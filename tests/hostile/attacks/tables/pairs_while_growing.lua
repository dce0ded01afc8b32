local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = { a = 1 }
  while true do for k, v in pairs(t) do t[k .. "x"] = v if #k > 1000 then t = { a = 1 } break end end end
end }
