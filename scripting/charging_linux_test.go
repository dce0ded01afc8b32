package scripting_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/testmain"
	"github.com/perigee-ecs/perigee/scripting"
)

// charged calls every function that a script can reach with hostile arguments. The lists
// are walked, not written down: a function that is added later is called, too.
const charged = `
local huge = ("1"):rep(15000000)
local almost, spaces, deep = huge .. "2", (" "):rep(15000000), {}
local list, holes, texts, same, many = {}, {}, {}, {}, {}
for i = 1, 100000 do list[i] = 100000 - i end
holes[200000] = 1 holes[200000] = nil
for i = 1, 8 do texts[i] = huge .. i end
for i = 1, 7000 do many[i] = huge same[i] = 1 end
do local t = deep for i = 1, 5000 do t.t = {} t = t.t end end
local loop = {} loop.loop, loop[1] = loop, loop
local keyed = {} for i = 1, 50000 do keyed["k" .. i] = i end
for i = 1, 49999 do keyed["k" .. i] = nil end
local nan, inf = 0 / 0, math.huge
local function id(...) return ... end

local arguments = {
  function() return huge, huge, huge end,
  function() return huge, almost, huge end,
  function() return huge, 1, -1 end,
  function() return huge, "1", "%0%0%0%0" end,
  function() return huge, ".-.-.-x", "" end,
  function() return huge, 36 end,
  function() return ("%s"):rep(500) .. "%d", huge end,
  function() return spaces, huge end,
  function() return unpack(many) end,
  function() return unpack(same) end,
  function() return list, 1, 1 end,
  function() return list, huge end,
  function() return list, id end,
  function() return texts end,
  function() return texts, huge end,
  function() return holes end,
  function() return holes, 2, 200000 end,
  function() return keyed end,
  function() return deep, deep, deep end,
  function() return loop, loop, loop end,
  function() return nan, nan, nan end,
  function() return inf, -inf, inf end,
  function() return 1.7e308, 3.3e-300, 1 end,
  function() return id, huge, huge end,
  function() return P, huge, huge end,
  function() return { P, with = texts }, huge end,
  function() return { [huge] = huge }, { [huge] = huge } end,
  function() return P { x = 1 }, huge end,
  function() return 1e9, P, id end,
  function() return 0.5, huge, texts end,
  function() return "h", huge end,
}

local operators = {
  add = function(a, b) return a + b end, sub = function(a, b) return a - b end, mul = function(a, b) return a * b end,
  div = function(a, b) return a / b end, mod = function(a, b) return a % b end, pow = function(a, b) return a ^ b end,
  unm = function(a) return -a end, len = function(a) return #a end, concat = function(a, b) return a .. b end,
  eq = function(a, b) return a == b end, lt = function(a, b) return a < b end, le = function(a, b) return a <= b end,
  index = function(a, b) return a[b] end, newindex = function(a, b) a[b] = 1 end, method = function(a) return a:nothing() end,
  call = function(a, ...) return a(...) end, loop = function(a, b) for i = a, b do return i end end,
  pairs = function(a) for k in pairs(a) do end end, ipairs = function(a) for k in ipairs(a) do end end,
  key = function(a) return ({ [a] = 1 })[a] end, fail = function(a) error(a) end, place = function(a, b) error(a, b) end,
  global = function(a) return _G[a] end, ecs = function(a) return ecs[a] end, host = function(a) return host[a] end,
  require = function(a) return require(a) end, varargs = function(...) return id(...) end,
  constructor = function(...) return { ... } end, select = function(...) return (select("#", ...)) end,
  protected = function(...) return pcall(error, ...) end, handler = function(a) return xpcall(function() error(a) end, function(e) return e .. e end) end,
  coroutine = function(...) return coroutine.wrap(id)(...) end, thread = function(a) return coroutine.create(id)[a] end,
  component = function(a) return P[a] end, value = function(a) return P { [a] = a } end, text = function(a) return ("x")[a] end,
}

local functions, seen = {}, {}
local function collect(prefix, t, depth)
  local names = {}
  for k in pairs(t) do if type(k) == "string" then names[#names + 1] = k end end
  table.sort(names)
  for _, k in ipairs(names) do
    local v = t[k]
    if type(v) == "function" then functions[#functions + 1] = { prefix .. k, v }
    elseif type(v) == "table" and not seen[v] and depth < 3 then seen[v] = true collect(prefix .. k .. ".", v, depth + 1) end
  end
end
seen[_G] = true
collect("", _G, 0)
collect("ecs.", ecs, 0)
collect("operator ", operators, 0)

ecs.handler("h", function() end)
ecs.system "s" { phase = "logic", run = function()
  local f, a = host.next(#functions, #arguments)
  if f > #functions then return end
  local call, make = functions[f][2], arguments[a]
  host.begin(functions[f][1] .. " with arguments " .. a)
  repeat pcall(call, make()) until not host.more()
end }
`

// chargedColumns does the same with what a batch offers.
const chargedColumns = `
local huge = ("1"):rep(15000000)
local list = {} for i = 1, 100000 do list[i] = i end
local id = function(...) return ... end
local arguments = { function() return huge, huge end, function() return P, huge end, function() return P, "x" end, function() return list, list end, function() return 1e308, 5e-324 end }
ecs.system "s" { phase = "logic", query = { P }, batch = function(b)
  local column = b:col(P, "x")
  local names = { "read", "write", "col", "has", "entities", huge }
  for _, n in ipairs { "fill", "copy", "add", "sub", "mul", "div", "min", "max", "madd", "clamp", "sum", "lowest", "highest", huge } do names[#names + 1] = n end
  local f, a = host.next(#names, #arguments)
  if f > #names then return end
  host.begin(names[f]:sub(1, 20) .. " with arguments " .. a)
  local object = b
  if f > 6 then object = column end
  for i = 1, 1000 do local r = object[names[f]] if type(r) == "function" then r(object, arguments[a]()) end end
end }
`

// TestCallsAreCharged holds that what counts in a call tracks the time that it takes, for
// every function of the library with huge, deep and hostile arguments: no call may take
// much longer than its steps say. It runs in a process of its own with a ceiling.
func TestCallsAreCharged(t *testing.T) {
	sideBySide(t)
	if testing.Short() {
		t.Skip("calls each function of the library many times")
	}
	if raceEnabled {
		t.Skip("the race detector makes each call many times slower: what a step takes says nothing in its build")
	}
	if !inItsOwnProcess(t) {
		return
	}
	testmain.PagePrice() // is measured before the calls
	for name, text := range map[string]string{"library": charged, "columns": chargedColumns} {
		t.Run(name, func(t *testing.T) { callAll(t, text) })
	}
}

// inItsOwnProcess reports whether the test runs in a process with a ceiling of memory. If
// not, it has such a one run the test, which must say how many calls it has made.
func inItsOwnProcess(t *testing.T) bool {
	const variable = "PERIGEE_TEST_CHARGED"
	if os.Getenv(variable) != "" {
		return true
	}
	cmd := exec.Command("sh", "-c", `ulimit -v 12000000; exec "$0" -test.run "^$1\$" -test.v`, os.Args[0], t.Name())
	cmd.Env = append(os.Environ(), variable+"=1", "GOMEMLIMIT=2GiB", "GOGC=100") // the collector's time counts, so it comes in small parts
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "calls of") {
		t.Errorf("%v\n%s", err, out)
	} else if testing.Verbose() {
		t.Logf("%s", out)
	}
	return false
}

// callAll runs a script that asks for the next call until it has made all. A call takes too
// long if each of triesOfCalls does: in one, the collector or a busy machine may have a part.
func callAll(t *testing.T, text string) {
	r := newGameOf(t, ecs.Options{Breaker: ecs.Breaker{Failures: -1}}, scripting.Limits{TickInstructions: -1, Time: -1, Bytes: 1 << 30, Held: -1, Systems: -1, HeldTotal: -1, LogLines: -1})
	functions, f, a := 1, 1, 0
	var name string
	var steps int64
	var repeated int
	var used time.Duration
	var pages int64
	expose := func(name string, fn any) {
		if err := r.host.Expose(name, fn); err != nil {
			t.Fatal(err)
		}
	}
	expose("next", func(all, arguments int) (int, int) {
		functions = all
		if a++; a > arguments {
			f, a = f+1, 1
		}
		return f, a
	})
	expose("more", func() bool { // of a quick call, which may be slow only after some others
		repeated++
		return repeated < 20 && processTime()-used < time.Millisecond/2
	})
	expose("begin", func(call string) {
		name, repeated, steps, used, pages = call, 0, r.host.Steps(), processTime(), testmain.Pages()
	})
	r.write("a.lua", "local host = require \"host\"\n"+text)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "batch =") {
		position := ecs.Register[Position](r.world)
		r.world.Spawn(position.With(Position{}))
	}
	calls, tries := 0, 0
	for f <= functions {
		name = ""
		r.step(1)
		if name == "" {
			break
		}
		took, counted := processTime()-used, r.host.Steps()-steps
		took -= time.Duration(testmain.Pages()-pages) * testmain.PagePrice() // memory has a limit of its own
		calls++
		tries++
		slow := took > 100*time.Millisecond+time.Duration(counted)*nanosecondsPerStep
		if slow && tries < triesOfCalls {
			a--
			continue
		}
		if slow {
			t.Errorf("%s: %v of the processor for %d steps", name, took, counted)
		}
		tries = 0
	}
	fmt.Printf("%d calls of %d functions\n", calls, functions)
}

// triesOfCalls is how often a call is made that takes too long.
const triesOfCalls = 6

// nanosecondsPerStep is what a step may take at most, on a slow machine: ten are meant.
const nanosecondsPerStep = 100

// processTime is what the process has had of the processor.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

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
	sideBySide(t)
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

// crowdedPatience is how long a call may take besides what it counts, and crowdedSteps how
// many steps it is repeated for. A step may take five times as long as on a machine of its
// own, so that the 50 million of a call stay within some seconds. After surelySteps a call
// that has had less than a quarter of its time is not repeated any more: it would have to
// get five times slower.
const (
	crowdedPatience = 10 * time.Millisecond
	crowdedSteps    = 100_000
	surelySteps     = 10_000
)

func callInCrowd(t *testing.T, apart bool) {
	limits := scripting.Limits{Systems: -1, TickInstructions: -1, Time: -1, Held: -1, HeldTotal: -1, LogLines: -1, Instructions: 1 << 40, Bytes: 1 << 40, TickRows: -1}
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
		surely := counted > surelySteps && took < time.Duration(counted)*nanosecondsPerStep/4
		return !tooLong() && !surely && counted < crowdedSteps
	})
	// A call that counts too little takes too long each time. The collector, and other
	// processes on the same processors, make one slow now and then, up to five times in a row.
	expose("again", func() bool {
		if tries++; tooLong() && tries < 20 {
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
