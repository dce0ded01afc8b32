-- A parser of expressions that reads bytes.
local byte, sub = string.byte, string.sub

local expression

local function number(text, at)
  local value, c = 0, byte(text, at)
  while c and c >= 48 and c <= 57 do
    value = value * 10 + (c - 48)
    at = at + 1
    c = byte(text, at)
  end
  return value, at
end

local function factor(text, at)
  if sub(text, at, at) == "(" then
    local value, after = expression(text, at + 1)
    return value, after + 1
  end
  return number(text, at)
end

local function term(text, at)
  local value, after = factor(text, at)
  while byte(text, after) == 42 do
    local right
    right, after = factor(text, after + 1)
    value = value * right
  end
  return value, after
end

function expression(text, at)
  local value, after = term(text, at)
  while true do
    local c = byte(text, after)
    if c == 43 then
      local right
      right, after = term(text, after + 1)
      value = value + right
    elseif c == 45 then
      local right
      right, after = term(text, after + 1)
      value = value - right
    else
      return value, after
    end
  end
end

local text = "12+3*(4+5*(6-2))-7*(8+90)+(1+2)*(3+4)*(5+6)-1000"

return 500 * #text, function()
  local sum = 0
  for _ = 1, 500 do
    sum = sum + expression(text, 1)
  end
  return sum
end
