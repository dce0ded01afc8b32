//go:build !machine

package stdlib_test

import (
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/perigee-ecs/perigee/scripting/internal/library/librarytest"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

// Scripts that would run forever, or eat all memory, end within their budget
// and leave the state usable.
func TestBudgetStops(t *testing.T) {
	for name, src := range librarytest.Hostile {
		m := newMachine(stdlib.Options{})
		start := time.Now()
		budget := &stdlib.Budget{Watch: func() error {
			if time.Since(start) > 500*time.Millisecond {
				return errors.New("out of time")
			}
			return nil
		}}
		budget.Reset(1_000_000, 64<<20)
		stdlib.Attach(m.L, budget)
		out := m.run("p", src)
		took := time.Since(start)
		t.Logf("%s: %v", name, took)
		if took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		if !strings.HasPrefix(out, "error: ") {
			t.Errorf("%s: ended with %q", name, out)
		}
		start = time.Now()
		budget.Reset(1000, 0)
		if got := m.run("p", `print(1 + 1)`); got != "2\n" {
			t.Errorf("%s: the state is broken afterwards: %q", name, got)
		}
	}
}

// The same script uses the same number of instructions each time.
func TestBudgetCounts(t *testing.T) {
	const src = `local n = 0 for i = 1, 100 do n = n + #("x"):rep(i) pcall(error) end coroutine.wrap(function() coroutine.yield() end)()`
	var used []int64
	for range 3 {
		m := newMachine(stdlib.Options{})
		budget := new(stdlib.Budget)
		budget.Reset(200_000, 0)
		stdlib.Attach(m.L, budget)
		if out := m.run("p", src); out != "" {
			t.Fatal(out)
		}
		used = append(used, budget.Used())
	}
	if used[0] == 0 || used[0] != used[1] || used[1] != used[2] {
		t.Errorf("used %v instructions", used)
	}
}

// A coroutine made under one budget runs under that of whoever resumes it.
func TestCoroutineInheritsBudget(t *testing.T) {
	m := newMachine(stdlib.Options{})
	budget := new(stdlib.Budget)
	budget.Reset(1000, 0)
	stdlib.Attach(m.L, budget)
	env := m.lib.Env()
	if out := m.run("p", `local co = coroutine.wrap(function() for i = 1, 5000 do coroutine.yield() end end) keep = co print(co())`); out != "\n" {
		t.Fatalf("got %q", out)
	}
	_ = env
	budget.Reset(10, 0)
	if out := m.run("p", `coroutine.wrap(function() while true do end end)()`); !strings.Contains(out, "script ran too long") || !budget.Spent() {
		t.Errorf("got %q", out)
	}
}

func TestBudgetWatch(t *testing.T) {
	m := newMachine(stdlib.Options{})
	calls := 0
	budget := &stdlib.Budget{Watch: func() error {
		if calls++; calls == 5 {
			return errors.New("stop now")
		}
		return nil
	}}
	budget.Reset(1_000_000, 0)
	stdlib.Attach(m.L, budget)
	if out := m.run("p", `while true do end`); out != "error: p:1: stop now\n" || budget.Used() > 6*8192 {
		t.Errorf("got %q after %d instructions", out, budget.Used())
	}
}

// The zero Budget allows nothing.
func TestZeroBudget(t *testing.T) {
	m := newMachine(stdlib.Options{})
	m.L.SetContext(new(stdlib.Budget))
	if out := m.run("p", `print(1)`); !strings.Contains(out, "script ran too long") {
		t.Errorf("got %q", out)
	}
}

func TestCoroutines(t *testing.T) {
	for _, test := range slices.Concat(librarytest.Coroutines, librarytest.YieldsRefused) {
		m := newMachine(stdlib.Options{})
		if got := strings.TrimSuffix(m.run("p", test.Script), "\n"); got != test.Prints {
			t.Errorf("%s\n got %q\nwant %q", test.Script, got, test.Prints)
		}
	}
}

// The number of coroutines is limited, but only those that can be reached count.
func TestCoroutineLimit(t *testing.T) {
	m := newMachine(stdlib.Options{MaxCoroutines: 50})
	out := m.run("p", `local t = {} for i = 1, 100 do t[i] = coroutine.create(function() end) end`)
	if !strings.Contains(out, "too many coroutines") {
		t.Errorf("got %q", out)
	}
	if out := m.run("p", `for i = 1, 40 do coroutine.create(function() coroutine.yield() end) end for i = 1, 100 do coroutine.wrap(function() end)() end`); out != "" {
		t.Errorf("got %q", out)
	}
}

// TestCoroutineLimitRepeats: where a script is stopped, and what that has taken, does not
// depend on when the collector ran.
func TestCoroutineLimitRepeats(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var first string
	for _, percent := range []int{-1, 1, 100} {
		debug.SetGCPercent(percent)
		m := newMachine(stdlib.Options{MaxCoroutines: 50})
		out := m.run("p", `
			local kept, waste, made = {}, {}, 0
			print(pcall(function()
				for i = 1, 1000 do
					local co = coroutine.create(function() coroutine.yield() end)
					coroutine.resume(co)
					made = i
					if i % 7 == 0 then kept[#kept + 1] = co end
					waste = { waste = {}, i }
				end
			end))
			print(made, #kept)`)
		if first == "" {
			first = out
		}
		if out != first || !strings.Contains(out, "too many coroutines: 51 of 50") {
			t.Errorf("with GOGC=%d:\n%s\nbefore:\n%s", percent, out, first)
		}
	}
}

// A prototype with operators in it may run in another state.
func TestPrototypeIsShared(t *testing.T) {
	a, b := newMachine(stdlib.Options{}), newMachine(stdlib.Options{})
	_ = b
	if got := a.run("p", `local s = "a" for i = 1, 3 do s = s .. i end print(s) print("\0concat", "\0\0pop")`); got != "a123\n\x00concat\t\x00\x00pop\n" {
		t.Errorf("got %q", got)
	}
	_ = lua.LNil
}

// TestTakenStepsAreAttendedTo counts steps from outside: they stop nothing until
// somebody attends to them, and then the next instruction is stopped.
func TestTakenStepsAreAttendedTo(t *testing.T) {
	looks := 0
	b := &stdlib.Budget{Inspect: func() error { looks++; return nil }}
	b.Reset(10_000, 0)
	b.Take(9_999)
	if looks > 0 || b.Used() != 9_999 || b.Left() != 1 {
		t.Fatalf("taken: %d looks, %d used, %d left", looks, b.Used(), b.Left())
	}
	b.Attend()
	if looks != 1 || b.Done() != nil {
		t.Fatalf("attended to: %d looks, stopped %v", looks, b.Spent())
	}
	b.Take(2)
	b.Attend()
	if b.Done() == nil || b.Left() != 0 || b.Err() == nil {
		t.Fatalf("two too many: %d left, %v", b.Left(), b.Err())
	}
}

// TestCoroutinesAreCollectedSeldom: when a script has nearly as many coroutines as it may,
// each that it makes and loses has the collector run. That counts.
func TestCoroutinesAreCollectedSeldom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	m := newMachine(stdlib.Options{MaxCoroutines: 50})
	b := &stdlib.Budget{}
	b.Reset(50_000_000, 0)
	stdlib.Attach(m.L, b)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := m.run("p", `
		local function body() end
		local kept = {}
		for i = 1, 49 do kept[i] = coroutine.create(body) end
		for i = 1, 500 do coroutine.create(body) end`)
	runtime.ReadMemStats(&after)
	if runs := after.NumGC - before.NumGC; runs > 20 || !strings.Contains(out, "Limits.Instructions") {
		t.Errorf("the collector ran %d times for 50 million instructions: %s", runs, out)
	}
}

// TestHolesCount holds that functions of the library, and t[#t] = nil, pay for the holes at
// the end of a list as the operator # does: they go back over all of them.
func TestHolesCount(t *testing.T) {
	const around = `local t = {} for i = 1, 50000 do t[i] = i end for i = 50000, 10, -1 do t[i] = nil end `
	used := func(src string) int64 {
		m := newMachine(stdlib.Options{})
		budget := &stdlib.Budget{}
		budget.Reset(10_000_000, 0)
		stdlib.Attach(m.L, budget)
		if out := m.run("p", src); strings.HasPrefix(out, "error: ") {
			t.Fatal(src, out)
		}
		return budget.Used()
	}
	base := used(around)
	for _, src := range []string{
		"local n = #t", "t[#t] = nil", "table.insert(t, 1)", "table.remove(t)", "table.remove(t, 1)", "table.sort(t)", "table.concat(t)", "unpack(t)",
	} {
		if got := used(around+src) - base; got < 5000 {
			t.Errorf("%s: %d steps", src, got)
		}
	}
}

// TestTablesAreCharged: what a function of tables does for each item costs steps.
func TestTablesAreCharged(t *testing.T) {
	used := func(call string) int64 {
		m := newMachine(stdlib.Options{})
		budget := new(stdlib.Budget)
		budget.Reset(1_000_000, 0)
		stdlib.Attach(m.L, budget)
		if out := m.run("p", `local t = {} for i = 1, 16000 do t[i] = "x" end `+call); out != "" {
			t.Fatal(out)
		}
		return budget.Used()
	}
	if cost := used("table.remove(t, 1)") - used("table.remove(t, 16000)"); cost < 900 {
		t.Errorf("to remove the first item costs %d steps more than the last one", cost)
	}
	if cost := used("table.concat(t)") - used("table.concat(t, '', 1, 1)"); cost < 15_000 {
		t.Errorf("to join all items costs %d steps more than one item", cost)
	}
}
