-- Measures a workload of columns.lua.
--
--   lua turns.lua WORKLOAD N TICKS SECONDS
--
-- does TICKS ticks with N entities and prints the sum of all numbers that they
-- hold then; after it the least time of a tick, in nanoseconds per entity, that
-- five turns of so many SECONDS have seen. Without SECONDS nothing is measured.

local workload, n, ticks, seconds = arg[1], tonumber(arg[2]), tonumber(arg[3]), tonumber(arg[4])
local open = dofile(arg[0]:gsub("[^/\\]*$", "") .. "columns.lua")

local tick, state, after, extra, unordered = open(workload, n)

-- total adds up all numbers, row by row; those without a fixed place are sorted.
local function total()
  local sum = 0
  for _, group in ipairs(state) do
    if unordered then
      table.sort(group[1])
    end
    for i = 1, n do
      for c = 1, #group do
        sum = sum + group[c][i]
      end
    end
  end
  for _, value in ipairs { (extra or function() end)() } do
    sum = sum + value
  end
  return sum
end

local clock = os.clock

-- watching is what it costs to look at the clock twice, at least.
local function watching()
  local least = 1
  for _ = 1, 100 do
    local began = clock()
    for _ = 1, 100 do
      clock()
      clock()
    end
    least = math.min(least, (clock() - began) / 100)
  end
  return least
end

local overhead = after and watching() or 0

-- run does some ticks and returns how long they took, what follows each left out,
-- and how long it took itself.
local function run(times)
  local began, spent = clock(), 0
  if not after then
    for _ = 1, times do
      tick()
    end
    spent = clock() - began
    return spent, spent
  end
  for _ = 1, times do
    local before = clock()
    tick()
    spent = spent + (clock() - before - overhead)
    after()
  end
  return math.max(spent, 0), clock() - began
end

run(ticks)
print(string.format("%.17g", total()))
if seconds then
  local times = 1
  while select(2, run(times)) < seconds / 2 do
    times = times * 2
  end
  local best = math.huge
  for _ = 1, 5 do
    best = math.min(best, run(times))
  end
  print(best / times / n * 1e9)
end
