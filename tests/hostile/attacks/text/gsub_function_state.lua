local ecs = require "ecs"
-- each match makes a text that is almost the limit and throws it away
ecs.system "attack" { run = function()
  for i = 1, 1e6 do
    (("a"):rep(1000)):gsub("a", function(c) local x = ("z"):rep(16000000 + i); return false end)
  end
end }
