---: quiet
---: never "\x1b"
local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  for i = 1, 1000 do print(("\27]0;x\7\r\n\0\255\u2028"):rep(100000)) ecs.log(setmetatable({}, { __tostring = function() return ("\27[2J"):rep(100000) end })) end
end }
