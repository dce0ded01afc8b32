--- Each, with the component passed on whole: the error stands at the assignment.
local ecs = require "ecs"

local Kinds = ecs.native("Kinds")

ecs.on_start(function() ecs.spawn_many(3, Kinds) end)

-- Whatever the systems below did before they failed is gone.
local function untouched(v) assert(v == 0, "a failed tick left something behind: " .. tostring(v)) end
ecs.system "z.untouched" {
  query = { Kinds },
  each = function(e, k)
    untouched(k.i8) untouched(k.i16) untouched(k.i32) untouched(k.i64)
    untouched(k.u8) untouched(k.u16) untouched(k.u32) untouched(k.u64)
  end,
}

ecs.system "i8.0" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i8 = 0 / 0 ---! "field \"i8\" of \"Kinds\""
end }
ecs.system "i8.1" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i8 = 1 / 0 ---! "field \"i8\" of \"Kinds\""
end }
ecs.system "i8.2" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i8 = 0.5 ---! "field \"i8\" of \"Kinds\""
end }
ecs.system "i8.3" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i8 = -2 ^ 60 ---! "field \"i8\" of \"Kinds\""
end }
ecs.system "i8.4" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i8 = 2 ^ 60 ---! "field \"i8\" of \"Kinds\""
end }
ecs.system "i16.0" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i16 = 0 / 0 ---! "field \"i16\" of \"Kinds\""
end }
ecs.system "i16.1" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i16 = 1 / 0 ---! "field \"i16\" of \"Kinds\""
end }
ecs.system "i16.2" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i16 = 0.5 ---! "field \"i16\" of \"Kinds\""
end }
ecs.system "i16.3" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i16 = -2 ^ 60 ---! "field \"i16\" of \"Kinds\""
end }
ecs.system "i16.4" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i16 = 2 ^ 60 ---! "field \"i16\" of \"Kinds\""
end }
ecs.system "i32.0" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i32 = 0 / 0 ---! "field \"i32\" of \"Kinds\""
end }
ecs.system "i32.1" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i32 = 1 / 0 ---! "field \"i32\" of \"Kinds\""
end }
ecs.system "i32.2" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i32 = 0.5 ---! "field \"i32\" of \"Kinds\""
end }
ecs.system "i32.3" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i32 = -2 ^ 60 ---! "field \"i32\" of \"Kinds\""
end }
ecs.system "i32.4" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i32 = 2 ^ 60 ---! "field \"i32\" of \"Kinds\""
end }
ecs.system "i64.0" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i64 = 0 / 0 ---! "field \"i64\" of \"Kinds\""
end }
ecs.system "i64.1" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i64 = 1 / 0 ---! "field \"i64\" of \"Kinds\""
end }
ecs.system "i64.2" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i64 = 0.5 ---! "field \"i64\" of \"Kinds\""
end }
ecs.system "i64.3" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i64 = -2 ^ 60 ---! "field \"i64\" of \"Kinds\""
end }
ecs.system "i64.4" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.i64 = 2 ^ 60 ---! "field \"i64\" of \"Kinds\""
end }
ecs.system "u8.0" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u8 = 0 / 0 ---! "field \"u8\" of \"Kinds\""
end }
ecs.system "u8.1" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u8 = 1 / 0 ---! "field \"u8\" of \"Kinds\""
end }
ecs.system "u8.2" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u8 = 0.5 ---! "field \"u8\" of \"Kinds\""
end }
ecs.system "u8.3" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u8 = -2 ^ 60 ---! "field \"u8\" of \"Kinds\""
end }
ecs.system "u8.4" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u8 = 2 ^ 60 ---! "field \"u8\" of \"Kinds\""
end }
ecs.system "u16.0" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u16 = 0 / 0 ---! "field \"u16\" of \"Kinds\""
end }
ecs.system "u16.1" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u16 = 1 / 0 ---! "field \"u16\" of \"Kinds\""
end }
ecs.system "u16.2" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u16 = 0.5 ---! "field \"u16\" of \"Kinds\""
end }
ecs.system "u16.3" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u16 = -2 ^ 60 ---! "field \"u16\" of \"Kinds\""
end }
ecs.system "u16.4" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u16 = 2 ^ 60 ---! "field \"u16\" of \"Kinds\""
end }
ecs.system "u32.0" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u32 = 0 / 0 ---! "field \"u32\" of \"Kinds\""
end }
ecs.system "u32.1" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u32 = 1 / 0 ---! "field \"u32\" of \"Kinds\""
end }
ecs.system "u32.2" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u32 = 0.5 ---! "field \"u32\" of \"Kinds\""
end }
ecs.system "u32.3" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u32 = -2 ^ 60 ---! "field \"u32\" of \"Kinds\""
end }
ecs.system "u32.4" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u32 = 2 ^ 60 ---! "field \"u32\" of \"Kinds\""
end }
ecs.system "u64.0" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u64 = 0 / 0 ---! "field \"u64\" of \"Kinds\""
end }
ecs.system "u64.1" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u64 = 1 / 0 ---! "field \"u64\" of \"Kinds\""
end }
ecs.system "u64.2" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u64 = 0.5 ---! "field \"u64\" of \"Kinds\""
end }
ecs.system "u64.3" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u64 = -2 ^ 60 ---! "field \"u64\" of \"Kinds\""
end }
ecs.system "u64.4" { query = { Kinds }, each = function(e, k)
  rawequal(k, nil)
  k.u64 = 2 ^ 60 ---! "field \"u64\" of \"Kinds\""
end }
