local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t, m = {}, {}
  for i = 1, 90 do t = setmetatable({}, { __index = t }) m = setmetatable({}, { __newindex = m }) end
  local s = ("x"):rep(100000)
  while true do s:gsub("x", t) end
end }
ecs.system "attack2" { run = function()
  local m = {}
  for i = 1, 90 do m = setmetatable({}, { __newindex = m }) end
  while true do m[#m] = nil m.x = nil end
end }
ecs.system "attack3" { run = function()
  local t = {}
  for i = 1, 90 do t = setmetatable({}, { __index = t }) end
  while true do local _ = t[1], t[0.5], t[true], t.len end
end }
ecs.system "attack4" { run = function()
  local t = {}
  for i = 1, 90 do t = setmetatable({}, { __index = t, __newindex = t }) end
  setmetatable(_G, { __index = t, __newindex = t })
  while true do local _ = nothing nothing = nil end
end }
