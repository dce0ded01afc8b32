--- Every fault of a declaration is told at once, each at its line.
local ecs = require "ecs"

local Spot, Idle, Placed = ecs.native("Spot"), ecs.native("Idle"), ecs.native("Placed")

ecs.native("Spott") ---! "unknown native component \"Spott\" (did you mean \"Spot\"?)"
ecs.native_event("Hitt") ---! "unknown native event \"Hitt\" (did you mean \"Hit\"?)"

-- Components.
local Health = ecs.component("Health", { hp = 100 })
ecs.component("Health", { hp = 1 }) -- the same again, with another default
ecs.component("Health", { hp = ecs.f32() }) ---! "component \"Health\" is declared with other fields in"
ecs.component("Spot", { x = 0 }) ---! "declared by the Go host with other fields: use ecs.native(\"Spot\")"
ecs.component("", { x = 0 }) ---! "needs a name"
ecs.tag("") ---! "needs a name"
ecs.component("A", { x = "1" }) ---! "expected a kind such as ecs.f32(0), a number or a boolean, got the string \"1\""
ecs.component("B", { 1, 2 }) ---! "fields have names: write name = ecs.f32(0)"
ecs.component("C", { x = 1 }, { sparze = true }) ---! "unknown option \"sparze\""
ecs.component("D", { x = 1 }, { sparse = 1 }) ---! "option \"sparse\": expected true or false"
ecs.component("T", { x = 1 }, { tracked = 1 }) ---! "option \"tracked\": expected true or false"
ecs.component("E", { x = 1 }, { version = 1.5 }) ---! "option \"version\": expected a whole number"
local many = {}
for i = 1, 40 do many["f" .. i] = ecs.array(ecs.f64(1), 4096) end
local Huge = ecs.component("Huge", many) ---! "would have more than"
ecs.prefab("HugeOne", { Huge { f1 = { 1, 2, 3 }, f2 = { 4 } }, Huge }) -- no echo

-- Events.
local Damage = ecs.event("Damage", { amount = 1 })
ecs.event("Damage", { amount = ecs.u8() }) ---! "event \"Damage\" is declared with other fields in"
ecs.event("", {}) ---! "needs a name"
ecs.event("Hit", {}) ---! "event \"Hit\" is declared by the Go host with other fields"

-- Systems.
local function nothing() end
ecs.system "a" {
  phaze = "logic", ---! "unknown option \"phaze\" (did you mean \"phase\"?)"
  run = nothing,
}
ecs.system "b" { phase = "logik", run = nothing } ---! "unknown phase \"logik\" (did you mean \"logic\"?)"
ecs.system "c" { phase = 3, run = nothing } ---! "unknown phase \"3\"; the phases are input, logic, physics"
ecs.system "d" {} ---! "expected exactly one of each, batch and run"
ecs.system "e" { run = nothing, each = nothing, query = { Spot } } ---! "expected exactly one"
ecs.system "f" { each = nothing } ---! "need a query"
ecs.system "g" { query = { Spot }, run = nothing } ---! "run goes without a query"
ecs.system "h" { query = {}, each = nothing } ---! "names no component"
ecs.system "i" { query = Spot, each = nothing } ---! "expected a table of components, got the component Spot"
ecs.system "j" { query = { "Spot" }, each = nothing } ---! "expected a component, got the string \"Spot\""
ecs.system "k" { query = { Spot, wihout = { Idle } }, each = nothing } ---! "unknown query option \"wihout\" (did you mean \"without\"?)"
ecs.system "l" { query = { Spot, Spot }, each = nothing } ---! "listed twice"
ecs.system "m" { on = Spot, each = nothing } ---! "on: expected an event, got the component Spot"
ecs.system "n" { on = Damage, query = { Spot }, each = nothing } ---! "no query"
ecs.system "o" { on = Damage, run = nothing } ---! "each = function(ev, ctx)"
ecs.system "p" { run = 5 } ---! "run: expected a function, got the number 5"
ecs.system "q" { run = nothing, every = -1 } ---! "every: expected seconds from 0 up, got the number -1"
ecs.system "r" { run = nothing, every = "1" } ---! "every: expected seconds"
ecs.system "s" { run = nothing, priority = 1.5 } ---! "priority: expected a whole number"
ecs.system "t" { run = nothing, enabled = "no" } ---! "enabled: expected true or false, got the string \"no\""
ecs.system "u" { run = nothing, fixed = 1 } ---! "fixed: expected true or false"
ecs.system "v" { run = nothing, after = 5 } ---! "after: expected a list of system names"
ecs.system "w" { run = nothing, before = { nothing } } ---! "before: expected the name of a system, got a function"
ecs.system "" { run = nothing } ---! "needs a name"
ecs.system "twice" { run = nothing }
ecs.system "twice" { run = nothing } ---! "the name is used twice"
ecs.system "forgotten" ---! "system \"forgotten\" has no table"
ecs.system "x" { query = { Spot }, each = function(e, p) p.z = 1 end } ---! "unknown field \"z\" of \"Spot\""
ecs.system "y" { query = { Spot, Idle }, each = function(e, p, ctx) return ctx.dt end } ---! "each takes the entity, then the query's components"
ecs.system "z" { query = { Spot, Idle }, each = function(e, p, idle) return idle.speed end } ---! "it is a tag"
ecs.system "aa" { query = { Spot }, each = function(e, p, v, ctx) p.x = v.x end } ---! "each takes 4 parameters"
ecs.system "bb" { query = { Placed }, each = function(e, p)
  rawequal(p, nil)
  p.turm = 1 ---! "unknown field \"turm\" of \"Placed\" (did you mean \"turn\"?)"
end }
ecs.system "l2" { query = { Spot, without = { Spot } }, each = nothing } ---! "no entity can match: \"Spot\" is in without, and it is asked for"
ecs.system "l3" { query = { Spot, with = Idle, without = { Placed, Idle } }, each = nothing } ---! "no entity can match: \"Idle\" is in without"
ecs.system "l4" { query = { Spot, any = { Idle, Placed }, without = { Placed, Idle } }, batch = nothing } ---! "no entity can match: all that is in any is in without"
ecs.system "l5" { query = { Spot, any = { Idle, Placed }, without = { Idle } }, batch = nothing } -- some can
ecs.system "l6" { query = { Spot, optional = { Placed }, without = { Placed } }, each = nothing } ---! "\"Placed\" is optional and in without: it would be nil for all"
ecs.kernel({ Spot, without = { Spot } }, function(e, p) p.x = 1 end) ---! "no entity can match"
ecs.system "e1" { query = { Spot }, each = function(p, ctx) p.x = 3 end } ---! "the first parameter of each, \"p\", is the entity, a number, which has no field \"x\": each takes the entity, then the query's components in order, also the optional ones, then ctx"
ecs.system "e2" { query = { Spot, Placed }, kernel = "off", each = function(p, q)
  for i = 1, 2 do
    if i == 2 then return p.x end -- after a branch nothing is certain
  end
end }
local function shared(e) if type(e) == "table" then return e.x end end
ecs.system "e7" { query = { Spot }, each = shared }
ecs.on_add("shared", Spot, shared)
ecs.system "e3" { query = { Spot }, each = function(p) p[1] = 3 end } ---! "is the entity, a number, and has no fields"
ecs.system "e4" { query = { Spot }, each = function(p) p:move() end } ---! "which has no field \"move\""
ecs.system "e5" { query = { Spot }, each = function(e, p) e = { x = 1 } return e.x end } -- another value
ecs.system "e6" { query = { Spot }, each = function(e, p) local function f() e = { x = 1 } end f() return e.x end } -- too
ecs.kernel({ Spot }, function(p) p.x = 3 end) ---! "the first parameter of each, \"p\", is the entity"
ecs.on_add(Spot, function(p) p.x = 3 end) ---! "the first parameter of the function, \"p\", is the entity, a number, which has no field \"x\": it takes the entity, then the fields, then ctx"
ecs.on_spawn("mine", function(ctx) return ctx.time end) ---! "is the entity, a number, which has no field \"time\": it takes the entity, then ctx"
ecs.system "cc" { query = { Spot }, each = print } ---! "each: expected a function"

-- The rest.
ecs.handler("", nothing) ---! "a handler needs a name"
ecs.prefab("", { Spot }) ---! "a prefab needs a name"
ecs.state("", {}) ---! "a state table needs a name"
ecs.drop "" ---! "ecs.drop needs a name"
ecs.on_add("", Spot, nothing) ---! "an observer needs a name"
ecs.kernel("", { Spot }, function(e, p) p.x = 1 end) ---! "a kernel needs a name"
ecs.handler("h", nothing)
ecs.handler("h", nothing) ---! "declared twice"
local Box = ecs.prefab("Box", { Spot, sides = 4 }) ---! "unknown option \"sides\""
ecs.prefab("Box", { Spot }) ---! "declared twice"
