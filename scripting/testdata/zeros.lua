-- What random functions over zeros run in, in PUC Lua. A zero that is written comes from
-- pz or nz, and arithmetic goes through ar, which makes 0 of -0: the rule of LUA.md.
-- mod is the exact remainder, single rounds to float32. Until a function ends, its fields
-- hold what it has assigned; what does not fit their kind is rounded then.
local pz, one = tonumber("0"), tonumber("1")
local nz = -pz
local function ar(x) if x == pz then return pz end return x end
local function mod(x, y)
  local r = math.fmod(x, y)
  if r * y < pz then r = r + y end
  return ar(r)
end
local function neg(x) return -x end
local function keep(x) return x end
local function twice(x) return ar(x * 2) end
local function flip(x, y) if x < y then return x end return y end
local function whole(x) return (math.modf(x)) end
local function fraction(x) local _, f = math.modf(x) return f end
local function fit(x)
  if x ~= x or x > 1e9 or x < -1e9 then return pz end
  return mod(math.floor(math.abs(x)), 100)
end
local function single(x)
  if x ~= x or x == pz or x == math.huge or x == -math.huge then return x end
  local m, e = math.frexp(math.abs(x))
  local bits = math.min(24, 24 + e + 125)
  local r = math.ldexp(m, bits)
  local f = math.floor(r)
  if r - f > 0.5 or r - f == 0.5 and f % 2 == 1 then f = f + 1 end
  r = math.ldexp(f, e - bits)
  if r > 3.4028234663852886e38 then r = math.huge end
  if x < pz then return -r end
  return r
end
local function show(x)
  if x ~= x then return "nan" end
  if x == pz then return 1 / x < pz and "-0" or "0" end
  if x == math.huge then return "+Inf" end
  if x == -math.huge then return "-Inf" end
  return (("%.13g"):format(x):gsub("e([-+])0*(%d%d)", "e%1%2"))
end
local kinds = { s = single, t = single, i = ar, u = ar }
local function buffered(data, kind)
  local own = {}
  local function flush() for k, v in pairs(own) do data[k] = kind(k)(v) end end
  return setmetatable({}, {
    __index = function(_, k) if own[k] ~= nil then return own[k] end return data[k] end,
    __newindex = function(_, k, v) own[k] = v end,
  }), flush
end
local function run(each, r)
  local row, flush = buffered(r, function(k) return kinds[k] or keep end)
  local l, m, flush_l, flush_m = r.l, r.m
  r.l, flush_l = buffered(l, function() return keep end)
  r.m, flush_m = buffered(m, function() return single end)
  each(row, r.beyond)
  flush() flush_l() flush_m()
  r.l, r.m = l, m
end
local function judge(rows, ...)
  for tick = 1, 2 do
    for _, each in ipairs { ... } do
      for _, r in ipairs(rows) do run(each, r) end
    end
  end
  for _, r in ipairs(rows) do
    local out = {}
    for _, v in ipairs { r.a, r.b, r.c, r.d, r.l[1], r.l[2], r.l[3], r.beyond.v, r.s, r.t, r.m[1], r.m[2], r.beyond.w, r.i, r.u } do
      out[#out + 1] = show(v)
    end
    print(table.concat(out, " "))
  end
  print("end")
end
