package scripting_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

// captured captures a game, which must be possible.
func (r *game) captured() *scripting.Snapshot {
	r.Helper()
	s, err := r.host.Capture()
	if err != nil {
		r.Fatal(err)
	}
	return s
}

// restored restores a game, which must be possible, and returns what was found.
func (r *game) restored(s *scripting.Snapshot) scripting.Restored {
	r.Helper()
	found, err := r.host.Restore(s)
	if err != nil {
		r.Fatal(err)
	}
	return found
}

// TestASavedValueWaitsForItsOnLoad: what on_save has returned is given to the next version that has an on_load,
// where the one at the restore had none, had failed, or was gone, and is a part of saves until then.
func TestASavedValueWaitsForItsOnLoad(t *testing.T) {
	whole := `local n = %d
ecs.on_save(function() return { n = n } end)
ecs.on_load(function(kept) %s n = kept.n ecs.log("loaded", n) end)
ecs.system "count" { run = function() n = n + 1 end }`
	for name, between := range map[string]string{
		"an empty save": ``,
		"a mistake":     fmt.Sprintf(whole, 50, `error("not yet")`),
		"another file":  `gone`,
	} {
		r := loaded(t, "a.lua", fmt.Sprintf(whole, 7, ""), "b.lua", "")
		r.run(2)
		s := r.captured() // n is 9
		if between == "gone" {
			r.remove("a.lua")
		} else {
			r.save("a.lua", between)
		}
		r.accepted()
		r.restored(s)
		r.wantLog("")
		if name != "a mistake" { // its own on_save says what a save has
			again, err := scripting.ReadScripts(r.captured().Scripts().Encode(), scripting.Limits{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if _, err := r.host.RestoreScripts(again, func() error { return nil }); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		r.save("a.lua", fmt.Sprintf(whole, 100, ""))
		if err := r.host.Step(1); err != nil {
			t.Fatal(err)
		}
		if got := r.logged(); got != "loaded 9" {
			t.Errorf("%s: the file that came again says %q", name, got)
		}
		r.save("a.lua", fmt.Sprintf(whole, 200, "")) // what was taken waits no longer
		if err := r.host.Step(1); err != nil {
			t.Fatal(err)
		}
		if got := r.logged(); got != "" {
			t.Errorf("%s: a later version gets %q", name, got)
		}
	}
}

// TestCaptureRefuses what cannot be kept, with its place and its path, and leaves the snapshot as it was.
func TestCaptureRefuses(t *testing.T) {
	for want, text := range map[string]string{
		`a.lua:2: ecs.on_save: value.units[3].on_hit is a function: a save keeps numbers, texts, booleans and tables of them`: `
			ecs.on_save(function() return { units = { 1, 2, { on_hit = function() end } } } end)`,
		`a.lua:1: ecs.on_save: one value is kept, and the function returns a table after it as well: return one table with all of them`: `ecs.on_save(function() return 1, nil, { a = 2 }, print end)`,
		`a.lua:1: ecs.on_save: value is a function`:                                       `ecs.on_save(function() return function() end end)`,
		`a.lua:1: ecs.on_save: value["a b"][true] is a coroutine`:                         `ecs.on_save(function() return { ["a b"] = { [true] = coroutine.create(function() end) } } end)`,
		`a.lua:1: ecs.on_save: value.t has a key that is a table`:                         `ecs.on_save(function() return { t = { [{}] = 1 } } end)`,
		`a.lua:1: ecs.on_save: value[1] is a table with a metatable`:                      `ecs.on_save(function() return { setmetatable({}, {}) } end)`,
		`a.lua:1: ecs.on_save: value.c is the component C`:                                `local C = ecs.component("C", { x = ecs.f64() }) ecs.on_save(function() return { c = C } end)`,
		`attempt to index "t", a nil value`:                                               `ecs.on_save(function() local t = nil return t.x end)`,
		`a.lua:1: system "on_save a.lua": ecs.spawn: cannot be used in ecs.on_save`:       `ecs.on_save(function() ecs.spawn() end)`,
		`a.lua:1: system "on_save a.lua": ecs.count: cannot be used in ecs.on_save`:       `local C = ecs.tag("C") ecs.on_save(function() return ecs.count { C } end)`,
		`a.lua:1: system "on_save a.lua": ecs.after: cannot be used in ecs.on_save`:       `ecs.handler("h", function() end) ecs.on_save(function() ecs.after(1, "h") end)`,
		`a.lua:1: system "on_save a.lua": ecs.events: cannot be used in ecs.on_save`:      `local E = ecs.event("E", {}) ecs.on_save(function() for e in ecs.events(E) do end end)`,
		`a.lua:1: system "on_save a.lua": ecs.handler: can only be used at the top level`: `ecs.on_save(function() ecs.handler("h", function() end) end)`,
		`a.lua:1: system "on_save a.lua": a state table cannot be written in ecs.on_save`: `local S = ecs.state("s") ecs.on_save(function() S.x = 1 end)`,
		`a.lua:1: system "on_save a.lua": script ran too long`:                            `ecs.on_save(function() while true do end end)`,
		`a.lua:2: the timer for "h": data.f is a function`: `ecs.handler("h", function(data) data.f = print end) ecs.on_start(function()
			ecs.every(1/64, "h", { n = 1 }) end)`,
	} {
		r := newGame(t, scripting.Limits{Instructions: 10_000})
		r.folder["a.lua"] = newFile("local ecs = require \"ecs\" " + text)
		if err := r.host.Load(r.folder); err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		s := &scripting.Snapshot{}
		random, sum := r.world.Random().State(), r.world.Checksum()
		if strings.Contains(text, "timer") || strings.Contains(text, "every") {
			r.step(3)
		}
		err := r.host.Update(s)
		var e *scripting.Error
		if !errors.As(err, &e) || !says(byLine(err.Error()), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
		if s.Scripts() != nil {
			t.Error("a refused capture has left something")
		}
		if !strings.Contains(text, "every") && (r.world.Random().State() != random || r.world.Checksum() != sum) {
			t.Error("a refused capture has changed the world")
		}
		if _, err := r.host.Restore(s); !errors.Is(err, ecs.ErrConflict) {
			t.Errorf("an empty snapshot is restored: %v", err)
		}
	}
}

// TestWhatLimitsSavedBounds: a table of a million entries is refused before anything is copied, and so
// is one that an on_save or a timer keeps.
func TestWhatLimitsSavedBounds(t *testing.T) {
	for name, text := range map[string]string{
		`the state table "s": ecs.state`: `local S = ecs.state("s") ecs.on_start(function() for i = 1, 20 do S[i] = {} for j = 1, 1000 do S[i][j] = j end end end)`,
		`ecs.on_save: value.list`:        `local t = {} for i = 1, 20000 do t[i] = i end ecs.on_save(function() return { list = t } end)`,
		`ecs.on_save: value`:             `ecs.on_save(function() return { ("x"):rep(200000) } end)`,
		`the timer for "h": data`:        `ecs.handler("h", function() end) ecs.on_start(function() for i = 1, 2000 do ecs.after(9, "h", { i, i }) end end)`,
	} {
		r := newGame(t, scripting.Limits{Saved: 100_000})
		r.write("a.lua", script(text))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		_, err := r.host.Capture()
		var e *scripting.Error
		if !errors.Is(err, scripting.ErrLimit) || !errors.As(err, &e) || e.Limit != "Saved" || e.Script != "a.lua" || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

// TestAReloadBetween: what was captured comes into the version that is loaded now.
func TestAReloadBetween(t *testing.T) {
	r := loaded(t, "a.lua", `
local S = ecs.state("s", { n = 1, deep = { x = 1 } })
local kept = 7
ecs.on_save(function() return kept end)
ecs.on_load(function(v) kept = v + 1 end)
ecs.on_start(function() ecs.log("start a") ecs.every(1/64, "tick") S.deep.x = 2 end)
ecs.handler("tick", function() S.n = S.n + 1 if S.fail then error("planned") end end)`,
		"gone.lua", `local G = ecs.state("gone", { here = true }) ecs.on_start(function() G.n = 5 end)`)
	r.step(3)
	s := r.captured()
	r.save("a.lua", `
local S, T = ecs.state("s", { n = 1, deep = { x = 1 }, fresh = "new" }), ecs.state("t", { list = { 1 } })
ecs.on_start(function() ecs.log("start again") end)
ecs.handler("tick", function() S.n = S.n + 10 T.list[#T.list + 1] = S.n end)
ecs.system "show" { run = function() ecs.log(S.n .. " " .. S.deep.x .. " " .. tostring(S.fresh) .. " " .. #T.list) end }`,
		"b.lua", `ecs.on_start(function() ecs.log("start b") end)`)
	r.remove("gone.lua")
	r.accepted()
	r.step(2)
	r.logs = nil
	found := r.restored(s)
	if want := (scripting.Restored{Missing: []string{"gone.lua"}, New: []string{"b.lua"}, Changed: []string{"a.lua"}, Notes: []string{"a.lua: on_save has kept a value, and no on_load takes it: it waits for a version that has one"}}); fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", found, want)
	}
	r.step(2)
	if got := fmt.Sprint(r.logs); got != "[start b 14 2 new 2 24 2 new 3]" {
		t.Errorf("got %v", got)
	}
	r.save("gone.lua", `local G = ecs.state("gone", { here = true }) ecs.system "back" { run = function() ecs.log("back", G.n) end }`)
	r.step(1)
	if !slices.Contains(r.logs, "back 5") {
		t.Errorf("the state of a file that was gone: %v", r.logs)
	}
}

// TestARestoredTableIsTheSame: a table that a script has in hand is the table of the state, in the same
// host and in another one; and what goes with the code does not come back.
func TestARestoredTableIsTheSame(t *testing.T) {
	text := `
local S = ecs.state("s", { units = { a = { hp = 1 } } })
local units, first = S.units, S.units.a
local calls, task = 0, coroutine.create(function() while true do coroutine.yield() end end)
ecs.system "run" { run = function()
  calls = calls + 1
  coroutine.resume(task)
  first.hp = first.hp + 1
  units["u" .. calls] = { hp = calls }
  ecs.log(S.units.a.hp, units == S.units, first == units.a, calls, coroutine.status(task))
end }`
	r := loaded(t, "a.lua", text)
	r.step(2)
	s := r.captured()
	r.step(3)
	found := r.restored(s)
	r.logs = nil
	r.step(1)
	if got := fmt.Sprint(r.logs); got != "[4 true true 6 suspended]" {
		t.Errorf("in the same host: %v", got)
	}
	if want := "a.lua: 1 suspended coroutine goes on where it is"; !slices.Contains(found.Notes, want) {
		t.Errorf("notes %v, want %s", found.Notes, want)
	}
	x, err := scripting.ReadScripts(s.Scripts().Encode(), scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	o := loaded(t, "a.lua", text)
	if _, err := o.host.RestoreScripts(x, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	o.step(1)
	if got := fmt.Sprint(o.logs); got != "[4 true true 1 suspended]" {
		t.Errorf("in another host: %v", got)
	}
}

// TestOnLoadFails: what it has written is taken back, all else is restored, and it is a fault.
func TestOnLoadFails(t *testing.T) {
	r := loaded(t, "a.lua", `
local S = ecs.state("s", { n = 1 })
ecs.on_save(function() return { 1 } end)
ecs.on_load(function(v) S.n = 99 S.t = {} error("planned") end)
ecs.system "show" { run = function() ecs.log(S.n, S.t) end }`)
	s := r.captured()
	found := r.restored(s)
	if len(found.Notes) != 1 || !strings.Contains(found.Notes[0], "a.lua: on_load has failed") {
		t.Errorf("notes %q", found.Notes)
	}
	r.step(1)
	r.wantLog("1 nil")
	if len(r.errors) != 1 || !strings.Contains(r.errors[0].Message, "planned") || r.errors[0].System != "on_load a.lua" {
		t.Errorf("errors %v", r.errors)
	}
	// What cannot be done in it.
	for _, act := range []string{"ecs.spawn()", "ecs.enable('show', false)", "ecs.state('x')"} {
		r := loaded(t, "a.lua", "ecs.on_save(function() return 1 end) ecs.on_load(function(v) "+act+" end)")
		if found := r.restored(r.captured()); len(found.Notes) != 1 {
			t.Errorf("%s: notes %q", act, found.Notes)
		}
	}
}

// TestDeclaredTwice: a file has one on_save and one on_load.
func TestOnSaveIsDeclaredOnce(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.folder["a.lua"] = newFile("local ecs = require 'ecs' ecs.on_save(function() end)\necs.on_save(function() end)\necs.on_load(function() end)\necs.on_load(function() end)\necs.on_load(1)")
	err := r.host.Load(r.folder)
	for _, want := range []string{"a.lua:2: ecs.on_save is declared twice, first in a.lua:1", "a.lua:4: ecs.on_load is declared twice, first in a.lua:3", "a.lua:5: ecs.on_load"} {
		if err == nil || !strings.Contains(byLine(err.Error()), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestAWorldThatCannotBeRestored changes nothing of the scripts.
func TestAWorldThatCannotBeRestored(t *testing.T) {
	text := `local E, S = ecs.event("E", {}), ecs.state("s", { n = 0 })
ecs.system "run" { run = function() S.n = S.n + 1 for e in ecs.events(E) do end ecs.log(S.n) end }`
	r := loaded(t, "a.lua", text)
	r.step(2)
	s := r.captured()
	r.step(1)
	refused := errors.New("refused")
	if _, err := r.host.RestoreScripts(s.Scripts(), func() error { return refused }); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	o := loaded(t, "a.lua", text)
	if _, err := o.host.RestoreScripts(s.Scripts(), func() error { return refused }); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	r.step(1)
	o.step(1)
	if fmt.Sprint(r.logs, o.logs) != "[1 2 3 4] [1]" {
		t.Errorf("logs %v %v", r.logs, o.logs)
	}
}

// TestCaptureAllocatesNothing where scripts have written nothing, and little where they have.
func TestCaptureAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for name, c := range map[string]struct {
		text string
		most float64
	}{
		"nothing written": {`local S = ecs.state("s", { n = 0, list = { 1, 2 }, names = { a = "b" } })
			ecs.handler("h", function(data) data.n = data.n + 1 end) ecs.on_start(function() ecs.every(1/64, "h", { n = 1 }) end)`, 0},
		"written": {`local S = ecs.state("s", { n = 0, list = { 1, 2 }, names = { a = "b" } })
			ecs.system "run" { run = function() S.n = S.n + 1 S.list[1] = S.n S.names.a = "c" end }`, 0},
	} {
		r := loaded(t, "a.lua", c.text)
		s := &scripting.Snapshot{}
		for range 4 {
			r.step(1)
			if err := r.host.Update(s); err != nil {
				t.Fatal(err)
			}
		}
		alone := &snapshot.Snapshot{}
		c.most = testing.AllocsPerRun(50, func() { _ = alone.Update(r.world) }) // of the world
		if n := testing.AllocsPerRun(50, func() { _ = r.host.Update(s) }); n > c.most {
			t.Errorf("%s: %v allocations without a step", name, n)
		}
		step := testing.AllocsPerRun(50, func() { _ = r.host.Step(1.0 / 64) })
		both := testing.AllocsPerRun(50, func() { _ = r.host.Step(1.0 / 64); _ = r.host.Update(s) })
		if both > step+c.most {
			t.Errorf("%s: %v allocations with a step, which has %v", name, both, step)
		}
	}
}

// TestASnapshotOfOtherFields: one from before a reload that has changed the fields of a component is
// refused whole. The error says which fields differ and what to do.
func TestASnapshotOfOtherFields(t *testing.T) {
	const text = `local A = ecs.component("Armour", { plates = ecs.f64(3)%s }%s)
ecs.on_start(function() ecs.spawn(A) end)`
	r := loaded(t, "a.lua", fmt.Sprintf(text, "", ""))
	r.run(1)
	s := r.captured()
	r.save("a.lua", fmt.Sprintf(text, ", rust = ecs.f64(1)", ""))
	r.accepted()
	_, err := r.host.Restore(s)
	if !errors.Is(err, ecs.ErrConflict) {
		t.Fatal(err)
	}
	for _, want := range []string{`component "Armour" has other fields in the snapshot`, "only now: rust (f64)", "only then: none", "bring back the fields of then", "package save"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	r.run(1)
	r.save("a.lua", fmt.Sprintf(text, "", `, { drop = { "rust" } }`))
	r.accepted()
	r.restored(s)
}
