-- Runs the chunks of the file arg[1], each of at most arg[2] instructions. A chunk is
-- preceded by its length on a line of its own. For each, three fields of the result are
-- written in the same form: what it printed, its error, and "cut" if its time was up.

if jit then jit.off() end -- compiled code asks no hook

-- like is a function of numbers that compares them in order, as PUC's do: those of LuaJIT
-- answer otherwise where one is not a number.
local function like(f, better)
  return function(...)
    local ok, found = pcall(f, ...)
    if not ok then error(found, 2) end
    found = tonumber((...))
    for i = 2, select("#", ...) do
      local other = tonumber((select(i, ...)))
      if better(other, found) then found = other end
    end
    return found
  end
end

-- quoting is a string.format that writes %q as PUC's does: that of LuaJIT writes control characters as numbers.
local function quoting(format)
  return function(form, ...)
    if type(form) ~= "string" or not form:find("%q", 1, true) then return format(form, ...) end
    local ok, text = pcall(format, form, ...)
    if not ok then error(text, 2) end
    return (text:gsub("\\(.)(%d*)", function(first, more)
      if not first:find("%d") then return end
      local digits = first .. more
      local byte = tonumber(digits:sub(1, 3))
      return (byte == 0 and "\\000" or byte == 13 and "\\r" or string.char(byte)) .. digits:sub(4)
    end))
  end
end

local limit = tonumber(arg[2])

local function copied(library)
  local copy = {}
  for name, value in pairs(library) do copy[name] = value end
  return copy
end

-- environment makes globals of which a chunk may destroy all.
local function environment(out)
  local env = copied(_G)
  for _, name in ipairs { "string", "table", "math", "coroutine", "os" } do
    env[name] = copied(_G[name])
  end
  if jit then
    env.math.max = like(math.max, function(a, b) return a > b end)
    env.math.min = like(math.min, function(a, b) return a < b end)
    env.string.format = quoting(string.format)
  end
  env._G = env
  env.print = function(...)
    local line = {}
    for i = 1, select("#", ...) do line[i] = tostring((select(i, ...))) end
    out[#out + 1] = table.concat(line, "\t") .. "\n"
  end
  return env
end

-- A hook belongs to one coroutine: those that a chunk makes get one, too.
local function watch(env, hook, left)
  local create, wrap = coroutine.create, coroutine.wrap
  env.coroutine.create = function(f)
    local ok, co = pcall(create, f)
    if not ok then error(co, 2) end
    debug.sethook(co, hook, "", left())
    return co
  end
  env.coroutine.wrap = function(f)
    local ok, wrong = pcall(create, f)
    if not ok then error(wrong, 2) end
    return wrap(function(...)
      debug.sethook(hook, "", left())
      return f(...)
    end)
  end
end

local run
function run(chunk)
  local out, cut = {}, false
  local env = environment(out)
  local f, err = loadstring(chunk, "=p")
  if f then
    setfenv(f, env)
    local hook
    function hook()
      if debug.getinfo(2, "f").func == run then return end
      cut = true
      debug.sethook(hook, "", 1) -- a pcall may catch the error, so raise it anew
      error("cut", 0)
    end
    watch(env, hook, function() return cut and 1 or limit end)
    debug.sethook(hook, "", limit)
    local ok, e = pcall(f)
    debug.sethook()
    err = not ok and "error: " .. tostring(e) or nil
  end
  return table.concat(out), err or "", cut and "cut" or ""
end

local file = assert(io.open(arg[1], "rb"))
while true do
  local size = file:read("*n")
  if not size then break end
  file:read(1)
  for _, field in ipairs { run(size > 0 and file:read(size) or "") } do
    io.write(#field, "\n", field)
  end
end
