package scripting_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// hogs are scripts that take what they can get, in every form in which a script runs. Each
// says in how many ticks of the first second it fails before it rests.
var hogs = map[string]struct {
	text  string
	fails int
}{
	"run":       {`ecs.system "s" { run = function() while true do end end }`, 3},
	"each":      {`ecs.system "s" { query = { P }, kernel = "off", each = function(e, p) while true do end end }`, 3},
	"batch":     {`ecs.system "s" { query = { P }, batch = function(b) while true do end end }`, 3},
	"kernel":    {`ecs.system "s" { query = { P }, each = function(e, p) while p.x >= 0 do p.y = p.y + 1 end end }`, 3},
	"long rows": {`ecs.system "s" { query = { P }, each = function(e, p) for i = 1, 100000 do p.y = p.y * 0.5 + i end end }`, 3},
	"when":      {`ecs.system "s" { when = function() while true do end end, run = function() end }`, 3},
	"event": {`local E = ecs.event("E", { x = ecs.f64(1) })
ecs.system "a" { run = function() for i = 1, 10 do ecs.emit(E) end end }
ecs.system "s" { on = E, each = function(ev) while true do end end }`, 3},
	"timer":    {`ecs.on_start(function() ecs.after(0, "h") end) ecs.handler("h", function() while true do end end)`, 1},
	"beats":    {`ecs.on_start(function() ecs.every(0.02, "h") end) ecs.handler("h", function() while true do end end)`, 1},
	"on_start": {`ecs.on_start(function() while true do end end)`, 1},
	"observer": {`ecs.system "s" { run = function() for e in ecs.entities { P } do ecs.set(e, P { y = 1 }) end end }
ecs.on_set(P, function(e, p) while true do end end)`, 1}, // three times for entities of one tick
	"on_error": {`ecs.system "s" { run = function() error("no", 0) end } ecs.on_error(function() while true do end end)`, 3},
	"metamethod": {`local t = setmetatable({}, { __index = function(t, k) return t[k .. "x"] end, __lt = function() while true do end end })
ecs.system "s" { run = function() return t < t end }`, 3},
	"chain of __index": {`local t = setmetatable({}, {}) for i = 1, 90 do t = setmetatable({}, { __index = t }) end
ecs.system "s" { run = function() while true do local _ = t.none end end }`, 3},
	"coroutine":       {`ecs.system "s" { run = function() local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end end }`, 3},
	"coroutines":      {`ecs.system "s" { run = function() while true do coroutine.wrap(function() coroutine.yield() end)() end end }`, 3},
	"caught":          {`ecs.system "s" { run = function() while true do pcall(function() while true do end end) end end }`, 3},
	"called":          {`local k = ecs.kernel({ P }, function(e, p) while p.x >= 0 do p.y = p.y + 1 end end) ecs.system "s" { run = function() k() end }`, 3},
	"called for ever": {`local k = ecs.kernel({ P }, function(e, p) p.y = p.y * 0.5 end) ecs.system "s" { run = function() while true do k() end end }`, 3},
	"columns":         {`ecs.system "s" { query = { P }, batch = function(b) local x = b:col(P, "x") while true do x:mul(1.5) end end }`, 3},
	"lists":           {`ecs.system "s" { query = { P }, batch = function(b) while true do local x = b:read(P, "x") end end }`, 3},
	"sort":            {`local t = {} for i = 1, 200000 do t[i] = (i * 7919) % 200003 end ecs.system "s" { run = function() while true do table.sort(t, function(a, b) return a > b end) end end }`, 3},
	"sort, plain":     {`local t = {} for i = 1, 200000 do t[i] = (i * 7919) % 200003 end ecs.system "s" { run = function() table.sort(t) while true do end end }`, 3},
	"gsub":            {`local t = ("ab"):rep(400000) ecs.system "s" { run = function() while true do local _ = t:gsub(".", "%0%0") end end }`, 3},
	"pattern":         {`local t = ("a"):rep(900000) ecs.system "s" { run = function() return t:find(".-.-.-.-b") end }`, 3},
	"find":            {`local t = ("a"):rep(900000) ecs.system "s" { run = function() while true do local _ = t:find("aaaaaaaab", 1, true) end end }`, 3},
	"format":          {`ecs.system "s" { run = function() while true do local _ = ("%99.99f"):rep(90):format(unpack((function() local t = {} for i = 1, 90 do t[i] = 1e308 end return t end)())) end end }`, 3},
	"concat":          {`local t = {} for i = 1, 100 do t[i] = ("x"):rep(9000) end ecs.system "s" { run = function() while true do local _ = table.concat(t, ",") end end }`, 3},
	"concatenated":    {`ecs.system "s" { run = function() local s = "x" while true do s = s .. s end end }`, 3},
	"rep":             {`ecs.system "s" { run = function() while true do local _ = ("x"):rep(1000000) end end }`, 3},
	"upper":           {`local t = ("a"):rep(1000000) ecs.system "s" { run = function() while true do local _ = t:upper() end end }`, 3},
	"tables":          {`ecs.system "s" { run = function() while true do local _ = {} end end }`, 3},
	"keys":            {`ecs.system "s" { run = function() local t = {} for i = 1, math.huge do t[i * 0.5] = i end end }`, 3},
	"insert":          {`local t = {} for i = 1, 200000 do t[i] = i end ecs.system "s" { run = function() while true do table.insert(t, 1, 0) table.remove(t, 1) end end }`, 3},
	"unpack":          {`local t = {} for i = 1, 7000 do t[i] = i end ecs.system "s" { run = function() while true do local _ = select("#", unpack(t)) end end }`, 3},
	"next":            {`local t = {} for i = 1, 100000 do t["k" .. i] = i end for i = 1, 99999 do t["k" .. i] = nil end ecs.system "s" { run = function() while true do local _ = next(t) end end }`, 3},
	"deep":            {`ecs.system "s" { run = function() local function f() return 1 + f() end while true do pcall(f) end end }`, 3},
	"spawns":          {`ecs.system "s" { run = function() while true do ecs.spawn(P) end end }`, 3},
	"many spawns":     {`ecs.system "s" { run = function() while true do ecs.spawn_many(1000, P) end end }`, 3},
	"changes":         {`ecs.system "s" { run = function() while true do for e in ecs.entities { P } do ecs.set(e, P { y = 1 }) end end end }`, 3},
	"emits":           {`local E = ecs.event("E", { x = ecs.f64(1) }) ecs.system "s" { run = function() while true do ecs.emit(E) end end }`, 3},
	"queries":         {`ecs.system "s" { run = function() while true do for e in ecs.entities { P } do end end end }`, 3},
	"logs":            {`ecs.system "s" { run = function() while true do ecs.log("x") end end }`, 3},
}

// TestReleaseLimitsHoldEachTick: whatever a script does, its ticks have the work that the
// limits of release promise, and it rests after the failures that the documentation names.
func TestReleaseLimitsHoldEachTick(t *testing.T) {
	limits := scripting.ReleaseLimits(60)
	for _, name := range slices.Sorted(maps.Keys(hogs)) {
		t.Run(name, func(t *testing.T) {
			hog := hogs[name]
			r := newGame(t, limits)
			p := ecs.Register[Position](r.world)
			for i := range 100 {
				r.world.Spawn(p.With(Position{X: float64(i)}))
			}
			r.write("a.lua", hog.text)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			failed := 0
			var most, rows int64
			took := time.Duration(math.MaxInt64) // by the shortest tick that failed: others may use the machine
			for range 55 {                       // within the second after which it is tried again
				began := time.Now()
				if err := r.host.StepAll(1.0 / 60); err != nil {
					took = min(took, time.Since(began))
					if failed++; failed == 1 {
						first, _, _ := strings.Cut(err.Error(), "\n")
						t.Logf("%.150s", first)
					}
				}
				work, over := r.host.Work()
				most, rows = max(most, work), max(rows, over)
			}
			if bound := limits.TickInstructions*3/2 + limits.Instructions/50; most > bound {
				t.Errorf("a tick took %d instructions, more than %d", most, bound)
			}
			if bound := limits.TickRows * 3 / 2; rows > bound {
				t.Errorf("functions over rows took %d ns of a tick, more than %d", rows, bound)
			}
			if failed != hog.fails {
				t.Errorf("it failed in %d ticks before it rested, want %d", failed, hog.fails)
			}
			t.Logf("most work in one tick: %d instructions, %d ns of rows; such a tick took %v", most, rows, took)
		})
	}
}

// TestReleaseLimitsFollowTheTick: the limits are parts of a frame, and never above those of
// development.
func TestReleaseLimitsFollowTheTick(t *testing.T) {
	wide, at60, at1000 := scripting.DevelopmentLimits(), scripting.ReleaseLimits(60), scripting.ReleaseLimits(1000)
	if wide.Instructions != 50_000_000 || at60.Instructions != 416_666 || at60.TickInstructions != 555_555 {
		t.Errorf("60 ticks in a second: %+v", at60)
	}
	if at1000.Instructions != 25_000 || at1000.Commands != 1250 || at1000.Spawned != 625 {
		t.Errorf("1,000 ticks in a second: %+v", at1000)
	}
	for rate, same := range map[float64]float64{0: 1, -5: 1, math.Inf(-1): 1, 1e9: 1000, math.Inf(1): 1000, math.NaN(): 60} {
		if scripting.ReleaseLimits(rate) != scripting.ReleaseLimits(same) {
			t.Errorf("a rate of %v is not %v", rate, same)
		}
	}
	if slow := scripting.ReleaseLimits(1); slow.Instructions > wide.Instructions || slow.Bytes > wide.Bytes || slow.Spawned > wide.Spawned || slow.String > wide.String {
		t.Errorf("one tick in a second: %+v", slow)
	}
}

// TestLoadHasMoreThanAFrame: a file may prepare itself when the game starts, for longer than
// a call in a frame may last.
func TestLoadHasMoreThanAFrame(t *testing.T) {
	r := newGame(t, scripting.ReleaseLimits(60))
	r.write("a.lua", `local t = {} for i = 1, 100000 do t[i] = { i } end for i = 1, 3000000 do end`)
	if err := r.host.Load(r.folder); err != nil {
		t.Error(err)
	}
	limits := scripting.ReleaseLimits(60)
	limits.Time = -1 // a slow machine takes longer than it allows
	r = newGame(t, limits)
	r.write("a.lua", `while true do end`)
	if err := r.host.Load(r.folder); err == nil || !strings.Contains(err.Error(), "of 50,000,000 instructions (Limits.Load)") {
		t.Errorf("an endless file: %v", err)
	}
}
