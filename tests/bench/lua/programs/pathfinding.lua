-- A* over a grid with walls: a heap of nodes, fields, keys that are numbers.
local width, height = 60, 60

local function wall(x, y)
  return (x * 7 + y * 3) % 11 == 0 and (x + y) % 4 ~= 0
end

local function push(heap, node)
  local i = #heap + 1
  heap[i] = node
  while i > 1 do
    local above = (i - i % 2) / 2
    if heap[above].rank <= node.rank then break end
    heap[i], heap[above] = heap[above], node
    i = above
  end
end

local function pop(heap)
  local first, n = heap[1], #heap
  local last = heap[n]
  heap[n] = nil
  n = n - 1
  if n == 0 then return first end
  local i = 1
  while true do
    local child = 2 * i
    if child > n then break end
    if child < n and heap[child + 1].rank < heap[child].rank then child = child + 1 end
    if last.rank <= heap[child].rank then break end
    heap[i] = heap[child]
    i = child
  end
  heap[i] = last
  return first
end

local function find(from_x, from_y, to_x, to_y)
  local cost, closed, open = {}, {}, {}
  push(open, { x = from_x, y = from_y, rank = 0 })
  cost[from_y * width + from_x] = 0
  local looked = 0
  while #open > 0 do
    local node = pop(open)
    local x, y = node.x, node.y
    local here = y * width + x
    if x == to_x and y == to_y then return cost[here], looked end
    if not closed[here] then
      closed[here] = true
      looked = looked + 1
      for side = 1, 4 do
        local nx = x + (side == 1 and 1 or side == 2 and -1 or 0)
        local ny = y + (side == 3 and 1 or side == 4 and -1 or 0)
        if nx >= 0 and ny >= 0 and nx < width and ny < height and not wall(nx, ny) then
          local there, c = ny * width + nx, cost[here] + 1
          if not cost[there] or c < cost[there] then
            cost[there] = c
            push(open, { x = nx, y = ny, rank = c + math.abs(to_x - nx) + math.abs(to_y - ny) })
          end
        end
      end
    end
  end
  return -1, looked
end

return 3 * 3200, function()
  local sum = 0
  for i = 1, 3 do
    local length, looked = find(1, i, width - 2, height - 2 - i)
    sum = sum + length * 10000 + looked
  end
  return sum
end
