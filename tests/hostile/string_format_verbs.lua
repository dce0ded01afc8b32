-- Texts: Go knows verbs that show types, addresses and contents; Lua does not.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for _, verb in ipairs { "%v", "%+v", "%#v", "%T", "%p", "%t", "%b", "%U", "%[1]d", "%*d" } do
      assert(not pcall(string.format, verb, {}), verb)
    end
    local s = ("%p"):format(print) ---! "invalid option \"%p\" to \"format\""
  end,
}
