package scripting_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// crowdedWorld is a world in which whatever a function looks through is long. The
// functions are walked, not written down: one that is added later is called, too.
const crowdedWorld = `
local huge = ("n"):rep(60) .. "1"
local tags, subset = {}, {}
for i = 1, 11 do tags[i] = ecs.tag("Tag" .. i) end
local All, Node = ecs.tag "All", ecs.tag "Node"
local fields = {} for i = 1, 4000 do fields["field" .. i] = 0 end
local Wide = ecs.component("Wide", fields)
local Long = ecs.component("Long", { list = ecs.array(ecs.f64(0), 4096) })
local Small = ecs.component("Small", { x = 0 })
local words = {} for i = 1, 255 do words[i] = "word" .. i end
local Word = ecs.component("Word", { word = ecs.enum(unpack(words)) })
local Event = ecs.event("Event", fields)
local kid = ecs.prefab("kid", { Small })
local kids = {} for i = 1, 9000 do kids[i] = kid end
local Family = ecs.prefab("Family", { Small, children = kids })
local nothing = function() end
for i = 1, 7500 do ecs.system("system" .. i, { phase = "audio", run = nothing }) end
for i = 1, 1900 do ecs.handler("handler" .. i, nothing) end
local state = ecs.state("state", {})

local leaf, top, root, bottom, crowd, wide
local function with(i)
  local list = { All }
  for b = 1, 11 do if math.floor(i / 2 ^ (b - 1)) % 2 == 1 then list[#list + 1] = tags[b] end end
  return unpack(list)
end
local function tree(depth)
  top = ecs.spawn(Node)
  leaf = top
  for i = 1, depth do local e = ecs.spawn(Node) ecs.set_parent(e, leaf) leaf = e end
end
ecs.system("make", { phase = "input", run = function(ctx)
  if ctx.tick == 1 then
    for i = 0, 1023 do ecs.spawn(with(i)) end
    for i = 1024, 2047 do ecs.despawn(ecs.spawn(with(i))) end
    wide = ecs.spawn(Wide, Long, Small, Word)
  elseif ctx.tick == 2 then
    tree(1000)
    root, bottom = top, leaf
    crowd = ecs.spawn(Node)
    local list = ecs.spawn_many(20000, Node)
    for i = 1, #list do ecs.set_parent(list[i], crowd) end
  end
end })

local arguments = {
  function() return huge end,
  function() return huge, true end,
  function() return "system7499", true end,
  function() return "handler1899" end,
  function() return 1, "handler1899", fields end,
  function() return 1, "handler18999" end,
  function() return 1, huge end,
  function() return All end,
  function() return { All, without = tags } end,
  function() return { Node } end,
  function() return { Small, changed = Small } end,
  function() return { tags[1], tags[2], any = tags } end,
  function() return crowd end,
  function() return top end,
  function() return leaf end,
  function() return wide end,
  function() return wide, Wide end,
  function() return wide, Wide, "field3999" end,
  function() return wide, Wide, "field39999" end,
  function() return wide, Wide, nothing end,
  function() return wide, Long end,
  function() return wide, Long, nothing end,
  function() return wide, Wide { field3999 = 1 } end,
  function() return wide, Wide { field39999 = 1 } end,
  function() return wide, Word { word = "word25" } end,
  function() return wide, Word { word = "words" } end,
  function() return wide, Small end,
  function() return wide, leaf end,
  function() return leaf, top end,
  function() return top, leaf end,
  function() return crowd, leaf end,
  function() return crowd, nil end,
  function() return Family end,
  function() return 1, Family end,
  function() return 0, Family end,
  function() return 3, Small, nothing end,
  function() return Family, Small { x = 1 } end,
  function() return Event end,
  function() return Event, fields end,
  function() return Event, { field3999 = 1 } end,
  function() return Event, { field39999 = 1 } end,
}

local functions = {}
for name in pairs(ecs) do if type(ecs[name]) == "function" then functions[#functions + 1] = name end end
table.sort(functions)
-- what the call has done before: nothing; a tree of its own; its limits are used up
local before = {
  function() end,
  function() tree(200) end,
  function() ecs.spawn(Family) ecs.spawn(Family) end,
}

ecs.system("call", { phase = "logic", run = function(ctx)
  if ctx.tick < 4 then return end
  local f, b, apart = host.next(#functions, #before)
  if f > #functions then return end
  top, leaf = root, bottom
  before[b]()
  local fn = ecs[functions[f]]
  local function all()
    for a = 1, #arguments do
      repeat
        host.begin(functions[f] .. " with arguments " .. a .. " after " .. b)
        local x, y, z = arguments[a]()
        repeat for i = 1, 16 do pcall(fn, x, y, z) end until not host.more()
      until not host.again()
    end
  end
  if apart then coroutine.wrap(all)() else all() end
  error "nothing of it stays"
end })
`

// TestCallsInACrowdAreCharged holds that what counts in a call of a function of ecs
// tracks the time that it takes in a world that has much of everything, whether the call
// fails or not: a call of all instructions takes some seconds.
func TestCallsInACrowdAreCharged(t *testing.T) {
	if testing.Short() {
		t.Skip("calls each function of ecs many times")
	}
	if raceEnabled {
		t.Skip("the race detector makes each call many times slower: what a step takes says nothing in its build")
	}
	if !inItsOwnProcess(t) {
		return
	}
	for _, apart := range []bool{false, true} {
		t.Run(map[bool]string{false: "main thread", true: "coroutine"}[apart], func(t *testing.T) { callInCrowd(t, apart) })
	}
}

// crowdedPatience is how long a call may take besides what it counts, and how many steps
// it is repeated for. A step may take five times as long as on a machine of its own, so
// that the 50 million of a call stay within some seconds.
const (
	crowdedPatience = 10 * time.Millisecond
	crowdedSteps    = 100_000
)

func callInCrowd(t *testing.T, apart bool) {
	limits := scripting.Limits{TickInstructions: -1, Time: -1, Heap: -1, Held: -1, HeldTotal: -1, LogLines: -1, Instructions: 1 << 40, Bytes: 1 << 40, TickRows: -1}
	limits.Spawned, limits.TickSpawned = 25_000, -1
	r := newGameOf(t, ecs.Options{Breaker: ecs.Breaker{Failures: -1}}, limits)
	f, b, functions, calls, tries := 1, 0, 1, 0, 0
	var name string
	var began int64
	var used, took time.Duration
	var counted int64
	expose := func(name string, fn any) {
		if err := r.host.Expose(name, fn); err != nil {
			t.Fatal(err)
		}
	}
	expose("next", func(all, before int) (int, int, bool) {
		functions = all
		if b++; b > before || apart && b > 1 {
			f, b = f+1, 1
		}
		return f, b, apart
	})
	expose("begin", func(call string) { name, began, used = call, r.host.Steps(), processTime() })
	tooLong := func() bool { return took > crowdedPatience+time.Duration(counted)*nanosecondsPerStep }
	expose("more", func() bool {
		calls++
		took, counted = processTime()-used, r.host.Steps()-began
		return !tooLong() && counted < crowdedSteps
	})
	expose("again", func() bool { // the collector's time is not the call's
		if tries++; tooLong() && tries < 4 {
			return true
		}
		if tooLong() {
			t.Errorf("%s: %v of the processor for %d steps", name, took, counted)
		}
		tries = 0
		return false
	})
	r.write("a.lua", "local host = require \"host\"\n"+crowdedWorld)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if f > functions {
			break
		}
		_ = r.host.Step(1.0 / 64) // most calls fail
		r.reported, r.logs = nil, nil
	}
	fmt.Printf("%d calls of %d functions\n", calls, functions)
}
