-- Recursion: limit Depth. A replacement that replaces.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function again(s)
      return (s:gsub(".", again)) ---! "(Limits.Depth)"
    end
    again("a")
  end,
}
