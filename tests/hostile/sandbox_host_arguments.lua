-- Sandbox: wrong arguments to a host function.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local add = require("host").add
    for _, v in ipairs { {}, print, "x", true } do assert(not pcall(add, v, 1)) end
    assert(not pcall(add) and not pcall(add, 1))
    add(nil, 1) ---! ""
  end,
}
