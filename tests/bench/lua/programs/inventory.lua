-- Inventories: nested tables with names of items, weights and stacks.
local kinds = { sword = { weight = 5, price = 40 }, potion = { weight = 1, price = 8 }, arrow = { weight = 0.1, price = 1 }, shield = { weight = 7, price = 30 } }
local names = { "sword", "potion", "arrow", "shield" }

local function give(bag, name, n)
  local stack = bag.items[name]
  if not stack then
    stack = { count = 0, kind = kinds[name] }
    bag.items[name] = stack
  end
  local room = bag.limit - bag.weight
  if n * stack.kind.weight > room then return false end
  stack.count = stack.count + n
  bag.weight = bag.weight + n * stack.kind.weight
  return true
end

local function sell(bag)
  local gold = 0
  for _, stack in pairs(bag.items) do
    gold = gold + stack.count * stack.kind.price
    bag.weight = bag.weight - stack.count * stack.kind.weight
    stack.count = 0
  end
  return gold
end

return 100000, function()
  local bags, gold = {}, 0
  for i = 1, 50 do bags[i] = { items = {}, weight = 0, limit = 80 + i } end
  for i = 1, 100000 do
    local bag = bags[i % 50 + 1]
    if not give(bag, names[i % 4 + 1], i % 3 + 1) then gold = gold + sell(bag) end
  end
  return gold
end
