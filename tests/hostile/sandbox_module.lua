-- Sandbox: what a module returns is shared by all who require it, and by nobody else.
local ecs = require "ecs"
local healthy = require "healthy"

healthy.limit = 0

ecs.system "hostile" {
  run = function()
    error("I have broken " .. tostring(healthy.limit)) ---! "I have broken"
  end,
}
