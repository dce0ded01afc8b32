-- Value noise over a grid: arithmetic with floor and %.
local floor = math.floor

local function hashed(x, y)
  local n = (x * 374761 + y * 668265) % 1048573
  return (n * 1274 + 12345) % 65536 / 65536
end

local function smooth(t) return t * t * (3 - 2 * t) end

local function noise(x, y)
  local ix, iy = floor(x), floor(y)
  local fx, fy = smooth(x - ix), smooth(y - iy)
  local a, b = hashed(ix, iy), hashed(ix + 1, iy)
  local c, d = hashed(ix, iy + 1), hashed(ix + 1, iy + 1)
  local top, bottom = a + (b - a) * fx, c + (d - c) * fx
  return top + (bottom - top) * fy
end

return 40000, function()
  local sum = 0
  for y = 1, 100 do
    for x = 1, 100 do
      local height, scale = 0, 1
      for octave = 1, 4 do
        height = height + noise(x * octave / 16, y * octave / 16) * scale
        scale = scale / 2
      end
      sum = sum + height
    end
  end
  return floor(sum * 1000)
end
