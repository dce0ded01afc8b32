-- Objects with a list of their own that grows.
local Group = {}
Group.__index = Group

function Group.new(n)
  return setmetatable({ total = n, members = {} }, Group)
end

function Group:add(v)
  self.total = self.total + v
  self.members[#self.members + 1] = v
  return self
end

return 200000, function()
  local sum = 0
  for i = 1, 10000 do
    local group = Group.new(i)
    for k = 1, 20 do
      group:add(k)
    end
    sum = sum + group.total
  end
  return sum
end
