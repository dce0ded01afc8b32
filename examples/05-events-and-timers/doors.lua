-- doors.lua: who knocks is let in after two seconds, and the door closes again.

local ecs = require "ecs"

local tuning = { opens_after = 2, closes_after = 1 } -- seconds

local Knock = ecs.native_event("Knock") -- the host's
local Opened = ecs.event("Opened", { door = ecs.u32() }) -- our own

-- Called for each event of that kind that was sent since the last time.
ecs.system "doors.hear" {
  on = Knock,
  each = function(knock, ctx)
    ecs.log("second", ctx.time, "knock at door", knock.door)
    ecs.after(tuning.opens_after, "doors.open", { door = knock.door })
  end,
}

-- Timers call handlers by name and give them the data that they were set with.
ecs.handler("doors.open", function(data)
  ecs.emit(Opened { door = data.door })
end)

ecs.system "doors.opened" {
  on = Opened,
  each = function(opened, ctx)
    ecs.log("second", ctx.time, "open:", opened.door)
    ecs.after(tuning.closes_after, "doors.close", { door = opened.door })
  end,
}

ecs.handler("doors.close", function(data)
  ecs.log("closed:", data.door)
end)
