-- Sandbox: the metatable of the globals can be taken away, and costs only this script its hints.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local meta = getmetatable(_G)
    if type(meta) == "table" then meta.__index = function() return error end end
    setmetatable(_G, { __newindex = error, __index = error })
    local x = undefined_name ---! "bad argument"
  end,
}
