-- A binary heap of numbers.
local function push(heap, v)
  local i = #heap + 1
  while i > 1 do
    local above = math.floor(i / 2)
    if heap[above] <= v then break end
    heap[i] = heap[above]
    i = above
  end
  heap[i] = v
end

local function pop(heap)
  local n = #heap
  local first, v, i = heap[1], heap[n], 1
  heap[n] = nil
  n = n - 1
  while 2 * i <= n do
    local child = 2 * i
    if child < n and heap[child + 1] < heap[child] then child = child + 1 end
    if v <= heap[child] then break end
    heap[i] = heap[child]
    i = child
  end
  if n > 0 then heap[i] = v end
  return first
end

return 20000, function()
  local heap, state, sum = {}, 99, 0
  for _ = 1, 10000 do
    state = state * 16807 % 2147483647
    push(heap, state)
  end
  for i = 1, 10000 do sum = sum + pop(heap) % i end
  return sum
end
