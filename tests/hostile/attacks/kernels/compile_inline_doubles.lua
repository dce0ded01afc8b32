-- Functions that call two of the one before: 2^30 when written out.
---: load
---: saved
---: quiet
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
local function f0(x) return x + 1 end
local function f1(x) return f0(x) + f0(x + 1) end
local function f2(x) return f1(x) + f1(x + 1) end
local function f3(x) return f2(x) + f2(x + 1) end
local function f4(x) return f3(x) + f3(x + 1) end
local function f5(x) return f4(x) + f4(x + 1) end
local function f6(x) return f5(x) + f5(x + 1) end
local function f7(x) return f6(x) + f6(x + 1) end
local function f8(x) return f7(x) + f7(x + 1) end
local function f9(x) return f8(x) + f8(x + 1) end
local function g0(x) return f9(x) + f9(x + 1) end
local function g1(x) return g0(x) + g0(x + 1) end
local function g2(x) return g1(x) + g1(x + 1) end
local function g3(x) return g2(x) + g2(x + 1) end
local function g4(x) return g3(x) + g3(x + 1) end
local function g5(x) return g4(x) + g4(x + 1) end
local function g6(x) return g5(x) + g5(x + 1) end
local function g7(x) return g6(x) + g6(x + 1) end
local function g8(x) return g7(x) + g7(x + 1) end
local function g9(x) return g8(x) + g8(x + 1) end
ecs.system("attack", { query = { A }, each = function(e, a) a.x = g9(a.x) end })
