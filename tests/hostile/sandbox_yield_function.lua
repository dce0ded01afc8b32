-- Sandbox: coroutine.yield is a Lua function with an upvalue, which nobody can reach.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    assert(type(coroutine.yield) == "function")
    assert(not pcall(function() return coroutine.yield.x end))
    coroutine.yield.upvalue = 1 ---! "attempt to index \"coroutine.yield\", a function value"
  end,
}
