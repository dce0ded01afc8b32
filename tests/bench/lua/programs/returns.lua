-- Functions with several results, in assignments and as last arguments.
local function turn(x, y, s, c) return x * c - y * s, x * s + y * c end
local function clamp(x, y) return x > 9 and 9 or x, y > 9 and 9 or y end

return 400000, function()
  local x, y = 3, 4
  for _ = 1, 200000 do
    x, y = clamp(turn(x, y, 0.6, 0.8))
  end
  return x * x + y * y < 26
end
