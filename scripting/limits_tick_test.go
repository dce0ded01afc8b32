package scripting_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// manyRows are systems whose rows are compiled, or not, and need no counting.
const manyRows = `
ecs.on_start(function() ecs.spawn_many(4000, P) end)
for i = 1, 5 do
  ecs.system("s" .. i, { query = { P }, kernel = KERNEL, each = function(e, p) for k = 1, 20 do p.x = p.x + math.sqrt(k) end end })
end
`

// TestTickRows: what compiled functions may need in one tick is bounded over all calls.
// The call that comes too late is undone as a whole, later ones have their share, and
// what becomes of the world is the same however many workers there are.
func TestTickRows(t *testing.T) {
	sums := map[uint64]bool{}
	for _, workers := range []int{1, 4} {
		r := newGameOf(t, ecs.Options{Workers: workers}, scripting.Limits{TickRows: 2_000_000, LogLines: -1})
		r.write("a.lua", strings.ReplaceAll(manyRows, "KERNEL", `"require"`),
			"b.lua", `ecs.system("z", { query = { P }, each = function(e, p) p.y = p.y + 1 end })`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(4)
		whole, partial := 0, 0
		for _, e := range r.errors {
			if e.Limit != "TickRows" || e.Script != "a.lua" {
				t.Fatalf("%v", e)
			}
		}
		position := ecs.Register[Position](r.world)
		for c := range r.world.Query(ecs.Read(position)).Chunks() {
			for _, p := range position.Of(c) {
				if p.Y == 4 {
					whole++
				} else {
					partial++
				}
			}
		}
		if len(r.errors) == 0 || whole != 4000 || partial != 0 {
			t.Errorf("%d workers: %d errors, the sound script ran for %d rows of 4000", workers, len(r.errors), whole)
		}
		sums[r.world.Checksum()] = true
	}
	if len(sums) != 1 {
		t.Errorf("%d different worlds", len(sums))
	}
}

// TestTickRowsUncompiled: what functions over rows do that are not compiled counts as
// instructions of the tick, not as rows.
func TestTickRowsUncompiled(t *testing.T) {
	r := newGame(t, scripting.Limits{TickRows: 1000, TickInstructions: 1_000_000, LogLines: -1})
	r.write("a.lua", strings.ReplaceAll(manyRows, "KERNEL", `"off"`))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if len(r.errors) == 0 || r.errors[0].Limit != "TickInstructions" {
		t.Errorf("five systems of a million steps each: %v", r.errors)
	}
}

// TestManyCalls: a call counts although its function does nothing.
func TestManyCalls(t *testing.T) {
	r := newGame(t, scripting.Limits{TickInstructions: 100_000, LogLines: -1})
	r.write("a.lua", `
		local seen = 0
		for i = 1, 10 do ecs.on_set(P, function() seen = seen + 1 end) end
		ecs.on_start(function() ecs.spawn_many(1000, P) end)
		ecs.system("s", { phase = "logic", run = function() for e in ecs.entities { P } do ecs.set(e, P { x = 1 }) end end })
		ecs.system("end", { phase = "debug", run = function() ecs.log(seen) end })`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if len(r.errors) == 0 || r.errors[0].Limit != "TickInstructions" {
		t.Errorf("10,000 calls of observers are within 100,000 instructions: %v", r.errors)
	}
}

// TestTimersWait: timers of a script that has used up a tick wait for the next one, where
// those of others are called.
func TestTimersWait(t *testing.T) {
	r := newGame(t, scripting.Limits{TickInstructions: 20_000, LogLines: -1})
	r.write("a.lua", `
		local state = ecs.state("fired", { n = 0 })
		ecs.handler("a", function() for i = 1, 500 do end state.n = state.n + 1 end)
		ecs.on_start(function() for i = 1, 100 do ecs.after(0, "a") end end)
		ecs.system("tell", { run = function() ecs.log("fired", state.n) end })`,
		"b.lua", `
		ecs.handler("b", function() ecs.log("sound") end)
		ecs.on_start(function() ecs.after(0, "b") end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(20)
	fired := 0
	for _, line := range r.logs {
		_, _ = fmt.Sscanf(line, "fired %d", &fired)
	}
	if fired < 90 || !slices.Contains(r.logs, "sound") {
		t.Errorf("%d of 100 timers have fired in 20 ticks, %d errors, logged %q", fired, len(r.errors), r.logs)
	}
}

// TestSharesOfManyScripts: when the limit of a tick is used up, what many scripts may still
// do is no more than half of it together.
func TestSharesOfManyScripts(t *testing.T) {
	r := newGame(t, scripting.Limits{Commands: 5000, TickCommands: 1000, LogLines: -1})
	for i := range 100 {
		r.write(fmt.Sprintf("a%02d.lua", i), fmt.Sprintf(`ecs.system("s%d", { run = function() for i = 1, 90 do ecs.spawn(P) end end })`, i))
	}
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	if r.step(1); r.world.Len() > 1500 || r.world.Len() < 900 {
		t.Errorf("%d entities where all scripts may make 1,000 changes", r.world.Len())
	}
}

// TestNothingLeftIsNothingForKernels: when the instructions of a tick are used up, a
// compiled each is refused as one on the VM is, and counts again in the next.
func TestNothingLeftIsNothingForKernels(t *testing.T) {
	var logs [2]string
	for i, mode := range []string{"off", "auto"} {
		r := newGame(t, scripting.Limits{Instructions: 100_000, TickInstructions: 250_000, LogLines: -1})
		r.write("a.lua", fmt.Sprintf(`
local A = ecs.component("A", { x = ecs.f64(0) })
ecs.on_start(function() for i = 1, 3 do ecs.spawn(A) end end)
ecs.system "count" { phase = "physics", query = { A }, kernel = %q, each = function(e, a) a.x = a.x + 1 end }
ecs.system "when" { phase = "physics", query = { A }, kernel = %[1]q, when = function(ctx) return ctx.tick > 3 end, each = function(e, a) a.x = a.x + 100 end }
for i = 1, 9 do ecs.system("burn" .. i) { phase = "input", when = function(ctx) return ctx.tick %% 3 == 2 end, run = function() while true do end end } end
ecs.system "show" { phase = "debug", query = { A }, each = function(e, a, ctx) ecs.log(ctx.tick, a.x) end }`, mode))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(7)
		for _, e := range r.errors {
			if !strings.Contains(e.System, "burn") {
				r.logs = append(r.logs, byLine(e.Error()))
			}
		}
		for _, call := range r.host.Usage()[0].ByCall {
			r.logs = append(r.logs, fmt.Sprintf("%s refused %d times", call.Name, call.Refused))
		}
		logs[i] = r.logged()
	}
	if logs[0] != logs[1] || !strings.Contains(logs[0], "count refused 2 times") || !strings.Contains(logs[0], "when refused 2 times") {
		t.Errorf("lua\n%s\nkernel\n%s", logs[0], logs[1])
	}
}

// TestWhoHoldsTooMuchRunsNoKernels: a script that is refused for what it holds does
// nothing more, in compiled functions either.
func TestWhoHoldsTooMuchRunsNoKernels(t *testing.T) {
	r := newGame(t, scripting.Limits{Held: 4 << 20})
	r.write("a.lua", `
local A = ecs.component("A", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn(A) end)
local kept = {}
ecs.system "count" { query = { A }, each = function(e, a) a.x = a.x + 1 end }
ecs.system "keep" { run = function(ctx) kept[#kept + 1] = ("x"):rep(2e6 + ctx.tick) end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	if k := r.host.Kernels(); !k[0].Compiled {
		t.Fatal(k)
	}
	for range 2000 {
		if r.step(1); len(r.errors) > 0 {
			break
		}
	}
	before := r.world.Checksum()
	r.errors = nil
	r.step(3)
	if after := r.world.Checksum(); after != before || len(r.errors) == 0 {
		t.Errorf("the world has changed from %x to %x; errors %v", before, after, r.errors)
	}
}

// TestTimersThatAreTakenBackDoNotWait: a row that fails, and a call of ecs.after that is
// refused, leave nothing that counts against Limits.Timers.
func TestTimersThatAreTakenBackDoNotWait(t *testing.T) {
	r := newGame(t, scripting.Limits{Timers: 2})
	r.write("a.lua", `local ecs = require "ecs"
local A = ecs.component("A", { n = 0 })
ecs.handler("h", function() end)
ecs.on_start(function() for i = 1, 5 do ecs.spawn(A { n = i }) end end)
ecs.system "s" { query = { A }, each = function(e, a)
  pcall(ecs.after, 100, "h", print)
  if a.n > 3 then return end
  ecs.after(100, "h")
  if a.n < 3 then error("row " .. e) end
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	for _, e := range append(r.reported, r.errors...) {
		if e.Limit != "" {
			t.Error(e)
		}
	}
}

// TestInnocentSystemsAreNotParked: two systems that never end use up what a tick has for their
// file. The others of the file do not run in such ticks, and run on when the two are parked.
func TestInnocentSystemsAreNotParked(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: 10_000, TickInstructions: 15_000, LogLines: -1})
	r.write("a.lua", `local ran = 0
ecs.system "endless 1" { priority = 1, run = function() while true do end end }
ecs.system "endless 2" { priority = 2, run = function() while true do end end }
ecs.system "harmless 1" { priority = 3, run = function() ran = ran + 1 end }
ecs.system "harmless 2" { priority = 4, run = function() ran = ran + 1 ecs.log(ran) end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(20)
	for _, name := range []string{"endless 1", "endless 2"} {
		if h, _ := r.world.Schedule().Health(name); h != ecs.Parked {
			t.Errorf("%s is %v", name, h)
		}
	}
	for _, name := range []string{"harmless 1", "harmless 2"} {
		if h, _ := r.world.Schedule().Health(name); h != ecs.Healthy {
			t.Errorf("%s is %v", name, h)
		}
	}
	if len(r.logs) < 10 {
		t.Errorf("of 20 ticks, the harmless ran in %d: %v", len(r.logs), r.errors)
	}
}
