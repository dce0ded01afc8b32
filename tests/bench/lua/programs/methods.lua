-- A method that is found through __index.
local Purse = {}
Purse.__index = Purse

function Purse.new(coins)
  return setmetatable({ coins = coins, payments = 0 }, Purse)
end

function Purse:pay(n)
  self.coins = self.coins - n
  return self.coins
end

return 300000, function()
  local purse, sum = Purse.new(300000), 0
  for _ = 1, 300000 do
    sum = sum + purse:pay(1)
  end
  return sum
end
