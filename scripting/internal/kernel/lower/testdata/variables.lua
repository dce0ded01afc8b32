--- a local
local a = u.x
a = a + 1
u.x = a
--- two at once, from left to right
local a, b = u.x, u.y
a, b = b, a
u.x = a - b
--- a local without a value begins as nil
local a
if u.on then
  a = u.x
end
u.x = a or 5
--- a local that may be set to nil
local a = u.x
if u.on then
  a = nil
end
u.x = a or 5
--- nil in arithmetic stops at the row
local a
if u.on then
  a = u.x
end
u.x = a + 1
--- a shadowed name
local a = 1
do
  local a = 2
  u.x = a
end
u.y = a
--- a variable of two types
local a = 1
a = §true
--- a variable that begins as nil and gets a boolean
local a
a = u.§on
--- a parameter
§u = 2
--- a global
§total = 2
--- a global that is read
u.x = §total
--- nil as a number
u.x = §nil
--- the entity
u.x = e
--- a table of its own
local t = §{}
--- a function as a value
u.x = §function() end
--- a component as a number
u.x = §u
--- ctx as a value
u.x = §ctx
