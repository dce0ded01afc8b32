--- Timers: once, again and again, cancelled, and chains of them.
local ecs = require "ecs"
local host = require "host"

local fired = {}
local function count(name) fired[name] = (fired[name] or 0) + 1 end
local function refuses(text, call, ...)
  local ok, why = pcall(call, ...)
  assert(not ok and string.find(why, text, 1, true), why)
end

local chain_at = {}
local self_id, other_id

ecs.handler("once", function(data, ctx)
  count "once"
  assert(data.n == 3 and data.list[2] == "b" and data.flag == true)
end)
ecs.handler("chain", function(left, ctx)
  chain_at[#chain_at + 1] = ctx.tick
  if left > 1 then ecs.after(0.1, "chain", left - 1) end
end)
ecs.handler("now", function(_, ctx)
  count "now"
  ecs.after(0, "now")
end)
ecs.handler("self", function()
  count "self"
  if fired["self"] == 2 then ecs.cancel(self_id) end
end)
ecs.handler("other", function() count "other" end)
ecs.handler("canceller", function() ecs.cancel(other_id) end)
ecs.handler("fast", function() count "fast" end)
ecs.handler("order", function(n) fired[#fired + 1] = n end)

ecs.on_start(function(ctx)
  local data = { n = 3, list = { "a", "b" }, flag = true }
  ecs.after(0.05, "once", data)
  data.n = 4 -- the timer has a copy
  ecs.after(0.1, "chain", 4)
  ecs.after(0, "now")
  self_id = ecs.every(0.1, "self")
  other_id = ecs.after(0.2, "other")
  ecs.after(0.1, "canceller")
  ecs.cancel(ecs.after(0.1, "other"))
  ecs.every(1 / 240, "fast")
  for i = 1, 5 do ecs.after(0.3, "order", i) end

  refuses('unknown handler "onse" (did you mean "once"?)', ecs.after, 1, "onse")
  refuses("expected seconds from 0 up, got -1", ecs.after, -1, "once")
  refuses("expected seconds from 0 up, got NaN", ecs.after, 0 / 0, "once")
  refuses("expected seconds from 0.001 up, got 0", ecs.every, 0, "once")
  refuses("expected seconds below 1,000,000,000, got", ecs.every, 1 / 0, "once")
  refuses("expected seconds below 1,000,000,000, got 1e+300", ecs.after, 1e300, "once")
  refuses("argument 1: expected a number, got nil", ecs.after)
  refuses('ecs.after: argument 2: expected the name of a handler, got a function: write ecs.handler("name", function(data, ctx) … end) at the top level, and here ecs.after(seconds, "name")', ecs.after, 1, function() end)
  refuses('ecs.after: the seconds come first, then the name of a handler: write ecs.after(1.5, "once")', ecs.after, "once", 1.5)
  refuses('ecs.every: the seconds come first, then the name of a handler: write ecs.every(2, "name")', ecs.every, function() end, 2)
  refuses("argument 2: expected a string, got nil", ecs.after, 1)
  refuses("expected plain data", ecs.after, 1, "once", { f = function() end })
  refuses("expected plain data", ecs.after, 1, "once", ecs)
  refuses("got a table with a metatable", ecs.after, 1, "once", setmetatable({}, {}))
  refuses("got a table with a metatable", ecs.every, 1, "once", { deep = { setmetatable({}, { __index = { x = 1 } }) } })
  local round = {}
  round.round = round
  refuses("contains itself", ecs.after, 1, "once", round)
  refuses("expected what ecs.after or ecs.every returned", ecs.cancel, 1.5)
  refuses("expected what ecs.after or ecs.every returned", ecs.cancel, 0 / 0)
  refuses("expected a number, got nil", ecs.cancel, nil)
  ecs.cancel(999999) -- long gone
end)

ecs.system "judge" {
  run = function(ctx)
    if ctx.tick ~= 60 then return end
    assert(fired.once == 1 and fired.self == 2 and fired.other == nil)
    assert(#chain_at == 4)
    for i = 2, 4 do assert(chain_at[i] - chain_at[i - 1] == 6, "a chain drifts") end
    assert(fired.now == 60, "one beat of after(0) in each tick: " .. fired.now)
    assert(fired.fast == 240, fired.fast)
    for i = 1, 5 do assert(fired[i] == i, "timers of one time fire as they were made") end
    host.done()
  end,
}
