package scripting_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

func TestOldVersionHandsAValueOver(t *testing.T) {
	text := `local n = %d
ecs.on_unload(function(ctx) ecs.spawn(P) return { n = n, list = { "a", %d } } end)
ecs.on_reload(function(old, ctx) ecs.log("from", old.n, old.list[2], ctx.tick, ecs.count(P)) end)`
	r := loaded(t, "a.lua", fmt.Sprintf(text, 1, 10))
	r.run(1)
	r.wantLog("")
	for i := range 3 {
		r.save("a.lua", fmt.Sprintf(text, i+2, 0))
		r.accepted()
		r.wantLog(fmt.Sprintf("from %d %d %d %d", i+1, max(10-10*i, 0), i+1, i+1))
	}
	// A version that is refused does not end the old one.
	r.save("a.lua", fmt.Sprintf(text, 9, 0)+" if")
	r.refused("a.lua")
	r.wantLog("")
	if r.world.Len() != 3 {
		t.Errorf("%d entities", r.world.Len())
	}
}

// TestAVersionThatCannotHandOverGoesOn: an on_unload that fails, loops or hands over too much refuses the
// reload, and leaves nothing behind: the old version goes on with all that it has. The new text may say
// that it may be lost.
func TestAVersionThatCannotHandOverGoesOn(t *testing.T) {
	for body, want := range map[string]string{
		`ecs.spawn(P) S.n = 9 ecs.after(0, "h") error("no")`: "no",
		`ecs.spawn(P) while true do end`:                     "ran too long",
		`ecs.spawn(P) local t = {} for i = 1, 3 do t[i] = {} for j = 1, 100000 do t[i][j] = j end end return t`: "more than 250,000 entries",
	} {
		r := loadedWith(t, scripting.Limits{}, "a.lua", `local S = ecs.state("s", { n = 1 }) local kept = 7
ecs.on_unload(function() if kept == 7 then `+body+` end return kept end) ecs.handler("h", function() ecs.log("timer") end)
ecs.system "mend" { run = function() ecs.log(kept, S.n) end }`)
		r.run(1)
		r.wantLog("7 1")
		next := `ecs.on_reload(function(old) ecs.log("got", old) end)`
		r.save("a.lua", next)
		r.refused("a.lua:3", "ecs.on_unload of the version that runs fails", want, `write ecs.drop "on_unload" in a.lua`)
		r.run(1)
		if got := r.logged(); !strings.HasSuffix(got, "7 1") || strings.Contains(got, "timer") || r.world.Len() != 0 {
			t.Errorf("%s: logged %q, %d entities", body, got, r.world.Len())
		}
		r.save("a.lua", next+` ecs.drop "on_unload"`)
		r.step(1)
		r.wantError("a.lua:3", want)
		r.wantLog("got nil")
		if last := r.reloads[len(r.reloads)-1]; last.Err != nil || r.world.Len() != 0 ||
			!strings.Contains(r.verdict(), "a.lua: on_unload cannot hand over all of it: the function has failed") || !strings.Contains(r.verdict(), "remove the line") {
			t.Errorf("%s: %v, %d entities", body, r.verdict(), r.world.Len())
		}
	}
	r := loaded(t, "a.lua", `ecs.on_unload(function() ecs.log("gone") end)`, "b.lua", `ecs.on_unload(function() ecs.log("b") end)`)
	r.remove("a.lua")
	r.accepted()
	r.wantLog("gone")
	r.save("b.lua", `ecs.on_unload(function() end) ecs.on_unload(function() end)`)
	r.refused("declared twice, first in b.lua:2")
}

// TestAStartThatFailsNamesThoseAfterIt: the later on_start functions of a file may need what one that fails was
// to make, so they wait with it, and the message says so; those of other files run.
func TestAStartThatFailsNamesThoseAfterIt(t *testing.T) {
	const start = "\necs.on_start(function() ecs.log('a') end)"
	for more, want := range map[string]string{
		"":                   `a.lua:2:25: system "on_start": no (not tried again until its file is saved)`,
		start:                `a.lua:2:25: system "on_start": no; that of line 3 waits for it (not tried again until its file is saved)`,
		"\n" + start + start: `a.lua:2:25: system "on_start": no; 2 later ones wait for it, the first in line 4 (not tried again until its file is saved)`,
	} {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", "ecs.on_start(function() error('no') end)"+more, "b.lua", "ecs.on_start(function() ecs.log('b') end)")
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		if len(r.errors) != 1 || r.errors[0].Error() != want {
			t.Errorf("got %v, want %s", r.errors, want)
		}
		r.wantLog("b")
	}
}

// TestHandingOverIsAllOrNothing: of files that are replaced together, none has handed over when one
// cannot, whatever it has done; and a load that converts values takes what on_unload has written.
func TestHandingOverIsAllOrNothing(t *testing.T) {
	text := `local S = ecs.state("s", { n = 1 })
ecs.on_unload(function() ecs.log("a ends") S.n = S.n + 1 ecs.spawn(P) ecs.after(0, "h") return "a" end) ecs.handler("h", function() ecs.log("timer") end)
ecs.on_reload(function(old) ecs.log("got", old, S.n) end) return S`
	r := loaded(t, "a.lua", text, "b.lua", `local S = require "a" ecs.on_unload(function() if S.n < 3 then error("b cannot") end return "b" end)`)
	r.run(1)
	r.save("a.lua", text+" ")
	r.refused("b.lua:2", "b cannot", "in b.lua")
	r.wantLog("a ends")
	r.save("a.lua", text+"  ")
	r.refused("b.lua:2", "b cannot", "in b.lua")
	r.wantLog("a ends")
	r.run(2)
	r.wantLog("")
	if r.world.Len() != 0 {
		t.Errorf("%d entities", r.world.Len())
	}
	r.save("b.lua", `local S = require "a" ecs.drop "on_unload"`)
	r.step(1)
	r.wantError("b.lua:2", "b cannot")
	r.wantLog("a ends got a 2 timer")

	r = loaded(t, "a.lua", `local H = ecs.component("H", { n = ecs.i32(0) }) local e
ecs.on_start(function() e = ecs.spawn(H { n = 4 }) end)
ecs.on_unload(function() ecs.set(e, H { n = 5 }) ecs.spawn(H { n = 6 }) end)`)
	r.run(1)
	r.save("a.lua", `local H = ecs.component("H", { n = ecs.i32(0), m = ecs.i32(0) }, { version = 2, migrate = function(old) return { m = old.n * 10 } end })
ecs.system "see" { query = { H }, each = function(_, h) ecs.log(h.n, h.m) end }`)
	r.accepted()
	r.run(1)
	if got := r.logged(); !strings.Contains(got, "5 50") || !strings.Contains(got, "6 60") {
		t.Errorf("after the conversion there is %q", got)
	}
}

// TestHandingOverHasTheLimitsOfALoad: what a version has made in many frames need not fit into one.
func TestHandingOverHasTheLimitsOfALoad(t *testing.T) {
	limits := scripting.ReleaseLimits(60)
	text := `local items = {}
ecs.on_start(function() for i = 1, 15000 do items[i] = { id = i, x = i * 2, y = i * 3, name = "n" .. i } end end)
ecs.on_unload(function() return { items = items } end)
ecs.on_reload(function(old) for i, x in ipairs(old.items) do items[i] = { id = x.id, x = x.x, y = x.y, name = x.name } end ecs.log(#items, items[15000].name) end)`
	r := loadedWith(t, limits, "a.lua", text)
	r.run(1)
	r.save("a.lua", text+" ")
	r.accepted()
	r.wantLog("15000 n15000")
}

// TestWhatIsHandedOver: plain data, with tables that contain each other; what else there
// is, the verdict names, and the rest is handed over.
func TestWhatIsHandedOver(t *testing.T) {
	for body, want := range map[string][2]string{
		`return { n = 1, f = print, g = { h = P, i = { 1, coroutine.create(function() end), 3 } } }`: {"1 nil nil 1 nil 3", "f: a function; g.h: the component Position; g.i[2]: a coroutine"},
		`return P`: {"nil", "all of it: the component Position"},
		`local t = { n = 2, g = { i = {} } } t.g.i[1] = t.g t.f = t return t`:                          {"2 true nil true nil nil", ""},
		`local t = { n = 3, g = { i = {} } } for i = 1, 9 do t.g.i[i] = print end return t`:            {"3 nil nil nil nil nil", "g.i[1]: a function; g.i[2]: a function; g.i[3]: a function; g.i[4]: a function; g.i[5]: a function; 4 more"},
		`return setmetatable({ n = 4, g = { i = {} }, [print] = 1 }, { __index = {} })`:                {"4 nil nil nil nil nil", "all of it: its metatable; its entries are handed over; [a function] (the key): a function"},
		`local t = { n = 5, g = { i = {} } } for i = 1, 500 do t = { t, n = i, g = t.g } end return t`: {"500 nil nil nil nil nil", ""},
		`local s = ecs.state("s", { n = 6, g = { i = {} } }) return s`:                                 {"6 nil nil nil nil nil", ""},
		`return nil`: {"nil", ""},
	} {
		if strings.Contains(body, "ecs.state") {
			body = strings.Replace(body, `ecs.state("s", { n = 6, g = { i = {} } })`, "S", 1)
		}
		r := loaded(t, "a.lua", `local S = ecs.state("s", { n = 6, g = { i = {} } }) ecs.on_unload(function() ecs.spawn(P) `+body+` end)`)
		r.run(1)
		r.save("a.lua", `ecs.state("s") ecs.on_reload(function(t)
if not t then ecs.log(t) return end
local g = t.g ecs.log(t.n, t.f and t.f == t, g.h, g.i[1] and (g.i[1] == g or g.i[1]), g.i[2], g.i[3]) end)`)
		r.accepted()
		if got := r.logged(); got != want[0] {
			t.Errorf("%s: logged %s, want %s", body, got, want[0])
		}
		note := ""
		if want[1] != "" {
			note = "a.lua: on_unload cannot hand over " + want[1]
		}
		if got := strings.TrimPrefix(strings.Join(r.reloads[0].Notes, "\n"), "1 suspended coroutine of the old version of a.lua was cancelled\n"); got != note || r.world.Len() != 1 {
			t.Errorf("%s: verdict %q, want %q", body, got, note)
		}
	}
	r := loaded(t, "a.lua", `ecs.on_unload(function() return 1 end)`)
	r.run(1)
	r.save("a.lua", ``)
	r.accepted()
	if got := r.verdict(); !strings.HasSuffix(got, "a.lua: on_unload hands a value over, and no on_reload takes it: it waits for a version that has one") {
		t.Error(got)
	}
}

// TestFailedReloadHookLosesNothing: what was handed over waits for the next version, as it
// was, also past a version that is refused and under the file's new name; all on_reload
// functions get it. What the failed version hands over itself has no place then.
func TestFailedReloadHookLosesNothing(t *testing.T) {
	text := `local n = %d
ecs.on_unload(function() return { n = n, list = { 1 } } end)
ecs.on_reload(function(old) ecs.log("first", old.n, #old.list) old.n = 0 old.list[2] = 2 end)
ecs.on_reload(function(old) %s n = old.n end)`
	r := loaded(t, "a.lua", fmt.Sprintf(text, 7, ""))
	r.run(1)
	r.save("a.lua", fmt.Sprintf(text, 8, `error("not yet")`))
	r.step(1)
	r.wantError("a.lua:5", "not yet")
	r.wantLog("first 7 1")
	r.save("a.lua", `if`)
	r.refused("a.lua")
	r.save("a.lua", fmt.Sprintf(text, 9, `error("again")`))
	r.step(1)
	r.wantError("a.lua:5", "again")
	r.wantLog("first 7 1")
	if got := r.verdict(); !strings.HasSuffix(got, "a.lua: on_unload cannot hand over all of it: on_reload had failed, and what that was to take comes first") {
		t.Error(got)
	}
	r.remove("a.lua")
	r.save("b.lua", fmt.Sprintf(text, 9, `error("again")`))
	r.step(1)
	r.wantError("b.lua:5", "again")
	r.wantLog("first 7 1")
	r.save("b.lua", `ecs.on_unload(function() return { n = 30 } end)`)
	r.accepted()
	if got := r.verdict(); !strings.HasSuffix(got, "b.lua: what on_reload had failed to take waits for a version with an on_reload") {
		t.Error(got)
	}
	r.save("b.lua", strings.ReplaceAll(fmt.Sprintf(text, 10, ""), "old.n = 0", ""))
	r.accepted()
	r.wantLog("first 7 1")
	r.save("b.lua", fmt.Sprintf(text, 11, ""))
	r.accepted()
	r.wantLog("first 7 1") // taken: it is handed over by the last version, with the list of its own
}

// TestAnEmptySaveLosesNothing: what was handed over to a version without an on_reload waits for one that has
// it, also past several such versions and a snapshot. What such a version hands over
// itself takes its place.
func TestAnEmptySaveLosesNothing(t *testing.T) {
	text := `local n = %d
ecs.on_unload(function() return { n = n } end)
ecs.on_reload(function(old) ecs.log("got", old and old.n) end)`
	for name, c := range map[string]struct {
		between []string
		want    string
	}{
		"an empty save":            {[]string{``}, "got 7"},
		"two empty saves":          {[]string{``, `-- nothing yet`}, "got 7"},
		"a version that hands nil": {[]string{``, `ecs.on_unload(function() end)`, ``}, "got 7"},
		"a newer value":            {[]string{``, `ecs.on_unload(function() return { n = 8 } end)`, ``}, "got 8"},
	} {
		r := loaded(t, "a.lua", fmt.Sprintf(text, 7))
		r.run(1)
		for _, version := range c.between {
			r.save("a.lua", version)
			r.accepted()
			if got := r.verdict(); !strings.HasSuffix(got, "it waits for a version that has one") {
				t.Errorf("%s: the verdict is %q", name, got)
			}
			s, err := r.host.Capture() // what waits is a part of it
			if err != nil {
				t.Fatal(err)
			}
			x, err := scripting.ReadScripts(s.Scripts().Encode(), scripting.Limits{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(x.Encode(), s.Scripts().Encode()) {
				t.Errorf("%s: what was read is written as %s", name, x.Encode())
			}
			if _, err := r.host.Restore(s); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		r.save("a.lua", fmt.Sprintf(text, 9))
		r.accepted()
		r.wantLog(c.want)
		r.save("a.lua", fmt.Sprintf(text, 10))
		r.accepted()
		r.wantLog("got 9") // it was taken: the next is that of the last version
	}
}

// Who holds the table of a module that it has not required itself, sees the new
// version in it: here a registry that stays while what is registered changes.
func TestHeldModulesAreRefreshedInPlace(t *testing.T) {
	shape := `local reg, M = require "reg", { v = %[1]d, sub = { w = %[1]d } }
M.__index = M
function M.f() return "f%[1]d" .. M.v end
function M.new() return setmetatable({}, M) end
M.only%[1]d = true
reg.put(M)
return M`
	r := loaded(t,
		"reg.lua", `local list, R = {}, {} function R.put(t) if #list == 0 then list[1] = t list[2] = t.sub list[3] = t.new() end end function R.list() return list end return R`,
		"shape.lua", fmt.Sprintf(shape, 1),
		"use.lua", `local s = require "shape" ecs.system "use" { run = function() s.v = s.v + 100 end }`,
		"zz.lua", `local reg = require "reg" ecs.system "zz" { run = function()
local t, sub, object = unpack(reg.list())
local keys = {} for k in pairs(t) do keys[#keys + 1] = k end table.sort(keys)
ecs.log(t.v, t.f(), sub.w, object.f(), table.concat(keys, " ")) t.written = t.v end }`)
	r.run(1)
	r.wantLog("101 f1101 1 f1101 __index f new only1 sub v")
	for i := 2; i < 150; i++ {
		r.save("shape.lua", fmt.Sprintf(shape, i))
		r.accepted()
		want := fmt.Sprintf("%[2]d f%[1]d%[2]d %[1]d f%[1]d%[2]d __index f new only%[1]d sub v", i, i+100)
		if got := r.logged(); got != want {
			t.Fatalf("version %d: %s, want %s", i, got, want)
		}
	}
}

func TestRequiredSystemsParkThoseThatRequireThem(t *testing.T) {
	r := loaded(t, "a.lua", once("a", `error("no")`),
		"b.lua", `ecs.system "b" { requires = { "a" }, run = function() ecs.log("b") end }`,
		"c.lua", `ecs.system "c" { requires = { "b", "gone?" }, after = "b", run = function() ecs.log("c") end }`)
	r.step(5)
	r.wantLog("b c b c")
	if e := r.errors[2]; !e.Parked || !strings.Contains(e.Error(), `with it those that require it: b, c`) {
		t.Errorf("%v", e)
	}
	r.save("a.lua", once("a", ""))
	r.accepted()
	r.wantLog("b c")
	r.save("b.lua", `ecs.system "b" { requires = { "x" }, run = function() end }`)
	r.refused("b.lua:2", `"x"`)
}

// One message lists everything that is wrong with a set of files.
func TestRefusalListsAllReasons(t *testing.T) {
	r := loaded(t, "ok.lua", once("ok", ""), "old.lua", once("old", ""), "user.lua", `ecs.system "user" { after = "old", run = function() end }`)
	r.run(1)
	r.save(
		"a.lua", "if", // syntax
		"b.lua", `local x = nothing`, // unknown name
		"c.lua", `ecs.system "c" { after = { "nowhere" }, run = function() end }`,
		"d.lua", `ecs.system "d" { priority = 150, phase = "render", run = function() end }`,
		"e.lua", `ecs.system "e1" { after = "e2", run = function() end } ecs.system "e2" { after = "e1", run = function() end }`,
		"f.lua", `ecs.system "f" { kernel = "require", query = { P }, each = function(e, p) ecs.log(p.x) end }`,
		"g.lua", `ecs.system "g" { qery = {}, run = function() end }`,
		"old.lua", `error("top level")`)
	r.refused("a.lua:", "b.lua:2", "c.lua:2", "d.lua:2", "e.lua:2", "f.lua:", "g.lua:2", "old.lua:2: top level")
	if got := r.reloads[0].String(); strings.Count(got, "user") != 0 || strings.Count(got, "\n") != 7 {
		t.Errorf("%s", got)
	}
	r.save("c.lua", once("ok", ""), "d.lua", "", "a.lua", "", "b.lua", "", "e.lua", "", "f.lua", "", "g.lua", "", "old.lua", "")
	r.refused("c.lua:2", "ok.lua already")
	r.save("c.lua", "")
	r.refused("user.lua", "old")
	r.save("user.lua", "")
	r.accepted()
}

// tasks runs functions of other scripts, a step in each tick.
const tasks = `local list, M = {}, {}
function M.start(name, fn) list[#list + 1] = { name, coroutine.create(fn) } end
ecs.system "tasks" { run = function()
  for i, t in ipairs(list) do ecs.log(t[1], select(2, coroutine.resume(t[2])), coroutine.status(t[2])) end
end }
return M`

// worker begins a task when its on_start, or its first tick, runs.
const worker = `local tasks, begun = require "tasks", false
ecs.on_unload(function() ecs.log("bye") end)
ecs.system "worker" { run = function()
  if begun then return end
  begun = true
  tasks.start("VERSION", function() for i = 1, 100 do coroutine.yield(i) end end)
  own = coroutine.wrap(function() coroutine.yield() end)
  own()
end }`

// TestSuspendedCoroutinesAreCancelled: those of a version that ends are dead,
// whoever holds them, and the verdict says how many; those of others go on.
func TestSuspendedCoroutinesAreCancelled(t *testing.T) {
	version := func(name string) string { return strings.ReplaceAll(worker, "VERSION", name) }
	r := loaded(t, "tasks.lua", tasks, "worker.lua", version("one"), "other.lua", strings.ReplaceAll(version("other"), `"worker"`, `"other"`))
	r.run(3)
	if got := r.logged(); !strings.Contains(got, "one 1 suspended") || !strings.Contains(got, "other 1 suspended") {
		t.Fatal(got)
	}
	r.save("worker.lua", "oops(")
	r.refused("worker.lua:2")
	r.run(1)
	if got := r.logged(); !strings.Contains(got, "one 4 suspended") { // a refused save cancels nothing
		t.Fatal(got)
	}
	r.save("worker.lua", version("two"))
	r.accepted()
	notes := func() []string { return r.reloads[len(r.reloads)-1].Notes }
	if notes := notes(); len(notes) != 1 || notes[0] != "2 suspended coroutines of the old version of worker.lua were cancelled" {
		t.Error(notes)
	}
	r.run(1)
	got := r.logged()
	for _, want := range []string{"bye", "one cannot resume dead coroutine: it was cancelled", "dead", "other 7 suspended", "two 1 suspended"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	r.remove("other.lua")
	r.accepted()
	if notes := notes(); len(notes) != 1 || !strings.Contains(notes[0], "of the old version of other.lua were") {
		t.Error(notes)
	}
	r.save("worker.lua", `local tasks = require "tasks"`)
	r.accepted()
	if notes := notes(); len(notes) != 1 || !strings.HasPrefix(notes[0], "2 ") {
		t.Error(notes)
	}
	r.save("worker.lua", "")
	r.accepted()
	if notes := notes(); len(notes) != 0 {
		t.Error(notes)
	}
}

// TestUnloadShowsItsOwnText: what fails in on_unload is shown with the line of the version
// that has ended.
func TestUnloadShowsItsOwnText(t *testing.T) {
	r := loaded(t, "a.lua", `ecs.on_unload(function() local gone = nil; gone.x = 1 end)`)
	r.save("a.lua", `local quite = { another = "line" } ecs.drop "on_unload"`)
	r.step(1)
	if len(r.errors) != 1 || !strings.Contains(r.errors[0].Source, "gone.x = 1") {
		t.Errorf("%v", r.errors)
	}
	r = loaded(t, "a.lua", `ecs.on_unload(function() local gone = nil; gone.x = 1 end)`)
	r.save("a.lua", `local quite = { another = "line" }`)
	r.refused()
	if e, ok := r.reloads[0].Err.(*scripting.LoadError); !ok || !strings.Contains(e.Problems[0].Source, "gone.x = 1") {
		t.Errorf("the reason is %v", r.reloads[0].Err)
	}
	r = loaded(t, "a.lua", `ecs.on_unload(function() local gone = nil; gone.x = 1 end)`)
	if err := r.host.Close(); err != nil {
		t.Fatal(err)
	}
	if len(r.reported) != 1 || !strings.Contains(r.reported[0].Source, "gone.x = 1") {
		t.Errorf("at the end: %v", r.reported)
	}
}

// TestKeptFunctionShowsItsOwnText: a function of an old version that another module keeps
// fails with the line and the column of the text that it is written in, also when its file
// is gone.
func TestKeptFunctionShowsItsOwnText(t *testing.T) {
	text := `local M = require "reg" M.fs.a = M.fs.a or function(x) return x.y.z end`
	r := loaded(t, "reg.lua", `return { fs = {} }`, "a.lua", text)
	step := func(when string) {
		r.errors = nil
		r.save("z.lua", `local M = require "reg" ecs.system "`+when+`" { run = function() M.fs.a({}) end }`)
		r.step(1)
		if len(r.errors) != 1 {
			t.Fatalf("%s: %v", when, r.errors)
		}
		if e := r.errors[0]; e.Script != "a.lua" || e.Line != 2 || e.Column == 0 || e.Source[e.Column-1:] != "z end" || e.Trace[0].At.Column == 0 {
			t.Errorf("%s: %s", when, e.Detail())
		}
	}
	step("at first")
	r.save("a.lua", `local quite = { another = "line" }`+"\n"+text)
	step("after a reload")
	r.remove("a.lua")
	step("without the file")
}
