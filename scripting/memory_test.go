package scripting_test

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// untilHeld runs ticks until something fails, and collects in between, as the
// runtime does now and then. What fails must be the limit.
func (r *game) untilHeld(ticks int) *scripting.Error {
	r.Helper()
	for range ticks {
		r.step(1)
		if len(r.errors) > 0 {
			e := r.errors[0]
			if !errors.Is(e, scripting.ErrLimit) || !strings.HasPrefix(e.Limit, "Held") {
				r.Fatal(e.Detail())
			}
			return e
		}
		runtime.GC()
	}
	r.Fatalf("%d ticks, and nothing was said", ticks)
	return nil
}

// TestScriptsThatHoldTooMuchAreStopped: whoever holds it, the script in whose
// variables it is has to answer, and nobody else; a new version is free.
func TestScriptsThatHoldTooMuchAreStopped(t *testing.T) {
	r := newGame(t, scripting.Limits{Held: 4 << 20, LogLines: -1}) // two lines in each tick
	r.write("lib.lua", `local list, M = {}, {} function M.keep(x) list[#list + 1] = x end return M`,
		"leak.lua", `local lib = require "lib" `+once("leak", `lib.keep(string.rep("x", 100000) .. ctx.tick)`),
		"own.lua", `local lib = require "lib" local mine = {} `+once("own", `mine[1] = string.rep("y", 3000000) ecs.log("own")`),
		"lib_user.lua", once("user", `ecs.log("user")`))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	// The list is a variable of lib, of which no system runs: those that require it
	// have to stop, because one of them fills it.
	e := r.untilHeld(200)
	if !strings.Contains(e.Message, "the variables of lib.lua hold too much, and scripts that still run add to it: ") {
		t.Error(e)
	}
	r.logs, r.errors = nil, nil
	r.step(1)
	if got := r.logged(); got != "user" {
		t.Error(got)
	}
	r.save("lib.lua", `local list, M = {}, {} function M.keep(x) list[#list + 1] = x end `+once("lib", "")+" return M")
	r.errors = nil
	r.accepted()
	e = r.untilHeld(200)
	if e.Script != "lib.lua" || e.System != "lib" || e.Line != 2 || !strings.Contains(e.Message, "the variables of this script hold too much: ") {
		t.Error(e)
	}
	r.logs, r.errors = nil, nil
	r.step(1)
	if got := r.logged(); got != "own user" {
		t.Error(got)
	}
	r.errors = nil
	r.save("lib.lua", "return { keep = function() end }")
	r.accepted()
	r.run(50)
}

// TestHeldIsFoundWithoutACollection: a host may collect as seldom as it likes. What scripts have made
// leads to a count as well, and no collection needs to say that it is alive.
func TestHeldIsFoundWithoutACollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const limit = 1 << 20
	for name, keep := range map[string]string{
		"texts":  `kept[#kept + 1] = string.rep("x", 20000) .. ctx.tick`,
		"tables": `for i = 1, 100 do kept[#kept + 1] = setmetatable({}, { __index = { i } }) end`,
	} {
		t.Run(name, func(t *testing.T) {
			r := loadedWith(t, scripting.Limits{Held: limit, HeldTotal: 64 << 20}, "a.lua", "local kept = {} "+once("a", keep))
			for tick := 1; len(r.errors) == 0; tick++ {
				if r.step(1); tick > 200 {
					t.Fatalf("%d ticks, each of which keeps 20,000 bytes or more, and nothing was said", tick)
				}
			}
			if e := r.errors[0]; e.Limit != "Held" {
				t.Error(e.Detail())
			}
			if held := r.host.Usage()[0].Held; held > 4*limit {
				t.Errorf("it held %d bytes of %d when it was found", held, limit)
			}
		})
	}
}

// TestScriptsBelowTheLimitGoOn: what is dropped again does not count, and what is
// held below the limit may stay.
func TestScriptsBelowTheLimitGoOn(t *testing.T) {
	r := loadedWith(t, scripting.Limits{Held: 16 << 20},
		"a.lua", `local kept, dropped = {}, {} `+once("a", `
for i = 1, 200 do dropped[i] = { string.rep("x", 1000) } end
if #kept < 10000 then for i = 1, 100 do kept[#kept + 1] = { ctx.tick, i } end end`))
	for range 150 {
		r.run(1)
		runtime.GC()
	}
}

// TestAllScriptsTogetherHoldTooMuch: the one that holds the most has to answer.
func TestAllScriptsTogetherHoldTooMuch(t *testing.T) {
	leak := func(name string, bytes int) string {
		return "local t = {} " + once(name, fmt.Sprintf(`t[#t + 1] = string.rep("x", %d) .. ctx.tick`, bytes))
	}
	r := loadedWith(t, scripting.Limits{Held: -1, HeldTotal: 4 << 20}, "a.lua", leak("a", 1000), "b.lua", leak("b", 100_000), "c.lua", leak("c", 2000))
	if e := r.untilHeld(200); e.System != "b" || !strings.Contains(e.Message, "hold too much: most of what all scripts hold, 4,") {
		t.Error(e)
	}
}

// TestSharedStateThatIsFilled: the state is a variable of the first script, the
// second one fills it, and requires nothing. It ends all the same.
func TestSharedStateThatIsFilled(t *testing.T) {
	r := loadedWith(t, scripting.Limits{Held: 4 << 20}, "a.lua", `local s = ecs.state("s", {}) `+once("a", ""),
		"b.lua", `local s = ecs.state("s", {}) `+once("b", `s[#s + 1] = string.rep("x", 50000) .. ctx.tick`))
	if e := r.untilHeld(200); e.System != "a" {
		t.Error(e)
	}
	for range 200 {
		if r.step(1); strings.Contains(r.errors[len(r.errors)-1].Error(), `"b"`) {
			return
		}
		runtime.GC()
	}
	t.Error("b goes on")
}

// loadedWith is loaded with limits.
func loadedWith(t *testing.T, limits scripting.Limits, files ...string) *game {
	t.Helper()
	r := newGameOf(t, ecs.Options{MaxBytes: 64 << 20}, limits)
	r.write(files...)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFunctionsOfTheHostThatHold: what ecs gives that is a function holds what it goes
// through. That counts when the function is kept, whichever it is.
func TestFunctionsOfTheHostThatHold(t *testing.T) {
	const setup = `
local T, E = ecs.tag("T"), ecs.event("E", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(2000, T) end)
ecs.system "fill" { run = function() for i = 1, 500 do ecs.emit(E { x = i }) end end }
local kept = {}
`
	arguments := map[string]string{"entities": "{ T }", "events": "E"}
	for name, argument := range arguments {
		t.Run(name, func(t *testing.T) {
			r := loadedWith(t, scripting.Limits{Held: 8 << 20}, "a.lua", setup+
				once("a", fmt.Sprintf(`for i = 1, 20 do kept[#kept + 1] = ecs.%s(%s) end`, name, argument)))
			r.untilHeld(400)
		})
	}
	r := loadedWith(t, scripting.Limits{}, "a.lua", setup+`
local P = ecs.component("P", { x = ecs.f64(0) })
`+once("a", `
local e, found = ecs.spawn(P), {}
for name, f in pairs(ecs) do
  if type(f) == "function" then
    for _, a in ipairs { { { T } }, { E }, { e }, { e, P }, { P }, { "name" }, { "P" }, {} } do
      local _, result = pcall(f, unpack(a))
      if type(result) == "function" then found[#found + 1] = name end
    end
  end
end
ecs.log("\nfound:", table.concat(found, " "))`))
	r.run(1)
	_, list, _ := strings.Cut(r.logged(), "found: ")
	for _, name := range strings.Fields(list) {
		if _, known := arguments[name]; !known {
			t.Errorf("ecs.%s returns a function, too: what does it hold?", name)
		}
	}
	if !strings.Contains(list, "entities") {
		t.Errorf("not even ecs.entities does: %s", r.logged())
	}
}

// TestWhatHeldEndsIsUnrepeatable: between calls, when what scripts hold is looked at depends on
// the heap, so calls that it ends are told, as those that the clock ends are. A call that makes
// too much by itself is ended by the count of what it makes, and that is not told.
func TestWhatHeldEndsIsUnrepeatable(t *testing.T) {
	keep := "local t = {} " + once("a", `t[#t + 1] = string.rep("x", 100000) .. ctx.tick`)
	for _, limits := range []scripting.Limits{{Held: 4 << 20}, {Held: -1, HeldTotal: 4 << 20}} {
		r := loadedWith(t, limits, "a.lua", keep)
		r.untilHeld(200)
		first := r.host.Unrepeatable()
		if r.step(1); first != 1 || r.host.Unrepeatable() != first+len(r.errors)-1 {
			t.Errorf("%d calls, then %d, of %d errors", first, r.host.Unrepeatable(), len(r.errors))
		}
	}
	r := loadedWith(t, scripting.Limits{Held: -1, HeldTotal: 4 << 20}, "a.lua", "local t = {} "+once("a", `for i = 1, 1e5 do t[#t + 1] = string.rep("x", 10000) .. i end`))
	if r.step(1); len(r.errors) != 1 || r.errors[0].Limit != "HeldTotal" || r.host.Unrepeatable() != 0 {
		t.Errorf("%d calls of %v", r.host.Unrepeatable(), r.errors)
	}
}

// keepers are ways to keep some 4 MB, in a variable of a file of its own.
var keepers = map[string]string{
	"tables":     `local kept = {} ecs.system "NAME" { run = function() for i = 1, 40000 do kept[#kept + 1] = {} end end }`,
	"texts":      `local kept = {} ecs.system "NAME" { run = function() for i = 1, 8 do kept[#kept + 1] = ("x"):rep(500000) .. i end end }`,
	"coroutines": `local kept = {} ecs.system "NAME" { run = function() local t = {} for i = 1, 40000 do t[i] = {} end local co = coroutine.create(function() local u = t coroutine.yield() return u end) coroutine.resume(co) kept[#kept + 1] = co end }`,
	"state":      `local s = ecs.state("NAME", {}) ecs.system "NAME" { run = function() for i = 1, 8 do s[#s + 1] = ("x"):rep(500000) .. i end end }`,
	"timers":     `ecs.handler("NAME", function() end) ecs.system "NAME" { run = function() for i = 1, 8 do ecs.after(1e6, "NAME", ("x"):rep(500000) .. i) end end }`,
	"lists":      `local kept = {} ecs.system "NAME" { run = function() local t = {} for i = 1, 200000 do t[i] = "x" end kept[#kept + 1] = t end }`,
}

// TestHeldIsBoundedWithinATick: forty files keep 4 MB each in one tick, and more in
// each that follows. What all keep stays near what all may keep, and a file that keeps
// next to nothing goes on.
func TestHeldIsBoundedWithinATick(t *testing.T) {
	const all = 32 << 20
	for name, text := range keepers {
		t.Run(name, func(t *testing.T) {
			r := newGame(t, scripting.Limits{HeldTotal: all})
			for i := range 40 {
				r.write(fmt.Sprintf("f%02d.lua", i), strings.ReplaceAll(text, "NAME", fmt.Sprintf("s%02d", i)))
			}
			r.write("zz.lua", `local small = {} `+once("zz", `small[1] = { ctx.tick } ecs.log("on")`))
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			before := alive()
			for tick := range 4 {
				r.errors = nil
				r.step(1)
				if grown := alive() - before; grown > 3*all {
					t.Fatalf("tick %d: %d MiB are held", tick+1, grown>>20)
				}
				if tick == 0 && len(r.errors) == 0 {
					t.Error("nothing was said")
				}
				for _, e := range r.errors {
					if !errors.Is(e, scripting.ErrLimit) || e.Limit != "HeldTotal" {
						t.Error(e)
					}
				}
				r.wantLog("on")
			}
		})
	}
}

// alive returns the bytes that are alive.
func alive() int64 {
	runtime.GC()
	runtime.GC() // what cleanups have let go of
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestTheMessageSaysWhatHolds: the system, the state, the timers.
func TestTheMessageSaysWhatHolds(t *testing.T) {
	for name, want := range map[string]string{
		"tables": `the variables of system "big"`, "texts": `the variables of system "big"`,
		"coroutines": `the variables of system "big"`, "state": `the state "big"`, "timers": `the data of timers for "big"`,
	} {
		r := newGame(t, scripting.Limits{HeldTotal: 6 << 20})
		r.write("a.lua", `local other = {} `+once("other", `other[1] = ctx.tick`)+strings.ReplaceAll(keepers[name], "NAME", "big"))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		if e := r.untilHeld(20); !strings.Contains(e.Message, "most of it in "+want) {
			t.Errorf("%s: %v", name, e)
		}
	}
}

// TestLoadsAreCountedToo: what the top levels of all files keep is held by nobody's
// tick. The folder is refused, and so is a file that is saved; what is live goes on.
func TestLoadsAreCountedToo(t *testing.T) {
	limits := scripting.Limits{HeldTotal: 32 << 20}
	text := `local kept = {} for i = 1, 40000 do kept[i] = { { } } end ecs.system "NAME" { run = function() kept[1] = nil end }`
	r := newGame(t, limits)
	for i := range 40 {
		r.write(fmt.Sprintf("f%02d.lua", i), strings.ReplaceAll(text, "NAME", fmt.Sprintf("s%02d", i)))
	}
	before := alive()
	err := r.host.Load(r.folder)
	if err == nil || !strings.Contains(err.Error(), " hold too much: ") && !strings.Contains(err.Error(), "(Limits.HeldTotal)") { // which one comes first depends on the collector
		t.Errorf("loaded: %.200v", err)
	}
	if grown := alive() - before; grown > 2*32<<20 {
		t.Errorf("%d MiB are held by a folder that was refused", grown>>20)
	}
	live := newGame(t, limits)
	live.write("a.lua", once("a", `ecs.log("on")`))
	if err := live.host.Load(live.folder); err != nil {
		t.Fatal(err)
	}
	var files []string
	for i := range 40 {
		files = append(files, fmt.Sprintf("f%02d.lua", i), strings.ReplaceAll(text, "NAME", fmt.Sprintf("s%02d", i)))
	}
	live.save(files...)
	live.refused("hold too much")
	live.wantLog("on")
	live.run(3)
}

// TestDependentsAreFoundOnce holds that those who require a script are found in a time that
// grows with the scripts, also where ways without number lead from one to another: 2 to the
// power of 40 here.
func TestDependentsAreFoundOnce(t *testing.T) {
	r := newGame(t, scripting.Limits{Held: 4 << 20})
	r.write("lib.lua", `local list, M = {}, {} function M.keep(x) list[#list + 1] = x end return M`,
		"leak.lua", `local lib = require "lib" `+once("leak", `lib.keep(string.rep("x", 100000) .. ctx.tick)`),
		"a0.lua", "return {}", "b0.lua", "return {}")
	for i := range 40 {
		text := fmt.Sprintf("require 'a%d' require 'b%d' return {}", i, i)
		r.write(fmt.Sprintf("a%d.lua", i+1), text, fmt.Sprintf("b%d.lua", i+1), text)
	}
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	if e := r.untilHeld(200); e.Script != "leak.lua" {
		t.Error(e)
	}
}

// TestNothingIsHeldUnseen: memory that no value of Lua shows counts as held, too.
func TestNothingIsHeldUnseen(t *testing.T) {
	var absent strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&absent, "k%d = v, ", i)
	}
	for name, script := range map[string]string{
		"patterns of iterators": `local kept, pattern = {}, ("a"):rep(4000) ` +
			once("hide", `for i = 1, 20 do kept[#kept + 1] = ("text"):gmatch(pattern) end`),
		"keys that came to nil": `local kept = {} local function make(v) return { query = { ` + absent.String() + ` } } end ` +
			once("hide", `for i = 1, 20 do kept[#kept + 1] = make().query end`),
	} {
		t.Run(name, func(t *testing.T) {
			r := newGame(t, scripting.Limits{Held: 4 << 20})
			r.write("hide.lua", script)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			r.untilHeld(40)
		})
	}
}

// What other goroutines of the program allocate is no fault of a script: nobody is parked,
// ended or counted for it. The rate is that of a host that loads a level.
func TestMemoryOfTheHostAccusesNoScript(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1, HeldTotal: 256 << 20, Held: 128 << 20})
	r.write("a.lua", `local kept, n = {}, 0
ecs.system "s" { run = function()
  for i = 1, 20000 do n = n + 1 kept[n % 1000 + 1] = { n, tostring(n) } end
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	stop, allocated := make(chan struct{}), make(chan int)
	go func() {
		kept, n := make([][]byte, 1<<15), 0 // of up to 256 MiB
		for ; ; n++ {
			select {
			case <-stop:
				allocated <- n
				return
			default:
				kept[n%len(kept)] = make([]byte, 8<<10)
			}
		}
	}()
	steps := 100
	if raceEnabled {
		steps = 20
	}
	for range steps {
		if err := r.host.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if n := <-allocated; n < 1<<14 {
		t.Fatalf("the goroutine has allocated %d pieces only: this says nothing", n)
	}
	if n := r.host.Unrepeatable(); n != 0 {
		t.Errorf("%d calls were ended by what is measured", n)
	}
}

// The same for one piece that is larger than all limits together, made on another goroutine
// while a call of a script is running. Its pages are never touched.
func TestALevelThatTheHostLoadsAccusesNoScript(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1})
	var level []byte
	if err := r.host.Expose("load", func() {
		done := make(chan []byte)
		go func() { done <- make([]byte, 5<<28) }()
		level = <-done
	}); err != nil {
		t.Fatal(err)
	}
	r.write("a.lua", `local host = require "host"
ecs.system "s" { run = function()
  for i = 1, 200000 do local _ = i % 3 end
  host.load()
  for i = 1, 2000000 do local _ = i % 3 end
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	if err := r.host.Step(1.0 / 60); err != nil {
		t.Error(err)
	}
	if len(level) != 5<<28 || r.host.Unrepeatable() != 0 {
		t.Errorf("%d bytes of a level, %d calls ended by what is measured", len(level), r.host.Unrepeatable())
	}
}
