-- Patterns: each one that is cut short is an error.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for _, bad in ipairs { "%", "[", "[a", "[^", "(", "(()", "(a))", "%b", "%bx", "%f", "%f[", "%1", "[%", "(%1)" } do
      assert(not pcall(string.find, "abc", bad), bad)
    end
    string.find("abc", "[a") ---! "malformed pattern"
  end,
}
