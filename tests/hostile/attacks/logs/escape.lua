---: names "attack"
---: never "[\x00-\x08\x0b-\x1f\x7f]"
local ecs = require "ecs"
ecs.system "attack" { run = function()
  ecs.log("\27[2J\27]0;title\7bell\rover\0nul\8back\127del")
  print("\27[31mred")
  ecs.warn("\226\128\174right to left\194\155csi")
  error("\27[2Jerror\7\r\0")
end }
