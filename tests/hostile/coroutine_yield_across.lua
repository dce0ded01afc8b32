-- Coroutines: yielding across a metamethod, an iterator or a comparison ends the coroutine.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function across(f)
      local ok, why = coroutine.resume(coroutine.create(f))
      assert(not ok, "it went through")
      return why
    end
    across(function() return setmetatable({}, { __index = coroutine.yield }).x end)
    across(function() return setmetatable({}, { __add = coroutine.yield }) + 1 end)
    across(function() for _ in coroutine.yield do end end)
    across(function() table.sort({ 2, 1, 3 }, coroutine.yield) end)
    across(function() ("x"):gsub(".", coroutine.yield) end)
    across(function() tostring(setmetatable({}, { __tostring = coroutine.yield })) end)
    local ok, why = coroutine.resume(coroutine.create(function() error(across(function() return setmetatable({}, { __index = coroutine.yield }).x end), 0) end)) ---! "attempt to yield across a metamethod, an iterator or a built-in function"
    error(why, 0)
  end,
}
