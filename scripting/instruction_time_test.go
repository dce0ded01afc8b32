package scripting_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// slowHogs are scripts whose instructions take longer than they are reckoned.
var slowHogs = map[string]string{
	"gmatch":        `local s = ("a "):rep(1e5) local t, n = {}, 0 while true do for w in s:gmatch("%a") do n = n + 1 t[w .. n % 1000] = n end end`,
	"text keys":     `while true do local t = {} for i = 1, 300 do t["k" .. i] = i end end`,
	"concat":        `local s = "" while true do for i = 1, 100 do s = s .. "xy" end s = "" end`,
	"table concat":  `local t = {} for i = 1, 100 do t[i] = "x" .. i end while true do local _ = table.concat(t, ",") end`,
	"format":        `while true do local _ = ("%d %s %g"):format(12345, "abc", 0.1) end`,
	"sort":          `local t = {} for i = 1, 500 do t[i] = (i * 7919) % 503 end while true do table.sort(t, function(a, b) return a > b end) table.sort(t) end`,
	"gsub":          `local s = ("ab"):rep(500) while true do local _ = s:gsub(".", function(c) return c .. c end) end`,
	"gsub to table": `local s = ("ab"):rep(500) local t = { a = "bb", b = "cc" } while true do local _ = s:gsub(".", t) end`,
	"closures":      `local f while true do local n = 0 f = function() n = n + 1 return n end f() end`,
	"tables":        `local t while true do t = { 1, 2, 3, x = 1, y = 2, z = 3 } end`,
	"growth":        `while true do local t = {} for i = 1, 300 do t[i] = i end end`,
	"growth, float": `while true do local t = {} for i = 1, 300 do t[i * 0.5] = i end end`,
	"tostring":      `local n = 0.1 while true do n = n + 0.37 local _ = tostring(n) end`,
	"errors":        `while true do pcall(error, {}) end`,
	"coroutines":    `while true do coroutine.wrap(function() coroutine.yield(1) end)() end`,
	"byte and char": `while true do local _ = string.char(("abcdef"):byte(1, 6)) end`,
	"sub":           `local s = ("abc"):rep(30) while true do for i = 1, 60 do local _ = s:sub(i, i + 20) end end`,
	"unpack":        `local t = { 1, 2, 3, 4, 5, 6, 7, 8 } while true do local _ = { unpack(t) } end`,
	"find":          `local s = ("ab "):rep(300) while true do local _ = s:find("(%a+) (%a+) c") end`,
	"one sort":      `local t = {} for i = 1, 9000 do t[i] = (i * 7919) % 10007 .. "" end table.sort(t) while true do end`,
	"one gsub":      `local _ = ("ab"):rep(400000):gsub("a%w", "%0") while true do end`,
	"one pattern":   `local _ = ("ab"):rep(400000):find("a%w-c") while true do end`,
	"one gmatch":    `local _ = ("ab "):rep(9000):gsub("(%w)(%w)", "%2%1") while true do end`,
	"metamethods":   `local mt = {} mt.__add = function(a, b) return setmetatable({ v = a.v + b.v }, mt) end local x = setmetatable({ v = 1 }, mt) while true do local _ = x + x end`,
}

// longest returns the shortest time that a tick took in which a call was ended, over some ticks,
// and the error that ended it.
func longest(t *testing.T, limits scripting.Limits, texts map[string]string) (took time.Duration, why string) {
	t.Helper()
	r := newGame(t, limits)
	for name, text := range texts {
		r.write(name, text)
	}
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	took = math.MaxInt64
	for range 3 {
		began := time.Now()
		if err := r.host.StepAll(1.0 / 60); err != nil {
			took = min(took, time.Since(began))
			why, _, _ = strings.Cut(err.Error(), "\n")
		}
	}
	return took, why
}

// TestSlowInstructionsAreEnded: each of them ends, by the count or by the clock. How long that
// takes is logged, for it depends on the machine.
func TestSlowInstructionsAreEnded(t *testing.T) {
	limits := scripting.ReleaseLimits(60)
	for _, name := range slices.Sorted(maps.Keys(slowHogs)) {
		took, why := longest(t, limits, map[string]string{"a.lua": `ecs.system "s" { run = function() ` + slowHogs[name] + ` end }`})
		if !strings.Contains(why, "(Limits.") {
			t.Errorf("%s: %q", name, why)
		}
		t.Logf("%-14s %8v %.150s", name, took.Round(10*time.Microsecond), why)
	}
	many := map[string]string{}
	for i := range 30 {
		many[fmt.Sprintf("s%d.lua", i)] = fmt.Sprintf(`ecs.system "s%d" { run = function() %s end }`, i, slowHogs["gmatch"])
	}
	took, why := longest(t, limits, many)
	t.Logf("%-14s %8v %.150s", "30 scripts", took.Round(10*time.Microsecond), why)
}

// TestAllScriptsShareTheTimeOfATick: where each instruction takes 50 ns, scripts that never end
// have three quarters of a frame together, and each has some of it. The clock ends a call, and
// the host counts that.
func TestAllScriptsShareTheTimeOfATick(t *testing.T) {
	limits := scripting.ReleaseLimits(60)
	for _, scripts := range []int{1, 2, 30, 100} {
		r := newGame(t, limits)
		for i := range scripts {
			r.write(fmt.Sprintf("s%d.lua", i), fmt.Sprintf(`turns = 0 ecs.system "s%d" { run = function() while true do turns = turns + 1 end end }`, i))
		}
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.host.SlowClock(50 * time.Nanosecond)
		err := r.host.StepAll(1.0 / 60)
		if err == nil || strings.Count(err.Error(), "InstructionTime)") != scripts || strings.Contains(err.Error(), "no time is left") {
			t.Errorf("%d scripts: %.300v", scripts, err)
		}
		if got := r.host.Unrepeatable(); got != scripts {
			t.Errorf("%d scripts: the clock has ended %d calls", scripts, got)
		}
		most := limits.InstructionTime
		if scripts > 1 {
			most = limits.TickInstructionTime * 3 / 2
		}
		if took := r.host.Clocked(); took > most+time.Duration(scripts)*20*time.Microsecond {
			t.Errorf("%d scripts: a tick of %v, more than %v", scripts, took, most)
		}
		r.host.SlowClock(5 * time.Nanosecond)
		if err := r.host.StepAll(1.0 / 60); err == nil || strings.Contains(err.Error(), "InstructionTime)") {
			t.Errorf("%d scripts whose instructions are fast: %.300v", scripts, err)
		}
	}
}

// TestWhoHasLittleLeftByTheClock: a script whose time of the tick is gone is not called any more
// in that tick, and is not parked for what others have used.
func TestWhoHasLittleLeftByTheClock(t *testing.T) {
	limits := scripting.ReleaseLimits(60)
	limits.InstructionTime = -1
	r := newGame(t, limits)
	r.write("a.lua", `ecs.system "a" { run = function() while true do end end }
ecs.system "b" { after = { "a" }, run = function() for i = 1, 100000 do end end }
ecs.system "c" { after = { "b" }, run = function() end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.host.SlowClock(90 * time.Nanosecond)
	for range 12 {
		err := r.host.StepAll(1.0 / 60)
		if health, ok := r.world.Schedule().Health("c"); !ok || health == ecs.Parked {
			t.Fatalf("c is parked for what others have used: %v", err)
		}
	}
}
