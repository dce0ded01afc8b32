package library_test

import (
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/library"
)

// TestPlacesOfManyShapes: what a place finds that remembers shapes is what a key that is computed
// finds, which nothing remembers. Objects of classes of several depths come to the same places; their fields
// come and go, classes get methods late, and objects other classes.
func TestPlacesOfManyShapes(t *testing.T) {
	const program = `

local random, names = math.random, { "a", "b", "c", "d", "e" }
local classes, objects = {}, {}
for i = 1, 12 do
  classes[i] = {}
  if i > 1 and random(4) > 1 then setmetatable(classes[i], { __index = classes[random(i - 1)] }) end
  if random(3) == 1 then classes[i].early = i end
  classes[i].__index = classes[i]
end
classes[13] = { __index = function(o, k) return k .. "!" end }
classes[14] = { __newindex = function(o, k, v) rawset(o, k, v and v + 1000) end }
local function object()
  local o = {}
  for _ = 1, random(0, 5) do o[names[random(5)]] = random(100) end
  if random(5) > 1 then setmetatable(o, classes[random(14)]) end
  return o
end
for i = 1, 20 do objects[i] = object() end
local get = { a = function(o) return o.a end, b = function(o) return o.b end, c = function(o) return o.c end, d = function(o) return o.d end, e = function(o) return o.e end }
local set = { a = function(o, v) o.a = v end, b = function(o, v) o.b = v end, c = function(o, v) o.c = v end, d = function(o, v) o.d = v end, e = function(o, v) o.e = v end }
local call = { a = function(o) return o:a() end, b = function(o) return o:b() end }
for step = 1, 6000 do
  local o, k, what = objects[random(random(20))], names[random(5)], random(12)
  if what <= 5 then
    local found, is = get[k](o), o[k]
    if found ~= is then error(step .. ": the place finds " .. tostring(found) .. ", there is " .. tostring(is)) end
  elseif what <= 8 then
    local v = random(6) > 1 and random(100) or nil
    local had, mt = rawget(o, k), getmetatable(o)
    set[k](o, v)
    local want = v
    if had == nil and mt == classes[14] and v then want = v + 1000 end
    if rawget(o, k) ~= want then error(step .. ": " .. tostring(rawget(o, k)) .. " is stored, not " .. tostring(want)) end
  elseif what <= 10 then
    local m = random(2) == 1 and "a" or "b"
    local f = o[m]
    local ok, got = pcall(call[m], o)
    if ok ~= (type(f) == "function") or ok and got ~= f(o) then error(step .. ": called another " .. m) end
  elseif what == 11 and random(4) == 1 then
    local n = step
    classes[13].__index = random(3) == 1 and classes[random(12)] or random(6) > 1 and function(_, k) return k .. n end or nil
  elseif what == 11 then
    local class = classes[random(12)]
    if random(4) == 1 then class[k] = nil elseif random(2) == 1 then class[k] = step else local n = step class[k] = function() return n end end
  elseif random(3) == 1 then
    setmetatable(o, random(4) > 1 and classes[random(14)] or nil)
  else
    objects[random(20)] = object()
  end
end`
	for range 20 {
		seed := rand.IntN(1 << 30)
		m := newHost(library.Options{Random: rand.NewPCG(uint64(seed), 1)})
		if out, _ := m.run(program, enough, 0); out != "" {
			t.Fatalf("seed %d: %s", seed, out)
		}
	}
}
