-- Each tick leaves long texts in components of the host, where no variable holds them.
---: ticks 60
---: names "Limits.FieldText\b"
---: names "Limits.FieldTexts\b"
local ecs = require "ecs"
local Label = ecs.native("Label")
ecs.system "t" { run = function(ctx)
  if ctx.tick % 2 == 0 then ecs.spawn(Label { text = ("x"):rep(900000) .. ctx.tick }) end
  for i = 1, 2000 do ecs.spawn(Label { text = ("x"):rep(4000) .. ctx.tick }) end
end }
