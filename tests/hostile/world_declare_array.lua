-- World: a field that is an array of a billion.
local ecs = require "ecs"
ecs.component("Long", { list = ecs.array(ecs.f64(), 1e9) }) ---! "array"
