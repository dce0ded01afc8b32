--- a component of another entity
local gear = ecs.get(u.mate, Gear)
if gear then
  u.x = gear.a
end
--- a field of a component of another entity
u.x = ecs.get(u.mate, Gear, "a") or 0
--- a component of the row's own entity
local gear = ecs.get(e, Gear)
u.x = gear and gear.a or 0
--- a component in a pool is the host's to find
local heat = ecs.get(u.mate, Heat)
if heat then
  u.x = heat.t
end
--- a tag
u.on = ecs.has(u.mate, Red)
--- two components
u.on = ecs.has(u.mate, Red, Gear)
--- whether an entity lives
u.on = ecs.alive(u.mate)
--- whether a number is a living entity
u.on = ecs.alive(u.x)
--- the parent
local parent = ecs.parent(e)
if parent then
  u.mate = parent
end
--- a call without an entity
u.x = ecs.§get()
--- a component that is not named
u.x = ecs.get(u.mate, §5)
--- an event as a component
u.on = ecs.has(u.mate, §Hit)
--- a field that is not written out
u.x = ecs.get(u.mate, Unit, u.§n)
--- too many arguments
u.x = ecs.§get(u.mate, Gear, "a", 1)
--- a component with Go pointers
u.x = ecs.get(u.mate, §Lost, "a")
--- a copy is not assigned
ecs.get(u.mate, Gear).§a = 1
--- nil of an entity
u.on = ecs.alive(nil)
--- a boolean of an entity
u.on = ecs.has(u.§on, Red)
--- another function of ecs
u.x = ecs.§count(Gear)
--- the parent with two arguments
u.mate = ecs.§parent(e, e)
