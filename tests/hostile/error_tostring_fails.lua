-- Errors that lie: a __tostring that fails, yields, or returns no text.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function lie(f) return setmetatable({}, { __tostring = f }) end
    for _, f in ipairs { error, coroutine.yield, function() return 1 end, function() return {} end } do
      assert(not pcall(tostring, lie(f)))
      pcall(error, lie(f))
    end
    error(lie(error)) ---! "error({})"
  end,
}
