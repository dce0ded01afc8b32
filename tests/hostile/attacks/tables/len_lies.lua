local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  for _, n in ipairs { 1e308, -1, 0 / 0, 2 ^ 53, "9e9", 1 / 0 } do
    local t = setmetatable({}, { __len = function() return n end, __index = function() return "x" end })
    pcall(table.concat, t); pcall(table.insert, t, 1); pcall(table.remove, t); pcall(table.sort, t); pcall(unpack, t); pcall(table.concat, t, "x", 1, n)
    pcall(ecs.spawn_many, n, t); pcall(string.rep, "x", n); pcall(select, n, 1)
    pcall(ecs.random, n); pcall(ecs.after, n, "none"); pcall(unpack, {}, 1, n)
  end
  while true do pcall(table.concat, setmetatable({}, { __len = function() return 2 ^ 40 end, __index = function() return "x" end })) end
end }
