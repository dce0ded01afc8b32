local ecs = require "ecs"
local host = require "host"

local function fails(name, fn)
  ecs.system(name, { run = fn })
end

fails("1.host panic", function() host.fall() end)
fails("2.stack", function()
  local function deep(n) return 1 + deep(n + 1) end
  deep(1)
end)
fails("3.endless", function() while true do end end)
fails("4.endless inside pcall", function()
  while true do
    pcall(function() while true do end end)
  end
end)
fails("5.coroutine", function()
  local co = coroutine.wrap(function() error("inside") end)
  co()
end)
local theirs = host -- another local: its fields are looked up when the functions run
fails("6.tail call", function() return theirs.nothing end)
fails("7.exposed name", function() theirs.fal() end)
