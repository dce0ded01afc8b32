-- Events with handlers that are closures.
local function bus()
  local handlers = {}
  local self = {}
  function self.on(name, f)
    local list = handlers[name]
    if not list then
      list = {}
      handlers[name] = list
    end
    list[#list + 1] = f
  end
  function self.emit(name, ...)
    local list = handlers[name]
    if list then
      for i = 1, #list do list[i](...) end
    end
  end
  return self
end

return 300000, function()
  local events, damage, kills = bus(), 0, 0
  for i = 1, 3 do
    events.on("hit", function(amount, source)
      damage = damage + amount * i
      if source == "trap" then kills = kills + 1 end
    end)
  end
  events.on("tick", function() damage = damage - 1 end)
  for i = 1, 75000 do
    events.emit("hit", i % 5, i % 10 == 0 and "trap" or "unit")
    events.emit("tick")
  end
  return damage + kills
end
