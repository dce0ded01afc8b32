-- A breadth-first search over a grid whose cells are far-apart numbers.
local width, height = 120, 120

return 11520, function()
  local distance, queue, head = { [1001] = 0 }, { { 1, 1 } }, 1
  while queue[head] do
    local cell = queue[head]
    head = head + 1
    local x, y = cell[1], cell[2]
    local d = distance[x * 1000 + y]
    local ways = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } }
    for i = 1, 4 do
      local way = ways[i]
      local a, b = x + way[1], y + way[2]
      if a >= 1 and b >= 1 and a <= width and b <= height and (a * 7 + b * 13 + 1) % 5 ~= 0 then
        local key = a * 1000 + b
        if not distance[key] then
          distance[key] = d + 1
          queue[#queue + 1] = { a, b }
        end
      end
    end
  end
  local sum = 0
  for i = 1, #queue do
    local cell = queue[i]
    sum = sum + distance[cell[1] * 1000 + cell[2]]
  end
  return sum
end
