---: names "a name has at most 255 bytes"
---: load
local ecs = require "ecs"
local words = {}
for i = 1, 256 do words[i] = ("w"):rep(1000000) .. i end
for i = 1, 1000 do ecs.component("E" .. i, { e = ecs.enum(unpack(words)) }) end
