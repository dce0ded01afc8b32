--- every operation of numbers
u.x = -u.x + 2 * 3 - u.x / 4
--- a remainder
u.x = u.x % 3
--- a power is a function of the library
u.x = u.x ^ 3
--- a square
u.x = u.x ^ 2
--- a root that is written as a power
u.x = u.x ^ 0.5
--- a root and a square that are written as calls
u.x = math.pow(u.x, 0.5) + math.pow(u.y, 2)
--- the power of minus one
u.x = u.x ^ -1
--- constants are computed
u.x = 2 + 3 * 4
--- zeros have the signs that are written, and those that arithmetic computes have none
u.x = -0 + u.y * 0
u.y = 1 / -0 + -(0 * -1)
--- a local is read after a call beside it
local a = u.x
u.x = a + math.sin(u.y)
--- float32 (f32)
u.y = u.y + u.slots[1] * 2
--- a boolean is no number
u.x = u.§on + 1
--- a name is no number
u.x = u.§mode + 1
--- a string is no number
u.x = §"a" + 1
--- concatenation
u.x = u.x §.. 1
--- the length of a component
u.x = §#u
--- the length of a list
u.x = #levels
--- minus a boolean
u.x = -u.§on
