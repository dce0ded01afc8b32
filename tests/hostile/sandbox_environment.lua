-- Sandbox: what one script does to its globals, no other sees. The healthy one uses all of these.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    if not rawget(_G, "math") then error("done", 0) end
    _G.ipairs, _G.pairs, _G.assert, _G.tostring = nil, error, error, nil
    math.floor, string.format, table.insert, table.concat = nil, nil, error, error
    coroutine.wrap, coroutine.yield = nil, nil
    for name, value in next, { log = false, count = false, spawn = error, system = false } do ecs[name] = value or nil end
    _G.require = nil
    setmetatable(_G, nil)
    _G.math, _G.string, _G.table, _G.ecs = nil, nil, nil, nil
    error("done") ---! place "done"
  end,
}
