--- Numbers that a field cannot hold are refused wherever they come from, and
--- nothing of the tick remains.
local ecs = require "ecs"
local host = require "host"

local Kinds = ecs.native("Kinds")
local Signal = ecs.event("Signal", {
  i8 = ecs.i8(), i16 = ecs.i16(), i32 = ecs.i32(), i64 = ecs.i64(),
  u8 = ecs.u8(), u16 = ecs.u16(), u32 = ecs.u32(), u64 = ecs.u64(),
})

local limits = {
  i8 = { -128, 127 }, i16 = { -32768, 32767 }, i32 = { -2 ^ 31, 2 ^ 31 - 1 }, i64 = { -2 ^ 53, 2 ^ 53 },
  u8 = { 0, 255 }, u16 = { 0, 65535 }, u32 = { 0, 2 ^ 32 - 1 }, u64 = { 0, 2 ^ 53 },
}

local function wrong(kind)
  return { 0 / 0, 1 / 0, -1 / 0, 0.5, limits[kind][1] - 1 - 2 ^ 10, limits[kind][2] + 1 + 2 ^ 10, "3", {}, true }
end

local function refuse(kind, v, call)
  local ok, why = pcall(call, kind, v)
  assert(not ok, kind .. " took " .. tostring(v))
  assert(string.find(why, '"' .. kind .. '"', 1, true), "does not name the field: " .. why)
end

local e = 0
ecs.on_start(function() e = ecs.spawn(Kinds) end)

local function value(kind, v) return Kinds { [kind] = v } end
local function event(kind, v) return Signal { [kind] = v } end
local function set(kind, v) ecs.set(e, Kinds { [kind] = v }) end
local function spawn(kind, v) ecs.spawn(Kinds { [kind] = v }) end

ecs.system "values" {
  run = function(ctx)
    if ctx.tick ~= 1 then return end
    for kind, range in pairs(limits) do
      for _, v in ipairs(wrong(kind)) do
        for _, call in ipairs { value, event, set, spawn } do refuse(kind, v, call) end
      end
      for _, v in ipairs(range) do
        value(kind, v)
        event(kind, v)
      end
    end
    host.done()
  end,
}
