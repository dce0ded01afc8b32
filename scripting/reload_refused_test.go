package scripting_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/nearest"
	"github.com/perigee-ecs/perigee/scripting"
)

func TestBrokenSaveKeepsTheOldBehaviour(t *testing.T) {
	r := loaded(t, "a.lua", once("a", "ecs.log('old')"))
	for _, broken := range []struct{ text, why string }{
		{"local x = = 3", "a.lua:2:11"},
		{once("a", "ecs.log(") + "nonsense(", "a.lua:"},
		{"error('at load')", "a.lua:2: at load"},
		{`error({ code = 5 })`, "a.lua:2"},
		{"spawn()", `unknown name "spawn"`},
		{"while true do end", "a.lua:2: script ran too long"},
		{`ecs.native("Positon")`, `unknown native component "Positon" (did you mean "Position"?)`},
		{`local a = require "b"`, `module "b" not found`},
		{`ecs.spawn(P)`, "the top level declares, systems act"},
		{"\x00\x01\xff", "a.lua"},
		{strings.Repeat("x = (", 2000), "a.lua"},
	} {
		r.save("a.lua", broken.text)
		r.refused(broken.why)
		r.wantLog("old")
	}
	r.save("a.lua", once("a", "ecs.log('new')"))
	r.accepted()
	r.wantLog("new")
}

func TestFixInAnotherFileFreesARefusedSet(t *testing.T) {
	r := loaded(t, "a.lua", "return { v = 1 }", "b.lua", `local a = require "a" `+once("b", "ecs.log(a.v)"))
	r.save("a.lua", "return { w = 2 }", "b.lua", `local a = require "a" assert(a.v == nil and a.u) `+once("b", "ecs.log(a.u)"))
	r.refused("b.lua:2: assertion failed")
	r.save("a.lua", "return { u = 3 }")
	r.accepted()
	r.wantLog("1 3")
}

func TestFileRemovedFromARefusedSet(t *testing.T) {
	r := loaded(t, "a.lua", once("a", "ecs.log('a')"))
	r.save("a.lua", once("a", "ecs.log('A')"), "b.lua", "syntax error here")
	r.refused("b.lua:2")
	r.remove("b.lua")
	r.accepted()
	r.wantLog("a A")
}

func TestFailedLoadIsRetriedAsAWhole(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", "return 5", "b.lua", "oops(", "c.lua", `local a = require "a" `+once("c", "ecs.log(a)"))
	var refused *scripting.LoadError
	if err := r.host.Load(r.folder); !errors.As(err, &refused) || len(refused.Problems) != 1 {
		t.Fatal(err)
	}
	r.run(1)
	r.save("b.lua", "")
	r.accepted()
	r.wantLog("5")
}

// Each of these is refused as a whole: the good change in other.lua waits.
func TestReloadRefusedAsAWhole(t *testing.T) {
	for name, c := range map[string]struct{ text, why string }{
		"cycle":             {`ecs.system "a" { run = print, before = { "other" } }`, `systems wait for each other: a → other → a`},
		"unknown name":      {`ecs.system "a" { run = print, after = { "othr" } }`, `(did you mean "other"?)`},
		"old name":          {`ecs.system "b" { run = print, after = { "a" } }`, `"a", which does not exist`},
		"wrong phase":       {`ecs.system "a" { run = print, phase = "debug", before = { "go" } }`, `phase debug`},
		"priority":          {`ecs.system "a" { run = print, priority = 500 }`, `system "a": priority 500, phase logic has 0 to 199`},
		"name of other":     {`ecs.system "other" { run = print }`, `declared in`},
		"name of Go":        {`ecs.system "go" { run = print }`, `a.lua:2: system "go" exists already`},
		"handler of other":  {`ecs.handler("h", print)`, `declared in`},
		"component fields":  {`ecs.component("H", { hp = 1, max = 2 })`, `h.lua:2: component "H" is declared with other fields in a.lua:2`},
		"component kind":    {`ecs.component("H", { hp = ecs.f32(1) })`, `h.lua:2: component "H" is declared with other fields in a.lua:2`},
		"native fields":     {`ecs.component("Position", { x = 1 })`, `a.lua:2: component "Position" is declared by the Go host`},
		"event fields":      {`ecs.event("E", { m = 1 })`, `h.lua:2: event "E" is declared with other fields in a.lua:2`},
		"gone but required": {`ecs.system "c" { run = print } ecs.system "d" { run = print, before = { "c", "a" } }`, `"a", which does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			r := loaded(t, "a.lua", `local print = function() ecs.log "old" end ecs.system "a" { run = print }`,
				"h.lua", `ecs.component("H", { hp = 1 }) ecs.event("E", { n = 1 })`,
				"other.lua", `ecs.system "other" { run = function() ecs.log("other") end, before = { "a?" } } ecs.handler("h", function() end)`)
			goSystem := ecs.System{Name: "go", Run: func(*ecs.Tick) error { return nil }}
			if err := r.world.Schedule().Add(goSystem); err != nil {
				t.Fatal(err)
			}
			r.save("a.lua", "local print = function() end "+c.text,
				"other.lua", `ecs.system "other" { run = function() ecs.log("OTHER") end, before = { "a?" } } ecs.handler("h", function() end)`)
			r.refused(c.why)
			r.wantLog("other old")
			for _, p := range r.reloads[0].Err.(*scripting.LoadError).Problems {
				if p.Script == "" || p.Line == 0 || p.Source == "" {
					t.Errorf("no place: %#v", p)
				}
			}
			r.save("a.lua", once("a", "ecs.log('new')"))
			r.accepted()
			r.wantLog("OTHER new")
		})
	}
}

func TestDeletingWhatAnotherWaitsFor(t *testing.T) {
	r := loaded(t, "a.lua", once("first", ""), "b.lua", "\n"+`ecs.system "second" { run = function() end, after = { "first" } }`)
	r.remove("a.lua")
	r.refused(`b.lua:3`, `system "second" runs after "first", which does not exist`)
	if text := r.reloads[0].Err.Error(); strings.Contains(text, "did you mean") {
		t.Errorf("%s: suggests the name that goes", text)
	}
}

func TestEnabledOverReload(t *testing.T) {
	text := func(enabled, word string) string {
		return `ecs.system "a" { enabled = ` + enabled + `, run = function() ecs.log("` + word + `") end } ` +
			once("switch", `if ctx.tick == 2 then ecs.enable("a", false) end`)
	}
	r := loaded(t, "a.lua", text("true", "on"))
	r.run(2)
	r.wantLog("on on")
	r.run(1)
	r.save("a.lua", text("true", "changed"))
	r.accepted()
	r.wantLog("")
	r.save("a.lua", text("false", "off"))
	r.accepted()
	r.save("a.lua", text("true", "on again"))
	r.accepted()
	r.wantLog("on again")
}

// TestEnabledWhenASystemComesBack: what ecs.enable said holds again when a system comes back that was gone
// for a save, in the same file or in another, unless its text asks for something else.
func TestEnabledWhenASystemComesBack(t *testing.T) {
	system := func(name, enabled string) string {
		return `ecs.system "` + name + `" { enabled = ` + enabled + `, run = function() ecs.log("` + name + `") end }`
	}
	const on, off = "true", "false"
	both := func(a, b string) string { return system("a", a) + " " + system("b", b) }
	for name, back := range map[string][2]string{"as it was": {on, off}, "the other way": {off, on}} {
		for _, file := range []string{"a.lua", "new.lua"} {
			r := loaded(t, "a.lua", both(on, off), "switch.lua", once("switch", `if ctx.tick == 1 then ecs.enable("a", false) ecs.enable("b", true) end`))
			r.run(2)
			r.wantLog("a b")
			for range 3 {
				r.save("a.lua", `local gone`)
				r.accepted()
				r.wantLog("")
				r.save(file, both(back[0], back[1]))
				r.accepted()
				r.wantLog("b") // off, because ecs.enable or the text says so; on likewise
				if file == "new.lua" {
					break
				}
			}
			if name == "as it was" {
				r.save(file, both(off, on))
				r.accepted()
				r.save(file, both(on, off))
				r.accepted()
				r.wantLog("b a")
			}
		}
	}
}

// TestEnabledInSnapshots: what is kept of systems that are gone is in snapshots and saves.
func TestEnabledInSnapshots(t *testing.T) {
	const a, quiet = `ecs.system "a" { run = function() ecs.log("a") end }`, `local gone`
	r := loaded(t, "a.lua", a, "switch.lua", once("switch", `if ctx.tick == 1 then ecs.enable("a", false) end`))
	r.run(1)
	r.wantLog("a")
	r.save("a.lua", quiet)
	r.accepted()
	s := r.captured()
	text := string(s.Scripts().Encode())
	if !strings.Contains(text, `{"system":"a","on":false}],"tables"`) {
		t.Error(text)
	}
	if _, err := scripting.ReadScripts([]byte(strings.Replace(text, `{"system":"a","on":false}`, `{"system":"a","on":false},{"system":"a","on":true}`, 1)), scripting.Limits{}); err == nil {
		t.Error("a system stands there twice")
	}
	for _, bring := range []func(*game){
		func(g *game) { g.restored(s) },
		func(g *game) { // into a game in which the system is there, and has never run
			g.save("a.lua", a)
			g.accepted()
			g.restored(s)
			g.run(1)
			g.wantLog("")
			g.save("a.lua", quiet)
			g.accepted()
		},
	} {
		bring(r)
		r.save("a.lua", a)
		r.accepted()
		r.run(1)
		r.wantLog("")
	}
}

// TestEnabledBeforeARestore: a snapshot of a game in which the system was still there says what ecs.enable
// had said of it, too, and does so again and again.
func TestEnabledBeforeARestore(t *testing.T) {
	const a, b, quiet = `ecs.system "a" { run = function() ecs.log("a") end } `, `ecs.system "b" { enabled = false, run = function() ecs.log("b") end }`, `local gone`
	r := loaded(t, "a.lua", a+b, "switch.lua", once("switch", `if ctx.tick == 1 then ecs.enable("a", false) ecs.enable("b", true) end`))
	r.run(1)
	s := r.captured()
	bring := s
	for range 3 {
		r.save("a.lua", quiet)
		r.accepted()
		r.restored(bring)
		bring = r.captured() // of a game from which they have gone
		r.save("a.lua", a+b)
		r.accepted()
		r.logs = nil
		r.run(1)
		r.wantLog("b")
	}
	r.restored(s) // into one in which both are there, and then they go
	switchTo := func(on bool) {
		r.world.Schedule().Enable("a", !on)
		r.world.Schedule().Enable("b", on)
	}
	switchTo(false)
	untouched := r.captured()
	switchTo(true)
	r.save("a.lua", quiet)
	r.accepted()
	r.restored(untouched)
	r.save("a.lua", a+b)
	r.accepted()
	r.logs = nil
	r.run(1)
	r.wantLog("a")
}

// TestSwitchesAreBounded: of more systems that are gone than a thousand, what was said first is forgotten.
func TestSwitchesAreBounded(t *testing.T) {
	const all = 1002
	var text strings.Builder
	for i := range all {
		fmt.Fprintf(&text, "ecs.system(\"s%04d\", { enabled = false, run = function() end })\n", i)
	}
	r := loaded(t, "a.lua", text.String())
	on := func() (names []string) {
		for name := range r.world.Schedule().Switched() {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	for i := range all {
		r.world.Schedule().Enable(fmt.Sprintf("s%04d", i), true)
	}
	before := r.captured()
	if n := strings.Count(string(before.Scripts().Encode()), `"on":true`); n != 1000 {
		t.Errorf("%d in a snapshot", n)
	}
	r.save("a.lua", "local gone")
	r.accepted()
	for range 2 {
		encoded := r.captured().Scripts().Encode()
		if n := strings.Count(string(encoded), `"on":true`); n != 1000 {
			t.Errorf("%d are kept", n)
		}
		if _, err := scripting.ReadScripts(encoded, scripting.Limits{}); err != nil {
			t.Error(err)
		}
		r.restored(before)
	}
	if _, err := scripting.ReadScripts([]byte(strings.Replace(string(before.Scripts().Encode()), `{"system"`, `{"system":"one more","on":true},{"system"`, 1)), scripting.Limits{}); err == nil {
		t.Error("more than a thousand are read")
	}
	r.save("a.lua", text.String())
	r.accepted()
	if names := on(); len(names) != 1000 || names[0] != "s0002" {
		t.Errorf("%d are on, from %q on", len(names), names[:1])
	}
}

func TestIntervalOverReload(t *testing.T) {
	text := func(word string) string {
		return `ecs.system "a" { every = 0.125, run = function(ctx) ecs.log("` + word + `", ctx.tick, ctx.dt) end }`
	}
	r := loaded(t, "a.lua", text("a"))
	r.run(10)
	r.save("a.lua", text("b"))
	r.accepted()
	r.run(13)
	r.wantLog("a 8 0.125 b 16 0.125 b 24 0.125")
}

func TestLastOfTwoSavesCounts(t *testing.T) {
	r := loaded(t, "a.lua", once("a", "ecs.log(1)"))
	r.save("a.lua", "broken(")
	r.save("b.lua", once("b", "ecs.log('b')"))
	r.save("a.lua", once("a", "ecs.log(2)"))
	r.accepted()
	r.wantLog("2 b")
	r.remove("b.lua")
	r.save("b.lua", once("b", "ecs.log('B')"))
	r.accepted()
	r.wantLog("2 B")
}

func TestStageBeside(t *testing.T) {
	r := loaded(t, "a.lua", once("a", "ecs.log(1)"))
	done := make(chan struct{})
	var saves sync.WaitGroup
	saves.Add(1)
	go func() {
		defer close(done)
		for i := range 50 {
			r.save("a.lua", once("a", strings.Repeat("ecs.log(2) ", i%3)), "b.lua", "return 1")
			if i == 0 {
				saves.Done()
			}
		}
	}()
	saves.Wait()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		r.run(1)
	}
	if n := len(r.reloads); n == 0 || n > 51 {
		t.Errorf("%d reloads of 50 saves", n)
	}
}

func TestStageBeforeLoad(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.save("a.lua", once("a", "ecs.log(1)"))
	r.run(1)
	if len(r.reloads) != 0 {
		t.Error("a reload before the load")
	}
}

func TestStagePassesOverWhatIsNoScript(t *testing.T) {
	r := loaded(t, "a.lua", "")
	r.host.Stage([]string{"notes.txt", ".#a.lua", ".git/x.lua", "sub/.hidden/y.lua", ""}, []string{"a.lua~", "4913", ".#a.lua"})
	r.run(1)
	if len(r.reloads) != 0 {
		t.Errorf("reloads: %v", r.reloads)
	}
}

// TestRefusedFileThatIsDeleted: a new file that was refused and is deleted refuses no
// later save, however it was wrong.
func TestRefusedFileThatIsDeleted(t *testing.T) {
	const good = `ecs.system "s" { run = function() end }`
	for name, text := range map[string]string{
		"a copy": good, "a syntax error": "local x = \n", "an unknown name": "foo()\n", "an error": `error("x")`,
		"an option that is none": `ecs.system "q" { run = function() end, evry = 1 }`,
	} {
		for _, between := range []bool{false, true} { // a step between the save and the deletion
			r := newGame(t, scripting.Limits{})
			r.write("m.lua", good)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			r.save("n.lua", text)
			if between {
				r.refused("n.lua")
			}
			r.remove("n.lua")
			r.step(1)
			if between && (len(r.reloads) == 0 || !strings.Contains(r.verdict(), "reload ok: 0 files, 1 removed")) {
				t.Errorf("%s: %v", name, r.reloads)
			}
			r.save("m.lua", good+" -- again")
			r.accepted()
		}
	}
}

// TestACycleNamesAllPlaces: a cycle of systems in several files is refused at one of the names
// that make it, and says where the others are; a system that waits for itself is told so.
func TestACycleNamesAllPlaces(t *testing.T) {
	r := loaded(t, "a.lua", `ecs.system "a" { run = function() end }`, "b.lua", `ecs.system "b" { after = "a", run = function() end }`)
	r.save("a.lua", `ecs.system "a" { run = function() end, after = { "x?", "b" } }`)
	r.refused(`a.lua:2:56: cycle: systems wait for each other: b → a → b; also asked for in b.lua:2:26`)
	r.save("a.lua", `ecs.system "a" { requires = "a", run = function() end }`)
	r.refused(`a.lua:2:29: cycle: system "a" is to require itself`)
}

// lettersOf returns how many letters of names a step compares to find one that was meant.
func (r *game) lettersOf(ticks int) int64 {
	before := nearest.Letters()
	r.step(ticks)
	return nearest.Letters() - before
}

// TestARefusalInTheStepLooksForFewNames: a set that only the step refuses has the calls of short scripts checked there,
// and a few problems said. The dry run has had the time for more.
func TestARefusalInTheStepLooksForFewNames(t *testing.T) {
	long := strings.Repeat("n", 30)
	var fields, calls strings.Builder
	for i := range 300 {
		fmt.Fprintf(&fields, "%s%03d = 0,", long, i)
	}
	text := func(n int) string {
		calls.Reset()
		for i := range n {
			fmt.Fprintf(&calls, "ecs.get(1, C, \"%s%03dx\")\n", long, i)
		}
		return "local C = ecs.component(\"C\", {" + fields.String() + "})\necs.on_start(function()\n" + calls.String() + "end)\n" + `ecs.system "s" { after = { "nono" }, run = function() end }`
	}
	for n, most := range map[int]int{50: 6, 400: 1} {
		r := loaded(t, "a.lua", "")
		r.step(1)
		r.save("a.lua", text(n))
		letters := r.lettersOf(1)
		var all *scripting.LoadError
		if !errors.As(r.reloads[0].Err, &all) || len(all.Problems) != most || letters > 100_000 {
			t.Errorf("%d calls: %d problems, %d letters were compared", n, len(all.Problems), letters)
		}
	}
}

// TestFaultsOfTheOrderAreSaidAsTheyAreFound: of few systems all faults are said, with what was meant; of many, those that a step
// has time to find.
func TestFaultsOfTheOrderAreSaidAsTheyAreFound(t *testing.T) {
	for n, most := range map[int]int{8: 8, 500: 4} {
		r := loaded(t, "a.lua", "")
		r.step(1)
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "ecs.system \"the system of number %03d\" { after = { \"the systen of number %03d\" }, run = function() end }\n", i, i)
		}
		r.save("a.lua", text.String())
		letters := r.lettersOf(1)
		var all *scripting.LoadError
		if !errors.As(r.reloads[0].Err, &all) || len(all.Problems) != most || letters > 100_000 {
			t.Errorf("%d systems: %d problems, %d letters were compared", n, len(all.Problems), letters)
		}
	}
}

// TestTimersOfALostHandlerLookForItOnce: the name that was meant is looked for once in a tick, not for each of the timers
// whose handler is gone.
func TestTimersOfALostHandlerLookForItOnce(t *testing.T) {
	var handlers strings.Builder
	for i := range 300 {
		fmt.Fprintf(&handlers, "ecs.handler(\"%s%03d\", function() end)\n", strings.Repeat("n", 30), i)
	}
	lost := strings.Repeat("n", 30) + "_x"
	r := loaded(t, "b.lua", handlers.String(), "a.lua", fmt.Sprintf(`ecs.handler(%q, function() end) ecs.on_start(function() for i = 1, 100 do ecs.after(0.02, %[1]q) end end)`, lost))
	r.step(1)
	r.save("a.lua", `ecs.handler("other", function() end)`)
	if letters := r.lettersOf(5); letters > 3*300*33 {
		t.Errorf("%d letters were compared", letters)
	}
	if len(r.errors) != 21 { // the last one counts the others
		t.Errorf("%d faults", len(r.errors))
	}
	r.errors = nil
}

// TestNoTickReadsATextAgain: under limits that bound the time of a tick, what is known of a text stays known, as loaded and
// as reloaded, so that no error and no kernel of a tick reads all of it. Where scripts are written, it is dropped after a load.
func TestNoTickReadsATextAgain(t *testing.T) {
	for want, limits := range map[int]scripting.Limits{0: scripting.ReleaseLimits(60), 1: {}} {
		r := newGame(t, limits)
		r.write("a.lua", once("a", ""), "b.lua", "")
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.save("b.lua", "local x = 1")
		r.step(1)
		if got := min(r.host.Resting(), 1); got != want {
			t.Errorf("%d texts must be read again, want %d", got, want)
		}
	}
}
