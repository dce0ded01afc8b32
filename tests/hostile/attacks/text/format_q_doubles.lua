local ecs = require "ecs"
ecs.system "attack" { run = function()
  while true do
    local s = "\0\n\"\\"
    for i = 1, 40 do s = ("%q"):format(s) end
  end
end }
