local ecs = require "ecs"
local T = {}
for i = 1, 11 do T[i] = ecs.tag("T" .. i) end
local A = ecs.tag "A"
local function subset(i) local s = { A } for b = 1, 11 do if math.floor(i / 2 ^ (b - 1)) % 2 == 1 then s[#s + 1] = T[b] end end return s end
ecs.system "attack" { run = function(ctx)
  if ctx.tick == 1 then for i = 1, 2047 do ecs.spawn(unpack(subset(i))) end return end
  local n
  while true do n = ecs.count(A) n = ecs.count(A) n = ecs.count(A) n = ecs.count(A) end
end }
