package scripting_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

func TestStateOutlivesReload(t *testing.T) {
	text := `
local s = ecs.state("game", { n = 0, list = { 1, 2 }%s })
local H = ecs.component("Health", { hp = 100 })
ecs.on_start(function() ecs.spawn(H { hp = 5 }) ecs.log("started") end)
ecs.system "count" { query = { H }, each = function(e, h) s.n = s.n + 1 h.hp = h.hp + %d ecs.log(s.n, h.hp, s.fresh) end }`
	r := loaded(t, "a.lua", fmt.Sprintf(text, "", 1))
	r.run(2)
	r.wantLog("started 1 6 nil 2 7 nil")
	r.save("a.lua", fmt.Sprintf(text, ", fresh = 9", 10))
	r.accepted()
	r.wantLog("3 17 9")
}

func TestStateOfRefusedReloadIsForgotten(t *testing.T) {
	r := loaded(t, "a.lua", `local s = ecs.state("s", { n = 1, list = { 1, 2, 3 } }) `+once("a", "ecs.log(s.n, s.m, #s.list, s.list[1])"))
	r.save("a.lua", `local s = ecs.state("s", { n = 2, m = 3 }) ecs.state("t", { x = 1 })
s.n, s.m, s.list[1], s.list[4] = 5, 6, 7, 8 table.remove(s.list) s.list = nil error("no")`)
	r.refused("no")
	r.wantLog("1 nil 3 1")
	r.save("a.lua", `local s = ecs.state("t", { x = 2 }) `+once("a", "ecs.log(s.x)"))
	r.accepted()
	r.wantLog("2")
}

func TestDefaultsFollowTheText(t *testing.T) {
	text := `local H = ecs.component("Health", { hp = %d, armour = ecs.array(ecs.u8(%d), 2) })
local E = ecs.event("E", { n = %d })
` + once("a", `if ctx.tick %% 2 == 1 then ecs.spawn(H) ecs.emit(E) else local e = ecs.find(H) local h = ecs.get(e, H) ecs.log(h.hp, h.armour[2]) ecs.despawn(e) end`) +
		`ecs.system "b" { on = E, each = function(ev) ecs.log("e", ev.n) end }`
	r := loaded(t, "a.lua", fmt.Sprintf(text, 100, 1, 7))
	r.run(2)
	r.wantLog("e 7 100 1")
	r.save("a.lua", fmt.Sprintf(text, 50, 3, 8))
	r.accepted()
	r.run(1)
	r.wantLog("e 8 50 3")
}

func TestTimersOutliveReload(t *testing.T) {
	text := `ecs.on_start(function() ecs.after(0.5, "later", { n = 4 }) end)
ecs.handler("later", function(d) ecs.log("%s", d.n) end)`
	r := loaded(t, "a.lua", fmt.Sprintf(text, "old"))
	r.run(5)
	r.save("a.lua", fmt.Sprintf(text, "new"))
	r.accepted()
	r.run(40)
	r.wantLog("new 4")
}

func TestEventsAreNeitherMissedNorSeenTwice(t *testing.T) {
	r := loaded(t,
		"a_ev.lua", `return ecs.event("Tick", { n = 0 })`,
		"b_send.lua", `local E = require "a_ev" `+once("z.send", "ecs.emit(E { n = ctx.tick })"),
		"c_read.lua", `local E = require "a_ev" ecs.system "a.read" { on = E, each = function(ev) ecs.log(ev.n) end }`,
		"d_poll.lua", `local E = require "a_ev" `+once("b.poll", "for ev in ecs.events(E) do ecs.log('p' .. ev.n) end"))
	for i := range 6 {
		if i > 0 {
			// Every kind of change around the readers: themselves, what they
			// require, the sender.
			name := []string{"c_read.lua", "d_poll.lua", "a_ev.lua", "b_send.lua", "c_read.lua"}[i-1]
			r.save(name, strings.SplitN(string(r.folder[name].Data), "\n", 2)[1]+" ")
			r.accepted()
		} else {
			r.run(1)
		}
	}
	// Sent at the end of a tick, read in the next; the poller began to look in
	// the first.
	r.wantLog("1 p1 2 p2 3 p3 4 p4 5 p5")
}

func TestDependentsSeeNewExports(t *testing.T) {
	r := loaded(t,
		"lib/base.lua", `return { v = 1 }`,
		"mid.lua", `local b = require "./lib/base" return { v = function() return b.v * 10 end }`,
		"top.lua", `local m = require "mid" `+once("top", "ecs.log(m.v())"),
		"other.lua", `ecs.log("other ran") `+once("other", ""))
	r.run(1)
	r.wantLog("other ran 10")
	r.save("lib/base.lua", `return { v = 2 }`)
	r.accepted()
	r.wantLog("20")
	if v := r.reloads[0]; v.Files != 3 || v.Systems != 1 || len(v.Changed) != 1 {
		t.Errorf("%+v, want 3 files, 1 system, 1 changed", v)
	}
}

func TestDeletedFileEndsWhatItDeclared(t *testing.T) {
	r := loaded(t, "a.lua", `return ecs.component("H", { hp = 1 })`,
		"b.lua", `local H = require "a"
ecs.system "b" { run = function() ecs.log("system") end }
ecs.on_add(H, function() ecs.log("observer") end)
ecs.handler("h", function() ecs.log("timer") end)
ecs.on_start(function() ecs.every(1/64, "h") end)`,
		"c.lua", `local H = require "a" `+once("c", "ecs.spawn(H)"))
	r.run(1)
	r.wantLog("timer system observer")
	r.remove("b.lua")
	r.step(1)
	r.wantLog("")
	if got := fmt.Sprint(r.host.Modules(), r.world.Schedule().Names()); got != "[a.lua c.lua] [c]" {
		t.Error(got)
	}
	r.wantError("timer", "no script declares the handler")
	r.remove("b.lua", "never.lua", "noscript.txt")
	r.run(1)
	if len(r.reloads) != 1 {
		t.Errorf("%d reloads for nothing", len(r.reloads)-1)
	}
}

// TestMissingHandlerIsNoNewsOnceItIsBack: how often timers have missed a handler is reported
// with the save that brings it back, and never after it.
func TestMissingHandlerIsNoNewsOnceItIsBack(t *testing.T) {
	handler := `ecs.handler("beat", function() end)`
	r := loaded(t, "a.lua", handler, "b.lua", `ecs.on_start(function() ecs.every(1/64, "beat") ecs.every(1/64, "beat") end)`)
	r.run(1)
	r.remove("a.lua")
	r.step(2)
	if len(r.errors) != 2 || len(r.reported) != 1 {
		t.Fatalf("%v, reported %v", r.errors, r.reported)
	}
	r.save("a.lua", handler)
	r.accepted()
	if len(r.reported) != 2 || r.reported[1].Times != 2 {
		t.Fatalf("reported %v", r.reported)
	}
	r.run(64 * 12)
	if len(r.reported) != 2 {
		t.Errorf("reported later: %v", r.reported[2:])
	}
}

func TestRequiredFileCannotBeDeleted(t *testing.T) {
	r := loaded(t, "sub/a.lua", `return 1`, "b.lua", `local a = require "sub.a" `+once("b", "ecs.log(a)"))
	r.remove("sub/a.lua")
	r.refused(`b.lua:2: module "sub.a" not found`)
	r.wantLog("1")
	r.save("b.lua", once("b", "ecs.log('alone')"))
	r.accepted()
	r.wantLog("alone")
	if got := fmt.Sprint(r.host.Modules()); got != "[b.lua]" {
		t.Error(got)
	}
}

func TestRemovedFolderRemovesItsScripts(t *testing.T) {
	r := loaded(t, "ai/a.lua", once("a", ""), "ai/deep/b.lua", once("b", ""), "ain.lua", once("c", ""))
	r.host.Stage(nil, []string{"ai"})
	r.accepted()
	if got := fmt.Sprint(r.host.Modules()); got != "[ain.lua]" {
		t.Error(got)
	}
}

func TestNewFileBegins(t *testing.T) {
	r := loaded(t, "a.lua", "")
	r.run(1)
	r.save("b.lua", `ecs.on_start(function() ecs.log("start") end) `+once("b", "ecs.log('b')"))
	r.accepted()
	r.wantLog("start b")
	r.save("b.lua", `ecs.on_start(function() ecs.log("again") end) `+once("b", "ecs.log('B')"))
	r.accepted()
	r.remove("b.lua")
	r.accepted()
	r.save("b.lua", `ecs.on_start(function() ecs.log("again") end)`)
	r.accepted()
	r.wantLog("B")
}

func TestFailedStartRunsAgainAfterReload(t *testing.T) {
	text := `ecs.on_start(function() ecs.log("one") end)
ecs.on_start(function() ecs.spawn(P) %s end)
ecs.on_start(function() ecs.log("three") end)`
	r := loaded(t, "a.lua", fmt.Sprintf(text, "error('not now')"))
	r.step(1)
	r.wantError("a.lua:3", "not now")
	r.run(5)
	r.wantLog("one")
	if n := r.world.Len(); n != 0 {
		t.Errorf("%d entities of a start that failed", n)
	}
	r.save("a.lua", fmt.Sprintf(text, ""))
	r.accepted()
	r.wantLog("three")
	if n := r.world.Len(); n != 1 {
		t.Errorf("%d entities, want 1", n)
	}
}

func TestStartBelongsToTheNewestText(t *testing.T) {
	r := loaded(t, "a.lua", `ecs.on_start(function() ecs.log("old") end)`, "b.lua", `ecs.on_start(function() ecs.log("gone") end)`)
	r.save("a.lua", `ecs.on_start(function() ecs.log("new") end)`)
	r.remove("b.lua")
	r.accepted()
	r.wantLog("new")
}

func TestReloadsLeaveNothingBehind(t *testing.T) {
	text := `local E, H = ecs.event("E", { n = 0 }), ecs.component("H", { hp = 1 })
local s = ecs.state("s", { n = 0 })
ecs.on_add(H, function(e, h) end)
ecs.handler("h", function() end)
ecs.system "read" { on = E, each = function(ev) s.n = s.n + 1 end }
ecs.system "poll" { run = function() for ev in ecs.events(E) do end ecs.emit(E) ecs.count { H } end }
ecs.system "each" { query = { P, V }, each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end }
ecs.system "batch" { query = { P }, batch = function(b) b:write(P, "x")[1] = %d b:col(P, "y"):add(1) end }`
	r := loaded(t, "a.lua", fmt.Sprintf(text, 0), "b.lua", `local a = require "a"`)
	r.world.Spawn(ecs.Register[Position](r.world).With(Position{}), ecs.Register[Velocity](r.world).With(Velocity{1, 1}))
	var first, last runtime.MemStats
	systems := len(r.world.Schedule().Names())
	goroutines := runtime.NumGoroutine()
	for i := range 1000 {
		r.save("a.lua", fmt.Sprintf(text, i))
		r.accepted()
		r.reloads = nil
		switch i {
		case 100:
			runtime.GC()
			runtime.ReadMemStats(&first)
		case 999:
			runtime.GC()
			runtime.ReadMemStats(&last)
		}
	}
	if n := len(r.world.Schedule().Names()); n != systems {
		t.Errorf("%d systems, want %d", n, systems)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, want %d", n, goroutines)
	}
	if last.HeapAlloc > first.HeapAlloc+(2<<20) {
		t.Errorf("the heap grew from %d to %d bytes in 900 reloads", first.HeapAlloc, last.HeapAlloc)
	}
	if n := r.world.Stats().Dropped; n > 0 {
		t.Errorf("%d events were dropped: a reader was left behind", n)
	}
}

// TestUnknownNamesAreFoundAtTheSave: what would fail when a function runs is told
// before, unless the script may have set names by way of _G.
func TestUnknownNamesAreFoundAtTheSave(t *testing.T) {
	r := loaded(t, "a.lua", once("a", `ecs.log("old")`))
	r.run(1)
	r.wantLog("old")
	r.save("a.lua", once("a", `if ctx.tick < 0 then prnit(1) end
pcall(function() return totel end)`))
	r.refused(`a.lua:2:59: unknown name "prnit" (did you mean "print"?)`, `a.lua:3:25: unknown name "totel"`)
	r.wantLog("old")
	for _, text := range []string{
		once("a", `if ctx.tick < 0 then return unset end _G.unset = 1 ecs.log("free")`),
		`for _, name in ipairs { "x", "y" } do rawset(_G, name, 1) end ` + once("a", `ecs.log(x + y == 2 and "free")`),
		once("a", `seen = 1 local f = function() return seen end ecs.log(f() and "free")`),
	} {
		r.save("a.lua", text)
		r.accepted()
		r.wantLog("free")
	}
}

// TestTimersKeepTheirRhythm: one that has failed, or whose handler was not there for a
// while, goes on as if nothing had been, without what it has missed.
func TestTimersKeepTheirRhythm(t *testing.T) {
	good := `ecs.on_start(function() ecs.every(0.5, "beat", { n = 0 }) end)
ecs.handler("beat", function(d, ctx) d.n = d.n + 1 ecs.log(d.n, ctx.tick) end)`
	for name, bad := range map[string]string{
		"a handler that fails": strings.Replace(good, "ecs.log(", `error("x") ecs.log(`, 1),
		"no handler":           strings.Replace(good, `"beat", f`, `"other", f`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			r := loaded(t, "a.lua", good)
			r.run(330)
			r.save("a.lua", bad)
			r.accepted()
			r.step(75)
			r.save("a.lua", good)
			r.accepted()
			r.step(80)
			// It is tried at once after the save, and then as before.
			r.wantLog("1 32 2 64 3 96 4 128 5 160 6 192 7 224 8 256 9 288 10 320 11 407 12 416 13 448 14 480")
		})
	}
}

// TestFailingHandlersLeaveTheirData: what one that fails wrote into the timer's data is
// taken back, however deep, and tables stay the ones that they were.
func TestFailingHandlersLeaveTheirData(t *testing.T) {
	r := loaded(t, "a.lua", `local tries = 0
ecs.on_start(function() ecs.every(0.1, "t", { n = 0, list = { { 1 } } }) end)
ecs.handler("t", function(d, c)
  d.n = d.n + 1
  d.list[1][1] = d.list[1][1] * 2
  d.same = d.same or d.list[1]
  d.list[1].back = d
  if d.same ~= d.list[1] or d.list[1].back ~= d then ecs.log("another table") end
  tries = tries + 1
  ecs.log(tries, d.n, d.list[1][1])
  if tries == 3 or tries == 4 then
    for i = 1, 10000 do d = { d } end
    error("fails")
  end
end)`)
	r.step(227)
	r.wantLog("1 1 2 2 2 4 3 3 8 4 3 8 5 3 8 6 4 16 7 5 32")
}

// TestTimeGoesOnWhileASystemIsNotWanted: what ctx.dt is after when has said no.
func TestTimeGoesOnWhileASystemIsNotWanted(t *testing.T) {
	wanted := `when = function(c) return c.tick < 3 or c.tick > 32 end, `
	r := loaded(t, "a.lua", `local E = ecs.event("Said", { n = 0 })
ecs.on_start(function() ecs.spawn(P) end)
ecs.system "a.send" { run = function() ecs.emit(E { n = 1 }) end }
ecs.system "b.run" { `+wanted+`run = function(c) ecs.log("run", c.tick, c.dt * 64) end }
ecs.system "c.each" { `+wanted+`query = { P }, each = function(e, p, c) ecs.log("each", c.tick, c.dt * 64) end }
ecs.system "d.batch" { `+wanted+`query = { P }, batch = function(b, c) ecs.log("batch", c.tick, c.dt * 64) end }
ecs.system "e.fixed" { fixed = true, `+wanted+`run = function(c) if c.dt > 0.017 then ecs.log("fixed", c.tick, c.dt) end end }`)
	r.run(34)
	r.wantLog("run 1 1 each 1 1 batch 1 1 run 2 1 each 2 1 batch 2 1 run 33 31 each 33 31 batch 33 31 run 34 1 each 34 1 batch 34 1")
}

// TestAnObserverOfTheHostKeepsItsName: a script whose observer would have the name of one of the
// host's is refused, and its old version goes on whole.
func TestAnObserverOfTheHostKeepsItsName(t *testing.T) {
	r := loaded(t, "a.lua", `ecs.system("s", { run = function() ecs.log("old") end })`)
	err := r.world.Observe(ecs.Observer{Name: "a.lua:mine", On: ecs.OnSpawn, Run: func(*ecs.Tick, ecs.Notice) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	r.save("a.lua", `ecs.system("s", { run = function() ecs.log("new") end })
ecs.on_spawn("mine", function() end)`)
	r.refused(`a.lua:3: the host has an observer with the name "a.lua:mine" already`)
	if r.run(1); strings.Contains(r.logged(), "new") {
		t.Error("the refused version runs")
	}
	r.world.Unobserve("a.lua:mine")
	r.save("a.lua", `ecs.system("s", { run = function() ecs.log("newer") end })
ecs.on_spawn("mine", function() end)`)
	r.accepted()
}

// TestSourceAndLastReload: the text in force, and the last verdict, refused ones too.
func TestSourceAndLastReload(t *testing.T) {
	old := once("a", `ecs.log("old")`)
	r := loaded(t, "a.lua", old)
	if last, n := r.host.LastReload(); n != 0 || last.Err != nil || last.Changed != nil {
		t.Errorf("before the first: %v, %d", last, n)
	}
	r.save("a.lua", "nonsense nonsense")
	r.refused("nonsense")
	if text, err := r.host.Source("a.lua"); err != nil || !strings.HasSuffix(strings.TrimSpace(text), strings.TrimSpace(old)) {
		t.Errorf("%q, %v", text, err)
	}
	if last, n := r.host.LastReload(); n != 1 || last.Err == nil {
		t.Errorf("%v, %d", last, n)
	}
	r.save("a.lua", once("a", `ecs.log("new")`))
	r.accepted()
	if text, _ := r.host.Source("a.lua"); !strings.Contains(text, "new") {
		t.Errorf("%q", text)
	}
	if last, n := r.host.LastReload(); n != 2 || last.Err != nil || len(last.Changed) != 1 {
		t.Errorf("%v, %d", last, n)
	}
	if _, err := r.host.Source("b.lua"); !errors.Is(err, ecs.ErrUnknown) {
		t.Error(err)
	}
}
