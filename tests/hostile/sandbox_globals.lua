-- Sandbox: what is not there.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local env = getmetatable(_G) and _G or _G
    for _, name in ipairs {
      "io", "debug", "package", "load", "loadstring", "loadfile", "dofile", "getfenv", "setfenv", "module",
      "newproxy", "collectgarbage", "_printregs", "channel", "arg", "jit", "ffi", "bit", "bit32", "utf8",
    } do
      assert(rawget(_G, name) == nil, name)
      assert(not pcall(function() return _G[name] end), name)
    end
    assert(string.dump == nil and string.gfind == nil and table.foreach == nil and math.mod == nil)
    for name in pairs(os) do assert(name == "clock" or name == "time", name) end
    load("return 1")() ---! "unknown name \"load\""
  end,
}
