-- A hierarchy of classes: methods that are two steps of __index away.
local function class(base)
  local c = {}
  c.__index = c
  return setmetatable(c, { __index = base, __call = function(self, ...)
    local o = setmetatable({}, self)
    o:init(...)
    return o
  end })
end

local Unit = class()
function Unit:init(hp) self.hp, self.x = hp, 0 end
function Unit:move(by) self.x = self.x + by end
function Unit:hurt(n) self.hp = self.hp - self:armoured(n) end
function Unit:armoured(n) return n end

local Soldier = class(Unit)
function Soldier:init(hp, armour)
  Unit.init(self, hp)
  self.armour = armour
end
function Soldier:armoured(n) return n > self.armour and n - self.armour or 0 end

local Knight = class(Soldier)
function Knight:move(by) Unit.move(self, by * 2) end

return 200000, function()
  local sum = 0
  for i = 1, 2000 do
    local unit = i % 2 == 0 and Knight(1000, 2) or Soldier(1000, 1)
    for k = 1, 50 do
      unit:move(1)
      unit:hurt(k % 5)
    end
    sum = sum + unit.hp + unit.x
  end
  return sum
end
