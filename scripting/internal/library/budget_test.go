package library_test

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/scripting/internal/library"
	"github.com/perigee-ecs/perigee/scripting/internal/library/librarytest"
)

// TestHostile: scripts that would run forever, or eat all memory, end within their budget and
// leave the machine usable.
func TestHostile(t *testing.T) {
	for name, script := range librarytest.Hostile {
		t.Run(name, func(t *testing.T) {
			m := newHost(library.Options{})
			start := time.Now()
			m.budget.Watch = func() error {
				if time.Since(start) > 500*time.Millisecond {
					return errors.New("out of time")
				}
				return nil
			}
			out, _ := m.run(script, 1_000_000, 64<<20)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if !strings.HasPrefix(out, "error: ") {
				t.Errorf("ended with %q", out)
			}
			if got, _ := m.run(`print(1 + 1)`, 1000, 0); got != "2\n" {
				t.Errorf("the machine is broken afterwards: %q", got)
			}
		})
	}
}

// The same script takes the same number of steps each time.
func TestStepsRepeat(t *testing.T) {
	const src = `local n = 0 for i = 1, 100 do n = n + #("x"):rep(i) pcall(error) end coroutine.wrap(function() coroutine.yield() end)()`
	var used [3]int64
	for i := range used {
		out, steps := newHost(library.Options{}).run(src, 200_000, 0)
		if used[i] = steps; out != "" {
			t.Fatal(out)
		}
	}
	if used[0] == 0 || used[0] != used[1] || used[1] != used[2] {
		t.Errorf("%v steps", used)
	}
}

// A coroutine made in one call runs on the steps of the call that resumes it.
func TestCoroutineRunsOnTheStepsOfWhoeverResumesIt(t *testing.T) {
	m := newHost(library.Options{})
	env := m.lib.Env()
	script := func(src string, steps int64) (string, bool) {
		out, _ := m.runIn(env, src, steps, 0)
		return out, m.budget.Stopped()
	}
	if out, _ := script(`keep = coroutine.wrap(function() coroutine.yield() while true do end end) keep()`, 1000); out != "" {
		t.Fatal(out)
	}
	if out, spent := script(`keep()`, 500); !strings.Contains(out, "used 501 of 500 instructions") || !spent {
		t.Errorf("%q", out)
	}
}

// What the host asks every 8,192 steps stops a script at once.
func TestWatch(t *testing.T) {
	m, calls := newHost(library.Options{}), 0
	m.budget.Watch = func() error {
		if calls++; calls == 5 {
			return errors.New("stop now")
		}
		return nil
	}
	if out, used := m.run(`while true do end`, 1_000_000, 0); out != "error: p:1: stop now\n" || used > 6*8192 {
		t.Errorf("%q after %d steps", out, used)
	}
}

// A budget of no steps allows nothing.
func TestNoSteps(t *testing.T) {
	if out, _ := newHost(library.Options{}).run(`print(1)`, 0, 0); out != "error: p:1: script ran too long: no instructions are left for it (Limits.Instructions)\n" {
		t.Errorf("%q", out)
	}
}

// The number of coroutines is limited, but only those that can be reached count.
func TestCoroutineLimit(t *testing.T) {
	m := newHost(library.Options{MaxCoroutines: 50})
	if out, _ := m.run(`local t = {} for i = 1, 100 do t[i] = coroutine.create(function() end) end`, enough, 0); !strings.Contains(out, "too many coroutines") {
		t.Errorf("%q", out)
	}
	out, _ := m.run(`for i = 1, 40 do coroutine.create(function() coroutine.yield() end) end for i = 1, 100 do coroutine.wrap(function() end)() end`, enough, 0)
	if out != "" {
		t.Errorf("%q", out)
	}
}

// Where a script is stopped, and what that has taken, does not depend on when the collector
// ran.
func TestCoroutineLimitRepeats(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, every := range []int{1, 2, 7} { // one of them is kept, for as long as that:
		for _, lasts := range []int{10, 26, 1000} {
			var first string
			for _, percent := range []int{-1, 1} {
				debug.SetGCPercent(percent)
				out, used := newHost(library.Options{MaxCoroutines: 50}).run(fmt.Sprintf(`
			local kept, waste, made = {}, {}, 0
			print(pcall(function()
				for i = 1, 300 do
					local co = coroutine.create(function() coroutine.yield() end)
					coroutine.resume(co)
					made = i
					if i %% %d == 0 then kept[#kept + 1] = co end
					if #kept > %d then
						local first = table.remove(kept, 1)
						if i %% 3 > 0 then coroutine.resume(first) end
					end
					waste = { waste = {}, i }
				end
			end))
			print(made, #kept)`, every, lasts), 1<<40, 0)
				if out += fmt.Sprint(used); first == "" {
					first = out
				}
				if out != first || (lasts == 1000 && every <= 2) != strings.Contains(out, "too many coroutines: 51 of 50") {
					t.Errorf("one of %d kept, up to %d, with GOGC=%d:\n%s\nbefore:\n%s", every, lasts, percent, out, first)
				}
			}
		}
	}
}

// When a script has nearly as many coroutines as it may, each that it makes and loses has the
// collector run. That counts.
func TestCoroutinesAreCollectedSeldom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	m := newHost(library.Options{MaxCoroutines: 50})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, _ := m.run(`
		local function body() end
		local kept = {}
		for i = 1, 49 do kept[i] = coroutine.create(body) end
		for i = 1, 500 do coroutine.create(body) end`, 50_000_000, 0)
	runtime.ReadMemStats(&after)
	if runs := after.NumGC - before.NumGC; runs > 20 || !strings.Contains(out, "ran too long") {
		t.Errorf("the collector ran %d times for 50 million steps: %s", runs, out)
	}
}

// heavy are calls whose work grows with what they get.
var heavy = []string{
	`("x"):rep(1e6)`, `("xyz"):rep(1e5):upper()`, `("xyz"):rep(1e5):reverse()`, `("xyz"):rep(1e5):byte(1, 5000)`,
	`("x"):rep(1e5):find("y", 1, true)`, `("x"):rep(1e5):find("x-y", 99000)`, `("x"):rep(2000):match("(.-)y")`, `("x y "):rep(1e4):gsub("%w", "<%0>")`,
	`("x y "):rep(1e4):gsub("%w", {x = "1"})`, `("x y "):rep(1e4):gsub("%w", function() end)`, `("%5.1f "):rep(100):format(unpack(L, 1, 100))`,
	`("%s"):format(("x"):rep(1e5))`, `("%q"):format(("x"):rep(1e5))`, `table.concat(L, ",")`, `table.sort(L)`, `table.sort(L, function(a, b) return a > b end)`,
	`table.insert(L, 1, 0)`, `table.remove(L, 1)`, `table.maxn(L)`, `unpack(L, 1, 5000)`, `tonumber(("1"):rep(1e5))`, `tonumber(("1"):rep(1e5), 7)`,
	`rawget(L, ("x"):rep(1e5))`, `rawequal(("x"):rep(1e5), ("x"):rep(1e5))`, `tostring(1/3)`, `string.char(unpack(B))`, `print(("x"):rep(1e5))`,
	`for a, b in ("k=v "):rep(1000):gmatch("(%w)=(%w)") do end`, `next(L, 5)`, `select(2, unpack(L, 1, 5000))`, `setmetatable({}, {})`,
	`table.concat({1/3, 2/3, 1, 1e300})`, `1/3 .. 2/3 .. 1 .. "x"`, `("x"):rep(1e5) .. 1/3`, `("xxx"):gsub("x", {x = 1/3})`,
}

// TestCharges holds what heavy calls cost: they are ended before they have worked long.
func TestCharges(t *testing.T) {
	const around = `local L, B = {}, {} for i = 1, 10000 do L[i] = i * 7 % 10007 end for i = 1, 1000 do B[i] = 65 end `
	used := func(call string) int64 {
		if !strings.HasPrefix(call, "for") {
			call = "local _ = " + call
		}
		out, steps := newHost(library.Options{}).run(around+call, enough, 0)
		if strings.HasPrefix(out, "error") {
			t.Errorf("%s: %s", call, out)
		}
		return steps
	}
	idle := used("1")
	var b strings.Builder
	for _, call := range heavy {
		fmt.Fprintf(&b, "%8d %s\n", used(call)-idle, call)
	}
	golden.Expect(t, "testdata/charges.txt", b.String())
}

// What a function of tables does for each item costs steps.
func TestTablesAreCharged(t *testing.T) {
	used := func(call string) int64 {
		out, steps := newHost(library.Options{}).run(`local t = {} for i = 1, 16000 do t[i] = "x" end `+call, enough, 0)
		if out != "" {
			t.Fatal(out)
		}
		return steps
	}
	if cost := used("table.remove(t, 1)") - used("table.remove(t, 16000)"); cost < 900 {
		t.Errorf("to remove the first item costs %d steps more than the last one", cost)
	}
	if cost := used("table.concat(t)") - used("table.concat(t, '', 1, 1)"); cost < 15_000 {
		t.Errorf("to join all items costs %d steps more than one item", cost)
	}
}
