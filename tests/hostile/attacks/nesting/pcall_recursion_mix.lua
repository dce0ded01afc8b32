local ecs = require "ecs"
ecs.system "attack" { run = function()
  local f
  local m = setmetatable({}, { __tostring = function() return f() end, __index = function(t, k) return f() end, __call = function() return f() end })
  local n = 0
  function f()
    n = n + 1
    if n % 5 == 0 then return select(2, pcall(f)) end
    if n % 5 == 1 then return (("x"):gsub("x", f)) end
    if n % 5 == 2 then table.sort({ 1, 2, 3 }, f) return "s" end
    if n % 5 == 3 then return tostring(m) end
    return m.x
  end
  for i = 1, 1e6 do n = i; pcall(f) xpcall(f, f) end
end }
