-- World: state that no save could hold: functions, coroutines, itself.
local ecs = require "ecs"

local state = ecs.state("hostile", { n = 0 })

ecs.system "hostile" {
  run = function()
    for _, v in ipairs { print, coroutine.create(function() end), ecs } do
      assert(not pcall(function() state.v = v end))
      assert(not pcall(function() state[v] = 1 end))
    end
    pcall(setmetatable, state, { __index = error, __newindex = error })
    pcall(rawset, state, "n", print)
    error("left it so") ---! "left it so"
  end,
}
