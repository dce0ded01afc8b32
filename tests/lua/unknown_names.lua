--- Names that nothing can have set are found at the load, in functions, too.
local ecs = require "ecs"

local Spot = ecs.native("Spot")
late = 1 -- a global of this file

local function helper()
  return total + late ---! "unknown name \"total\""
end

ecs.system "a" { query = { Spot }, each = function(e, p)
  p.x = maht.floor(p.x) ---! "unknown name \"maht\" (did you mean \"math\"?)"
  later = helper()
end }
ecs.system "b" { run = function() return later, Hit end } ---! "unknown name \"Hit\""
local Hit = ecs.native_event("Hit")
ecs.system "c" { run = function() ecs.emit(Hit) end }
