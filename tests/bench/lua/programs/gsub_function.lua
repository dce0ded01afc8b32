-- Names in a text are replaced by a function.
local values = { name = "Ada", place = "the west", gold = 12 }
local text = ("$name went to $place with $gold coins. "):rep(10)

return 3000, function()
  local size = 0
  for _ = 1, 100 do
    size = size + #text:gsub("%$(%w+)", function(key) return values[key] end)
  end
  return size
end
