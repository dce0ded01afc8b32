-- Tables: limit Heap or Time. One assignment fills a list up to its index.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local all = {}
    for i = 1, 1e9 do
      local t = {} ---! "(Limits."
      t[262143] = true ---! "(Limits."
      all[i] = t ---! "(Limits."
    end
  end,
}
