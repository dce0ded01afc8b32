-- Sandbox: a host object shows its exported fields and methods, and cannot be replaced, dereferenced or measured.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local object = require("host").object
    assert(object.Name == "object" and object:Twice(4) == 8)
    for what, attempt in pairs {
      secret = function() return assert(object.secret) end,
      hidden = function() return object:hidden() end,
      power = function() return object ^ object end,
      negate = function() return -object end,
      call = function() return object() end,
      length = function() return #object end,
      channel = function() object.Lines = 1 end,
      unknown = function() object.Unknown = 1 end,
      kind = function() object.Name = {} end,
    } do
      assert(not pcall(attempt), what)
    end
    object.secret = 1 ---! "secret"
  end,
}
