-- Coroutines: yielding across a built-in function ends the coroutine; across a metamethod or
-- an iterator it does no harm.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function across(f)
      local ok, why = coroutine.resume(coroutine.create(f))
      assert(not ok, "it went through")
      return why
    end
    for i = 1, 1000 do
      coroutine.resume(coroutine.create(function() return setmetatable({}, { __index = coroutine.yield }).x end))
      coroutine.resume(coroutine.create(function() return setmetatable({}, { __add = coroutine.yield }) + 1 end))
      coroutine.resume(coroutine.create(function() for _ in coroutine.yield do end end))
    end
    across(function() table.sort({ 2, 1, 3 }, coroutine.yield) end)
    across(function() ("x"):gsub(".", coroutine.yield) end)
    across(function() tostring(setmetatable({}, { __tostring = coroutine.yield })) end)
    local ok, why = coroutine.resume(coroutine.create(function() error(across(function() table.sort({ 2, 1 }, coroutine.yield) end), 0) end)) ---! "attempt to yield across"
    error(why, 0)
  end,
}
