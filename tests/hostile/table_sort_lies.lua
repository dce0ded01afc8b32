-- Tables: comparisons that are no order neither hang nor read past an end.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function list() local t = {} for i = 1, 500 do t[i] = (i * 7919) % 503 end return t end
    local n = 0
    for _, before in ipairs {
      function() return true end, function() return false end, function(a, b) return a ~= b end,
      function() n = n + 1 return n % 3 == 0 end, function(a, b) return not (a < b) end,
    } do
      local t = list()
      pcall(table.sort, t, before)
      assert(#t == 500)
    end
    local t = list()
    table.sort(t, function(a, b) t[1], t[#t + 1] = nil, a return a < b end)
    table.sort({ 1, "x", {}, false }) ---! "attempt to compare"
  end,
}
