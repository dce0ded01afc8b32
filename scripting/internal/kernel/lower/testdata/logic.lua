--- a condition
if u.x > 1 and not u.on or u.y <= 2 then
  u.x = 1
else
  u.x = 2
end
--- and, or that choose a number
u.x = u.on and u.x or 3
--- or with a default that is heavy to compute
u.x = u.on and math.sin(u.x) or 3
--- a boolean from a comparison
u.on = u.x == u.y
--- not of a number
u.on = not u.x
--- a number is true
if u.x then
  u.y = 1
end
--- nil and false
u.on = (nil and u.on) or false
--- a test of nil
local a
if u.on then
  a = 1
end
u.on = a ~= nil
--- a number or false as a value
u.x = u.on §and u.x
--- equality of different kinds is known
u.on = u.x == u.on
--- order with a boolean
u.on = u.§on < 1
--- a name compared with a number
u.on = u.mode == u.x
--- a name that may be nil, compared with a number that may be
local mode, n = u.mode, u.x
if u.on then
  mode, n = nil, nil
end
u.on = mode §== n
