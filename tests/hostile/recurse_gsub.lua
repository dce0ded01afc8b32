-- Recursion: limit Callbacks. A replacement that replaces.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function again(s)
      return (s:gsub(".", again)) ---! "(Limits.Callbacks)"
    end
    again("a")
  end,
}
