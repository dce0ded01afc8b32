--- a local that holds a few texts
local kind = "slow"
if u.x > 3 then
  kind = "fast"
end
u.on = kind == "fast"
--- a text that a name always has
local kind = "slow"
u.on = kind == "slow"
--- a text for a field of an enum
local kind = "walk"
if u.on then
  kind = "run"
end
u.mode = kind
--- a choice among texts
local kind = u.on and "walk" or "idle"
u.mode = kind
--- a captured text
u.mode = word
--- a text in a number
u.x = §"a"
