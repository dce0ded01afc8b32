--- a function of another script
u.x = lib.double(u.x)
--- two results
u.x, u.y = lib.pair(u.x, u.y)
--- a result that may be nil
u.x = lib.maybe(u.x) or 7
--- fewer results for some rows
local a, b = lib.few(u.x)
u.x = b or a
--- no results
lib.none()
--- a call in parentheses has one result
local a, b = (lib.pair(u.x, u.y))
u.x = a
--- a function that is written inside
local function twice(v)
  return v * 2
end
u.x = twice(u.x) + twice(u.y)
--- a function that assigns what is around it
local sum = 0
local function add(v)
  sum = sum + v
end
add(u.x)
add(u.y)
u.x = sum
--- the component is handed on
local function move(unit)
  unit.x = unit.x + 1
end
move(u)
--- a function that calls itself
u.x = lib.§endless(u.x)
--- a function with ...
u.x = lib.§any(u.x)
--- a function on a line with another
u.x = lib.one(u.x)
--- a function that returns values of several kinds
u.on = lib.§kinds(u.x)
--- a function with a negative zero
u.x = lib.zero(u.x)
--- a reason inside of a called function
u.x = lib.§text(u.x)
--- a function without a name
u.x = (function() return 1 end§)()
--- a method
u:§move()
--- a global function
§print(u.x)
--- a function that is assigned
§function u.x()
end
--- assert
assert(u.x > 1, "too low")
u.x = 2
--- assert without arguments
§assert()
--- assert with a message that is computed
assert(u.on, u.§x)
--- a function of a script at which the compiler failed
u.x = broken.§f(u.x)
--- a function with ... itself
§function(e, ...)
end
--- a parameter that nothing is passed for
function(e, u, o, lost, ctx, §more)
end
--- ctx is handed on
local function f(a)
  return a.dt
end
u.x = f(ctx)
--- ctx in the place of a number
local function f(a)
  return §a
end
u.x = f(ctx)
