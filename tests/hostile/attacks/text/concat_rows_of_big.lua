---: quiet
local ecs = require "ecs"
-- concat of tables of texts that are concats, doubling below the limit, kept for one call
ecs.system "attack" { run = function()
  local rows = {}
  for i = 1, 200 do
    local part = ("x"):rep(8000000)
    rows[1], rows[2] = part, part
    local s = table.concat(rows, i .. "")
  end
end }
