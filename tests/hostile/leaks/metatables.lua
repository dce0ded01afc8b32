-- Tables behind tables that nobody lists.
local ecs = require "ecs"
local chain = {}

ecs.system "hostile" {
  run = function() ---! "the variables of this script hold too much: "
    for _ = 1, 300 do chain = setmetatable({ 1, 2, 3 }, { __index = chain }) end
  end,
}
