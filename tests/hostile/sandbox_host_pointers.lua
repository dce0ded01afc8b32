-- Sandbox: texts of values show no address, but a number that is the same in each run.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local host = require "host"
    for _, v in ipairs { {}, print, coroutine.create(function() end), host.object, host.object.Inner, ecs, host } do
      local text = tostring(v) .. ("%s"):format(v)
      assert(not text:gsub("0x0000%x%x%x%x", ""):find("0x"), text)
    end
    error("none") ---! "none"
  end,
}
