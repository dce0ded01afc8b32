--- what a kernel computes itself
u.x = math.abs(u.x) + math.sqrt(u.x)
--- floor of what may be a signalling not-a-number
u.x = math.floor(u.x)
--- floor of what was computed
u.x = math.floor(u.x + 1)
--- a captured function
u.x = floor(u.x + 1)
--- what the host computes
u.x = math.sin(u.x) + math.atan2(u.x, u.y)
--- two results of the host
local whole, part = math.modf(u.x)
u.x = whole + part
--- the greatest and the least
u.x = math.max(u.x, u.y, 3) + math.min(u.x, 1)
--- a constant of the library
u.x = math.pi
--- a fraction at random
u.x = math.random()
--- a whole number at random
u.x = math.random(6)
--- a whole number from a range
u.x = math.random(2, u.n)
--- the generator of the world
u.x = ecs.random()
--- a whole number of the world's
u.x = ecs.random(1, 6)
--- too few arguments
u.x = math.§atan2(1)
--- no arguments
u.x = math.§max()
--- a boolean
u.x = math.abs(u.§on)
--- what is not there
u.x = math.§nothing(1)
--- three bounds
u.x = ecs.§random(1, 2, 3)
--- a library that the text may change
math.§floor = 1
u.x = math.floor(u.x)
