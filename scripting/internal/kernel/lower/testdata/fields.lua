--- fields of every kind are read
u.x = u.y + u.hp + u.n + u.wide
--- fields of every kind are written
u.y, u.hp, u.n, u.wide, u.on = u.x, u.x, u.x, u.x, u.x > 1
--- a field of a struct
u.at.x = u.at.n
--- an element of an array
u.slots[2] = u.slots[1]
--- an element at an index of the row
u.slots[u.n] = u.slots[u.n + 1]
--- a long array
u.x = u.many[u.n]
--- a component that rows may lack
if o then
  o.a = o.a + 1
end
--- a component that rows may lack, without a question
u.x = o.a
--- a name of an enum
if u.mode == "walk" then
  u.mode = "run"
end
--- the enum of another component
if o then
  u.mode = o.mode
end
--- an entity field
u.mate = e
--- an entity field that is nil
u.mate = nil
--- an entity field as a number
u.x = u.mate or 0
--- two entities
u.on = u.mate == e
--- the tick
u.x = ctx.dt + ctx.time + ctx.tick
--- an unknown field
u.x = u.§nothing
--- an unknown field of ctx
u.x = ctx.§nothing
--- a string field
u.x = u.§name
--- a struct as a whole
u.x = u.§at
--- an array as a whole
u.§slots = levels
--- an index of a number
u.x = u.hp§[1]
--- an unknown field of a struct
u.x = u.at.§nothing
--- an unknown name
u.mode = §"fly"
--- a name and a value of another kind
u.mode = u.on §or "walk"
--- a boolean in a number field
u.x = u.§on
--- an assignment to ctx
ctx.§dt = 1
--- a long array that is assigned at an index of the row
u.many[u.n] = 1
--- an index that is a boolean
u.x = levels[u.§on]
--- several targets with an index of the row
u.slots§[u.n], u.x = 1, 2
--- a component with Go pointers
u.x = lost.§text
--- a component with Go pointers as a value
if §lost then
  u.x = 1
end
--- a field of a number
u.x = u.hp.§x
--- a field of the entity
u.x = e.§x
--- an element of the entity
u.x = e§[1]
--- an entity field that is read after it was set to nil
u.mate = nil
u.on = u.§mate == e
--- an entity field that a loop sets to nil and reads
for i = 1, 3 do
  u.on = u.mate == e
  u.mate = §nil
end
--- a very long array that is assigned at an index of the row
u.most§[u.n] = 1
--- a very long array that is assigned, and read at an index of the row
u.most[1] = u.most§[u.n]
--- a long array that another function assigns
u.x = u.many§[u.n]
lib.fill(u)
