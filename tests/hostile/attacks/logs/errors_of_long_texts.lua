-- Many systems fail in each tick with the same long text, and no report has it whole.
---: names "more bytes\)"
---: never "x{1000}x{1000}x{1000}x{1000}x{1000}x{1000}x{1000}x{1000}x{1000}"
local ecs = require "ecs"
local s = ("x"):rep(900000)
for i = 1, 500 do
  ecs.system("fails" .. i, { run = function() error(s .. i) end })
  ecs.system("asserts" .. i, { run = function() assert(false, s) end })
end
