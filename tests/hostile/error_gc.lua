-- Errors that lie: __gc and __mode have no effect, nothing runs behind the back of a budget.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for _ = 1, 1000 do
      setmetatable({}, { __gc = function() while true do end end, __mode = "kv", __close = error })
    end
    while true do local t = {} end ---! "script ran too long: used "
  end,
}
