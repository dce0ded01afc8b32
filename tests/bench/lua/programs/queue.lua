-- A queue with two indices in a table.
local Queue = {}
Queue.__index = Queue

function Queue.new() return setmetatable({ first = 1, last = 0, items = {} }, Queue) end
function Queue:push(v)
  self.last = self.last + 1
  self.items[self.last] = v
end
function Queue:pop()
  local v = self.items[self.first]
  if v ~= nil then
    self.items[self.first] = nil
    self.first = self.first + 1
  end
  return v
end

return 200000, function()
  local queue, sum = Queue.new(), 0
  for i = 1, 100000 do
    queue:push(i)
    if i % 3 ~= 0 then sum = sum + queue:pop() end
  end
  while true do
    local v = queue:pop()
    if not v then break end
    sum = sum + v
  end
  return sum
end
