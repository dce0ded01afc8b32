local ecs = require "ecs"
local f = {} for i = 1, 4000 do f["a_field_with_a_long_name_" .. i] = ecs.f64(0) end
local A = ecs.component("A", f)
local e
ecs.on_start(function() e = ecs.spawn(A) end)
ecs.system "attack" { run = function(ctx)
  while true do pcall(ecs.get, e, A, "a_feld_with_a_lang_name_x") end
end }
