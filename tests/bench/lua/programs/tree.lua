-- Binary trees: made, searched and walked by recursion.
local function insert(node, key)
  if not node then return { key = key } end
  if key < node.key then
    node.left = insert(node.left, key)
  elseif key > node.key then
    node.right = insert(node.right, key)
  end
  return node
end

local function depth(node)
  if not node then return 0 end
  return 1 + math.max(depth(node.left), depth(node.right))
end

return 10000, function()
  local root, state = nil, 5
  for _ = 1, 10000 do
    state = state * 16807 % 2147483647
    root = insert(root, state)
  end
  return depth(root)
end
