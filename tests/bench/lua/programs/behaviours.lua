-- Behaviours as coroutines: each of many units goes on for one step per tick.
local function wait(ticks)
  for _ = 1, ticks do coroutine.yield() end
end

local function patrol(unit)
  while unit.steps < 200 do
    for _ = 1, 3 do
      unit.x = unit.x + unit.facing
      unit.steps = unit.steps + 1
      coroutine.yield("moved")
    end
    unit.facing = -unit.facing
    wait(2)
  end
  return "done"
end

return 100 * 334, function()
  local units = {}
  for i = 1, 100 do
    units[i] = { x = i, facing = 1, steps = 0 }
    units[i].behaviour = coroutine.create(patrol)
  end
  local moved, living = 0, 100
  while living > 0 do
    living = 0
    for i = 1, #units do
      local unit = units[i]
      if coroutine.status(unit.behaviour) ~= "dead" then
        local _, what = coroutine.resume(unit.behaviour, unit)
        if what == "moved" then moved = moved + 1 end
        living = living + 1
      end
    end
  end
  return moved
end
