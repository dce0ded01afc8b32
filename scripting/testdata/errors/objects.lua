local ecs = require "ecs"
local P = ecs.native("Position")

local function fails(name, fn)
  ecs.system(name, { run = fn })
end

fails("1.table", function() error { code = 5 } end)
fails("2.message", function() error { message = "the word" } end)
fails("3.nil", function() error() end)
fails("4.userdata", function() error(P) end)
fails("5.number", function() error(42) end)
fails("6.boolean", function() error(true) end)
fails("7.level 0", function() error("no place", 0) end)
fails("8.level 2", function()
  local function check(x) if not x then error("the caller's fault", 2) end end
  check(false)
end)
fails("9.rethrown", function()
  local ok, why = pcall(error, "first")
  error(why, 0)
end)
