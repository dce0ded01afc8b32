local ecs = require "ecs"
for i = 1, 9000 do ecs.handler("a_handler_with_a_long_name_" .. i, function() end) end
ecs.system "attack" { run = function(ctx)
  local n = ("a_handler_with_a_lung_name"):rep(3)
  while true do pcall(ecs.after, 1, "a_hindler_with_a_long_nime_xx") end
end }
