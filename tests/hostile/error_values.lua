-- Errors that lie: any value can be one.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for _, v in ipairs { 1, "x", true, print, coroutine.create(function() end), {} } do
      local ok, got = pcall(error, v)
      assert(not ok and (got == v or type(got) == "string"), tostring(v))
    end
    assert(select("#", pcall(error)) == 2)
    error(nil) ---! "error(nil)"
  end,
}
