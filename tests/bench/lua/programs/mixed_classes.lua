-- Objects of four classes of two depths come to the same places; some have got fields late.
local Entity = {}
Entity.__index = Entity
function Entity.new(x) return setmetatable({ x = x, hp = 1000 }, Entity) end
function Entity:update(by)
  self.x = self.x + by
  self:think()
end
function Entity:think() end
function Entity:damage(n) self.hp = self.hp - n end

local function class(base)
  local c = setmetatable({}, { __index = base })
  c.__index = c
  return c
end
local Orc, Elf = class(Entity), class(Entity)
local Boss = class(Orc)
function Orc.new(x)
  local o = setmetatable(Entity.new(x), Orc)
  o.rage = 0
  return o
end
function Elf.new(x)
  local o = setmetatable(Entity.new(x), Elf)
  o.mana = 5
  return o
end
function Boss.new(x)
  local o = setmetatable(Orc.new(x), Boss)
  o.phase = 1
  return o
end
function Orc:think() self.rage = self.rage + 1 end
function Elf:think() self.mana = self.mana + 1 end
function Boss:think()
  Orc.think(self)
  self.phase = self.phase + 1
end

return 100000, function()
  local makers, list, sum = { Entity, Orc, Elf, Boss }, {}, 0
  for i = 1, 100 do list[i] = makers[i % 4 + 1].new(i) end
  for _ = 1, 1000 do
    for _, o in ipairs(list) do
      o:update(1)
      o:damage(0.125)
    end
  end
  for i = 1, 100 do sum = sum + list[i].x + list[i].hp end
  return sum
end
