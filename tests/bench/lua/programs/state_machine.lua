-- Guards whose states are functions in a table.
local states = {}

function states.idle(guard, seen)
  guard.bored = guard.bored + 1
  if seen < 3 then return "chase" end
  if guard.bored > 5 then return "patrol" end
end

function states.patrol(guard, seen)
  guard.bored = 0
  guard.x = guard.x + guard.facing
  if guard.x > 10 or guard.x < -10 then guard.facing = -guard.facing end
  if seen < 2 then return "chase" end
  if seen > 8 then return "idle" end
end

function states.chase(guard, seen)
  guard.x = guard.x + (seen - 5) * 0.5
  guard.hits = guard.hits + 1
  if seen > 6 then return "patrol" end
end

return 200000, function()
  local guards = {}
  for i = 1, 100 do
    guards[i] = { state = "idle", bored = 0, x = i, facing = 1, hits = 0 }
  end
  local state = 12345
  for _ = 1, 2000 do
    for i = 1, 100 do
      local guard = guards[i]
      state = state * 48271 % 2147483647
      local next_state = states[guard.state](guard, state % 10)
      if next_state then guard.state = next_state end
    end
  end
  local hits = 0
  for i = 1, 100 do hits = hits + guards[i].hits end
  return hits
end
