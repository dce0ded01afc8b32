local pier_y = 0

return {
  entities = {
    pier = { components = { Place = { x = 0, y = pier_y } } },
    tug = { prefab = "Ship", components = { Place = { x = 1, y = pier_y }, Cargo = {} } },
    barge = {
      prefab = "Ship", parent = "pier",
      components = { Speed = { value = 0 }, Place = { x = -5, y = pier_y }, Cargo = { crates = 3 } },
    },
  },
}
