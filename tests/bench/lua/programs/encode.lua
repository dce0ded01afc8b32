-- Nested tables as text, with keys in order, as a saved game.
local encode

local function keys(t)
  local list = {}
  for k in pairs(t) do list[#list + 1] = k end
  table.sort(list)
  return list
end

local function object(t)
  local parts = {}
  for _, k in ipairs(keys(t)) do
    parts[#parts + 1] = '"' .. k .. '":' .. encode(t[k])
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function list(t)
  local parts = {}
  for i = 1, #t do parts[i] = encode(t[i]) end
  return "[" .. table.concat(parts, ",") .. "]"
end

function encode(v)
  local kind = type(v)
  if kind == "table" then
    if #v > 0 then return list(v) end
    return object(v)
  elseif kind == "string" then
    return '"' .. v:gsub('[%c"\\]', "_") .. '"'
  end
  return tostring(v)
end

local game = { level = 3, title = "the west", units = {} }
for i = 1, 100 do
  game.units[i] = { name = "unit" .. i, x = i, alive = i % 2 == 0, bag = { "rope", "lamp" } }
end

return 800, function()
  return #encode(game)
end
