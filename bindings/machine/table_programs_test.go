package machine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/internal/lua51"
)

// A program that works on tables by numbers that it draws itself, so that it is the same in
// every implementation. It prints sums that do not depend on the order of pairs.
const tableProgram = `
local state = SEED
local function draw(n)
  state = (state * 16807 + 11) % 2147483647
  return state % n
end

local function key(kind, size)
  local what = draw(10)
  if kind == 1 and what < 8 or what < 3 then return draw(size) + 1 end
  if kind == 2 and what < 8 or what < 7 then return "k" .. draw(size) end
  if what == 7 then return draw(size) + 0.5 end
  if what == 8 then return -draw(size) end
  return draw(2) == 0
end

-- the first border: others may differ where a list has holes
local function first(t)
  local n = 0
  while t[n + 1] ~= nil do n = n + 1 end
  return n
end

local function number(v)
  if v == true then return 3 elseif v == false then return 7 end
  if type(v) == "string" then return #v * 31 + 5 end
  if type(v) == "table" then return 11 end
  return v
end

local function sum(t)
  local s, n = 0, 0
  for k, v in pairs(t) do
    n = n + 1
    s = (s + number(k) * 1009 + number(v) * 17) % 1000003
  end
  return s, n
end

for round = 1, 12 do
  local kind, size = draw(3), ({ 4, 12, 60, 400 })[draw(4) + 1]
  local t = ({ function() return {} end, function() return { 1, 2, 3, x = 4 } end,
    function() return { k1 = 1, k2 = 2, k3 = "x" } end, function() return { "a", "b", nil, "d", false } end })[draw(4) + 1]()
  local mirror = setmetatable({}, { __newindex = t, __index = t })
  for i = 1, 600 do
    local what = draw(20)
    if what < 9 then
      local v = draw(4)
      if v == 0 then v = "text" elseif v == 1 then v = true end
      t[key(kind, size)] = v
    elseif what < 13 then
      t[key(kind, size)] = nil
    elseif what == 13 then
      mirror[key(kind, size)] = i
    elseif what == 14 then
      for k, v in pairs(t) do
        local what = (math.floor(number(k)) + i) % 4
        if what == 0 then t[k] = nil elseif what == 1 then t[k] = i end
      end
    elseif what == 15 then
      local n = #t
      assert(n == 0 or t[n] ~= nil, "no item at the border")
      assert(t[n + 1] == nil, "an item after the border")
      t[first(t) + 1] = i
    elseif what == 16 then
      local n = first(t)
      if n > 0 then t[n] = nil end
    elseif what == 17 then
      t.name, t.count = "n" .. i, (t.count or 0) + 1
    elseif what == 18 then
      local n = 0
      for k, v in ipairs(t) do n = n + k end
      print("ipairs", n)
    else
      print(kind, size, sum(t))
    end
  end
  print(round, sum(t))
  local own = rawget(mirror, "k1")
  print(own, mirror.k1 == t.k1, next(mirror))
  for k in pairs(t) do t[k] = nil end
  print(next(t), #t)
  local list = {}
  for i = size, 1, -1 do list[i] = i % 3 == 0 and "x" or i end
  print(#list, sum(list))
  for i = 1, #list do list[i] = nil end
  print(#list, next(list))
end
`

// TestTablesAsInLua compares programs on tables with PUC Lua.
func TestTablesAsInLua(t *testing.T) {
	program := lua51.Find(t, "lua5.1")
	var chunks []string
	for i := range 16 {
		chunks = append(chunks, strings.Replace(tableProgram, "SEED", fmt.Sprint((*seedFlag+uint64(i))%100000*7919+1), 1))
	}
	results, err := program.Run(chunks)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range chunks {
		h := newHost(Options{})
		h.env.SetString("assert", OfFunction(NewNative("assert", func(c *Call) {
			if !c.Arg(1).Truth() {
				panic(c.Arg(2).Str().String())
			}
		})))
		got, raised := h.run(t, text)
		if want := results[i].Out; got != want || raised != nil || results[i].Err != "" {
			t.Errorf("program %d: %v, %v; %s", i, raised, results[i].Err, firstDifference(got, want))
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
