package scripting_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// An endless loop ends with an error at its line, wherever it is, and everybody
// else runs in the same tick.
func TestEndlessLoops(t *testing.T) {
	for name, text := range map[string]string{
		"run":       `ecs.system "s" { run = function() LOOP end }`,
		"when":      `ecs.system "s" { when = function() LOOP end, run = function() end }`,
		"each":      `ecs.system "s" { query = { P }, each = function(e, p) p.x = 1 LOOP end }`,
		"rows":      `ecs.system "s" { query = { P }, each = function(e, p) rawequal(p, nil) LOOP end }`,
		"batch":     `ecs.system "s" { query = { P }, batch = function(b) b:col(P, "x"):add(1) LOOP end }`,
		"event":     `local E = ecs.event("E", {}) ecs.system "s" { on = E, each = function() LOOP end } ecs.on_start(function() ecs.emit(E) end)`,
		"observer":  `ecs.on_set(P, function() LOOP end) ecs.system "s" { query = { P }, each = function(e) ecs.set(e, P { x = 1 }) end }`,
		"timer":     `ecs.handler("h", function() LOOP end) ecs.on_start(function() ecs.after(0, "h") end)`,
		"start":     `ecs.on_start(function() LOOP end)`,
		"pcall":     `ecs.system "s" { run = function() pcall(function() LOOP end) LOOP end }`,
		"coroutine": `ecs.system "s" { run = function() coroutine.wrap(function() LOOP end)() end }`,
		"spawn":     `ecs.system "s" { run = function() ecs.spawn_many(10, P, function() LOOP end) end }`,
		"sort":      `ecs.system "s" { run = function() table.sort({ 1, 2, 3 }, function() LOOP end) end }`,
		"gsub":      `ecs.system "s" { run = function() string.gsub("abc", ".", function() LOOP end) end }`,
		"metatable": `ecs.system "s" { run = function() local t = setmetatable({}, { __index = function() LOOP end }) return t.x end }`,
	} {
		t.Run(name, func(t *testing.T) {
			r := loaded(t, "a.lua", "\n"+strings.ReplaceAll(text, "LOOP", "while true do local x = 1 end"), "b.lua", once("zz", "ecs.log('ran')"))
			position := ecs.Register[Position](r.world)
			e := r.world.Spawn(position.With(Position{}))
			r.step(1)
			r.wantError("a.lua:3", "script ran too long: used 300,0", " of 300,000 instructions (Limits.Instructions)")
			r.wantLog("ran")
			if p, _ := position.Get(e); p != (Position{}) && name != "observer" {
				t.Errorf("the call left %v", p)
			}
		})
	}
}

// What works outside of the VM is metered, too.
func TestLongLibraryCalls(t *testing.T) {
	for name, body := range map[string]string{
		"pattern": `local s = ("a"):rep(40) s:find(("a?"):rep(40) .. ("a"):rep(40) .. "b")`,
		"rep":     `local s = ("x"):rep(1e9)`,
		"double":  `local s = "x" while true do s = s .. s end`,
		"concat":  `local t = {} for i = 1, 1e6 do t[i] = "x" end table.concat(t)`,
		"spawns":  `ecs.spawn_many(1e9, P)`,
		"endless": `for i = 1, 1e9 do ecs.emit(E) end`,
		"deep":    `local function f() return 1 + f() end f()`,
		"wide":    `local t = {} for i = 1, 1e7 do t[i] = {} end`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newGame(t, scripting.Limits{Instructions: 2_000_000, Spawned: 5000, Bytes: 64 << 20})
			r.write("a.lua", `local E = ecs.event("E", {})`+"\n"+once("s", body), "b.lua", once("t", "ecs.log('ran')"))
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			r.step(1)
			r.wantError("a.lua:3")
			r.wantLog("ran")
			if r.world.Len() != 0 {
				t.Errorf("%d entities are left", r.world.Len())
			}
		})
	}
}

func TestEndlessTopLevel(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: 10_000})
	r.write("a.lua", "while true do end", "b.lua", `local function f() return f() end f()`, "c.lua", `local a = require "a"`)
	var refused *scripting.LoadError
	if err := r.host.Load(r.folder); !errors.As(err, &refused) || len(refused.Problems) != 2 {
		t.Fatal(err)
	}
	for i, name := range []string{"a.lua:2", "b.lua:2"} {
		if got := byLine(refused.Problems[i].Error()); !strings.HasPrefix(got, name+": script ran too long: used 10,001 of 10,000 instructions (Limits.Instructions)") {
			t.Error(got)
		}
	}
}

func TestNoLimits(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: -1, Time: -1, Bytes: -1, Commands: -1, Spawned: -1, LogLines: -1})
	r.write("a.lua", once("a", `for i = 1, 200 do ecs.log(i) end for i = 1, 1e6 do local x = i end`))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	if len(r.logs) != 200 {
		t.Errorf("%d lines", len(r.logs))
	}
}

// TestKernelInCoroutineCounts: a kernel that is not compiled counts its instructions in a
// coroutine as well.
func TestKernelInCoroutineCounts(t *testing.T) {
	for _, body := range []string{`n = n + 1`, `t = {} n = n + 1`} {
		for _, how := range []string{`k()`, `coroutine.wrap(function() k() end)()`, `coroutine.wrap(function() coroutine.wrap(function() k() end)() end)()`} {
			r := newGame(t, scripting.Limits{Instructions: 100_000})
			r.write("a.lua", `local D = ecs.component("D", { n = ecs.f64() })
local k = ecs.kernel({ D }, function(e, d)
  local n, t = d.n
  for i = 1, 1e6 do `+body+` end
  d.n = n
end, { kernel = "off" })
ecs.system "makes" { phase = "input", run = function() if not ecs.find { D } then ecs.spawn(D{}) end end }
ecs.system "a" { run = function() `+how+` end }`)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			r.step(1)
			if len(r.errors) != 1 || !strings.Contains(r.errors[0].Error(), "script ran too long") {
				t.Errorf("%s in %s: %v", body, how, r.errors)
			}
		}
	}
}

// TestTickCommandBytes: what the changes of all scripts in one tick may take. Scripts
// that have recorded little go on when others have used it up.
func TestTickCommandBytes(t *testing.T) {
	r := newGame(t, scripting.Limits{CommandBytes: 1_000_000, TickCommandBytes: 1_800_000})
	wide := func(script string) string {
		return fmt.Sprintf("local W = ecs.component('Wide%s', { x = ecs.array(ecs.f64(), 512) })\n", script)
	}
	for _, script := range []string{"a", "b", "c"} {
		r.write(script+".lua", wide(script)+once(script, "for i = 1, 100 do ecs.spawn(W) end"))
	}
	r.write("d.lua", wide("d")+once("d", "ecs.spawn(W)"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for tick := range 2 {
		r.step(1)
		r.wantError(`c.lua:3: system "c": `, "of 1,800,000 bytes of changes in one tick of all scripts (Limits.TickCommandBytes)")
		if got := r.world.Len(); len(r.errors) > 1 || got != 201*(tick+1) {
			t.Fatalf("%d entities after tick %d, want those of two large scripts and of a small one; errors %v", got, tick+1, r.errors)
		}
		r.errors = nil
	}
}

// TestLongStateLists: to append to a list in a state table costs the same however long
// it is.
func TestLongStateLists(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: 100_000, Bytes: 1 << 20})
	r.write("a.lua", `local s = ecs.state("s", { list = {} })
local own = setmetatable({}, { __newindex = function(t, k, v) rawset(t, "last", v) end })
`+once("appends", "for i = 1, 300 do s.list[#s.list + 1] = i end for i = 1, 100 do own[100000 + i] = i end"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	if r.step(20); len(r.errors) > 0 {
		t.Fatal(r.errors)
	}
}

// TestManyValuesInCoroutinesCount: values that a coroutine gets are memory, and count before
// its thread grows for them.
func TestManyValuesInCoroutinesCount(t *testing.T) {
	r := newGame(t, scripting.Limits{Bytes: 64 << 20})
	r.write("a.lua", once("s", `local held = {}
  for i = 1, 300 do
    held[i] = coroutine.wrap(function(...) coroutine.yield() return ... end)
    held[i](unpack({}, 1, 8000))
  end`))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if len(r.errors) != 1 || r.errors[0].Limit != "Bytes" {
		t.Errorf("%v, want Limits.Bytes", r.errors)
	}
}

// TestColumnsAreCharged: what is done to a column costs as many steps as there are rows.
func TestColumnsAreCharged(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: 30_000})
	herd(r, 400)
	r.write("a.lua", `ecs.system "a" { query = { P }, batch = function(b) local x = b:col(P, "x") for i = 1, 100 do x:add(1) end end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	r.wantError("a.lua:2", "(Limits.Instructions)")
}

// TestOneStopIsNoLongCall: a call in which the program has stood still once, however long, goes on. One in which that
// happens again and again, as with a function of the host that takes long, is ended by Time.
func TestOneStopIsNoLongCall(t *testing.T) {
	r := newGame(t, scripting.Limits{Time: 40 * time.Millisecond})
	if err := r.host.Expose("wait", func() { time.Sleep(60 * time.Millisecond) }); err != nil {
		t.Fatal(err)
	}
	r.write("a.lua", `local host = require "host"
done = 0
local function work() for i = 1, 3000 do done = done + 1 end end
ecs.system "once" { run = function() work() host.wait() work() end }
ecs.system "often" { run = function() for i = 1, 8 do host.wait() work() end end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	faults := r.host.Faults()
	if len(faults.Systems) != 1 || faults.Systems[0].System != "often" || !strings.Contains(faults.Systems[0].Last.Error(), "(Limits.Time)") {
		t.Errorf("%+v", faults)
	}
}
