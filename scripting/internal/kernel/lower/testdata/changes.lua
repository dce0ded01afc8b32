--- an entity ends
ecs.despawn(e)
--- another one ends
ecs.despawn(u.mate)
--- a tag is added
ecs.add(e, Red)
--- a component with values
ecs.add(u.mate, Gear { a = u.x, k = 3, mode = "run" })
--- a component is removed
ecs.remove(u.mate, Gear)
--- values are set
ecs.set(u.mate, Gear { a = 1 })
--- an entity is spawned
ecs.spawn(Gear { a = u.x }, Red)
--- a prefab
ecs.spawn(Bolt)
--- an event
ecs.emit(Hit { target = u.mate, amount = 2, on = u.on })
--- a change in a branch, with a look at what it changes
if ecs.has(u.mate, Red) then
  ecs.remove(u.mate, Red)
end
--- a change of the row that the row stores, too
u.x = u.x + 1
ecs.set(u.mate, Unit { x = 3 })
--- a look at the living after an end
if ecs.alive(u.mate) then
  ecs.despawn(u.mate)
end
--- what spawn returns
u.mate = ecs.§spawn(Bolt)
--- despawn with two arguments
ecs.§despawn(u.mate, Gear)
--- an event without fields
ecs.§emit()
--- a field twice
ecs.add(u.mate, Gear { a = 1, §a = 2 })
--- a field without a name
ecs.add(u.mate, Gear { [§1] = 2 })
--- an unknown field
ecs.add(u.mate, Gear { §nothing = 2 })
--- an event that is added
ecs.add(u.mate, §Hit)
--- a prefab with values
ecs.spawn(§Bolt { a = 1 })
--- a component with Go pointers
ecs.add(u.mate, Lost { §a = 1 })
--- values without a name
ecs.add(u.mate, Gear { §1, 2 })
--- values of a component with Go pointers
ecs.add(u.mate, Lost { §text = 1 })
--- more values than a note has room for
ecs.§spawn(Gear { a = 1, k = 1, mode = "run" }, Gear { a = 1, k = 1, mode = "run" }, Gear { a = 1, k = 1, mode = "run" },
  Gear { a = 1, k = 1, mode = "run" }, Gear { a = 1, k = 1, mode = "run" }, Gear { a = 1, k = 1, mode = "run" },
  Gear { a = 1, k = 1, mode = "run" }, Gear { a = 1, k = 1, mode = "run" }, Gear { a = 1, k = 1, mode = "run" })
