package scripting_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestWhatAReloadHidesIsSaid: a component that goes from the text, while entities have
// it, and a key of ecs.state whose default changes its type lose nothing, and the
// verdict names both. What comes back is there again.
func TestWhatAReloadHidesIsSaid(t *testing.T) {
	const old = `local H = ecs.component("Health", { hp = ecs.u8(7) }) local st = ecs.state("game", { level = 1, name = "a" })
ecs.on_start(function() ecs.spawn(H) ecs.spawn(H) st.level = 5 end)
ecs.system "s" { run = function() local e = ecs.find(H) ecs.log(e and ecs.get(e, H, "hp"), st.level) end }`
	r := loaded(t, "a.lua", old)
	r.run(1)
	r.wantLog("7 5")
	r.save("a.lua", strings.ReplaceAll(strings.ReplaceAll(old, `"Health"`, `"Life"`), "level = 1", `level = "one"`))
	r.accepted()
	r.wantLog("nil 5")
	verdict := strings.Join(r.reloads[len(r.reloads)-1].Notes, "\n")
	for _, want := range []string{
		`Health: 2 entities have it, and no file declares it any more`,
		`ecs.state "game" in a.lua: key "level" holds a number and keeps it, the default is a string now`,
	} {
		if strings.Count(verdict, want) != 1 {
			t.Errorf("verdict %q lacks %q", verdict, want)
		}
	}
	r.save("a.lua", old)
	r.accepted()
	r.wantLog("7 5")
	if got := strings.Join(r.reloads[len(r.reloads)-1].Notes, "\n"); got != "" {
		t.Errorf("verdict %q, want nothing", got)
	}
}

// TestStateTablesThatNobodyNames: one whose name goes from the text keeps what it holds,
// and the verdict names it; one that is empty, or that another file names, is not told of.
func TestStateTablesThatNobodyNames(t *testing.T) {
	r := loaded(t, "a.lua", `local a, b, c = ecs.state("full", { n = 1 }), ecs.state("empty"), ecs.state("shared", { n = 1 })`, "b.lua", `local c = ecs.state("shared")`)
	r.run(1)
	r.save("a.lua", `local a = ecs.state("fuller", { n = 2 })`)
	r.accepted()
	if got, want := strings.Join(r.reloads[0].Notes, "|"), `ecs.state "full": no file uses it any more: what it holds stays, unseen, until one does again`; got != want {
		t.Errorf("verdict %q, want %q", got, want)
	}
	r.save("a.lua", `local a = ecs.state("full") ecs.on_reload(function() ecs.log(a.n) end)`)
	r.accepted()
	r.wantLog("1")
}

// TestTwoDefaultsAreTold: files that share a state table and give a key other defaults
// are told of once, with both places, at the load and at a save; the same defaults are
// none, and neither are keys of one file.
func TestTwoDefaultsAreTold(t *testing.T) {
	const first = `state table "st": two defaults for "n": 1 in a.lua:2, and 100 in b.lua:3; a new table gets that of the file that is loaded first`
	r := newGame(t, scripting.Limits{LogLines: -1})
	r.write("a.lua", `local s = ecs.state("st", { n = 1, a = 1, list = { 1, { x = 2 } }, same = "x" })`,
		"b.lua", "\n"+`local s = ecs.state("st", { n = 100, b = 1, list = { 1, { x = 2 } }, same = "x" })`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.wantLog(strings.NewReplacer("a.lua:2", "a.lua:2:15", "b.lua:3", "b.lua:3:15").Replace(first))
	r.save("b.lua", "\n"+`local s = ecs.state("st", { n = 100, b = 2, list = { 1, { x = 2 } }, same = "x" })`)
	r.accepted()
	r.save("a.lua", `local s = ecs.state("st", { n = 1, list = { 1, { x = 3 } }, same = "x" })`)
	r.accepted()
	r.save("c.lua", `local s = ecs.state("st", { same = false })`)
	r.accepted()
	r.remove("c.lua")
	r.save("b.lua", `local s = ecs.state("other", { n = 100 })`)
	r.accepted()
	for i, want := range []string{"", `two defaults for "list": {…} in b.lua:3, and {…} in a.lua:2`, `two defaults for "same": "x" in b.lua:3, and false in c.lua:2`, ""} {
		got := strings.Join(r.reloads[i].Notes, "|")
		if (want == "") != !strings.Contains(got, "two defaults") || !says(got, want) {
			t.Errorf("reload %d: %q, want %q", i, got, want)
		}
	}
	r.wantLog("")
}

// TestWhatWaitsForALostNameIsSaid: timers whose handler goes from the text, systems that are
// switched off and events that are unread wait for a name that nobody has any more. The
// verdict names them, once, and how the name may be written now.
func TestWhatWaitsForALostNameIsSaid(t *testing.T) {
	const old = `local E = ecs.event("E", { n = 1 })
ecs.on_start(function()
  ecs.every(0.01, "beat")
  for i = 1, 3 do ecs.after(9, "pause") end ecs.enable("quiet", false) ecs.emit(E)
end)
ecs.handler("beat", function() ecs.log "beat" end) ecs.handler("pause", function() end)
ecs.system "quiet" { run = function() end }
ecs.system "dozes" { run = function() end, enabled = false }
ecs.system "slow" { on = E, every = 9, each = function() end }`
	r := loaded(t, "a.lua", old)
	r.run(1)
	r.wantLog("beat")
	r.save("a.lua", strings.NewReplacer(`er("beat"`, `er("heart"`, `er("pause"`, `er("pauses"`, `m "quiet"`, `m "quiets"`, `m "dozes"`, `m "slept"`, `m "slow"`, `m "slower"`).Replace(old))
	r.step(1)
	want := []string{
		`1 timer waits for the handler "beat", which no file declares any more; ordered in a.lua:4:7`,
		`3 timers wait for the handler "pause", which no file declares any more (did you mean "pauses"?); ordered in a.lua:5:23`,
		`system "quiet" is switched off, and no file declares it any more (did you mean "quiets"?): under another name it is on, as the text says`,
		`1 event waits for system "slow", which no file declares any more: they are dropped`,
	}
	if got := strings.Join(r.reloads[0].Notes, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("verdict\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	r.wantError("timer", `no script declares the handler "beat" any more; the timer that was ordered in a.lua:4:7 waits for it`)
	r.save("a.lua", strings.ReplaceAll(old, "beat", "heart"))
	r.accepted()
	if got := strings.Join(r.reloads[1].Notes, "\n"); got != "" {
		t.Errorf("verdict %q, want nothing", got)
	}
}

// TestTheOnlyNewNameIsMeant: when a file has one new handler in the place of the old one, the
// verdict proposes it however it is written.
func TestTheOnlyNewNameIsMeant(t *testing.T) {
	r := loaded(t, "a.lua", `ecs.on_start(function() ecs.every(9, "beat") end) ecs.handler("beat", function() end)`)
	r.run(1)
	r.save("a.lua", `ecs.handler("heart", function() end)`)
	r.accepted()
	if got, want := r.reloads[0].String(), `1 timer waits for the handler "beat", which no file declares any more (did you mean "heart"?); ordered in a.lua:2:29`; !strings.Contains(got, want) {
		t.Errorf("verdict %q, want %q", got, want)
	}
}

// TestUnreadEventsStayWithTheirCallback: observers and handlers of errors that read events
// are found in the new text by their file, their code and their order, so that what they
// have not read stays with them; names that an observer does not have are not asked for.
func TestUnreadEventsStayWithTheirCallback(t *testing.T) {
	const head = `local E, T, s = ecs.event("E", { n = 1 }), ecs.tag("T"), ecs.state("s", { got = 0 })
local function read() for e in ecs.events(E) do s.got = s.got + 1 end end `
	const rest = `
ecs.system "emits" { run = function(ctx) ecs.emit(E) end }
ecs.system "spawns" { run = function(ctx) if ctx.tick % 8 == 1 then ecs.spawn(T) end end }
ecs.system "fails" { run = function(ctx) if ctx.tick % 8 == 1 then error("x") end end }`
	for _, test := range []struct{ old, now, file, note, read string }{
		{old: `ecs.on_add(T, read)`, now: `ecs.on_add(T, read)`},
		{old: `ecs.on_add(T, function() read() end)`, now: "\n\n" + `ecs.on_add(T, function() read() end)`},
		{old: `ecs.on_add(T, function() read() end)`, now: "ecs.on_add(T, function() end)\n" + `ecs.on_add(T, function() read() end)`},
		{old: "\n" + `ecs.on_add(T, function() read() end)`, now: "ecs.on_add(T, function() read() end)\n" + `ecs.on_add(T, function() end)`},
		{old: `ecs.on_add(T, function() read() end)`, now: `ecs.on_add(T, function() local a = 1 read() end)`},
		{old: `ecs.on_add(T, function() read() end)`, now: "\n" + `ecs.on_add(T, function() local a = 1 read() end)`, file: "b.lua"},
		{old: `ecs.on_add("name", T, function() read() end)`, now: "\n" + `ecs.on_add("name", T, function() local a = 1 read() end)`, file: "b.lua"},
		{old: `ecs.on_error(function() read() end)`, now: `ecs.on_error(function() read() end)`, file: "b.lua", read: "16"},
		{old: `ecs.on_add("name", T, function() read() end)`, now: `ecs.on_add("other", T, function() read() end)`,
			note: `7 events wait for the callback "a.lua:name", which no file declares any more: they are dropped`},
		{old: `ecs.on_start(function() ecs.every(0.01, "h") end) ecs.handler("h", function() s.n = (s.n or 0) + 1 if s.n == 2 then read() end end)`, now: `local q = ecs.handler`,
			note: `events wait for the handler "h", which no file declares any more: they are dropped`},
		{old: `ecs.on_add(T, read)`, now: `local E = ecs.event("F", { n = 1 })`, note: `7 events wait for the callback "a.lua:3 on_add T"`},
		{old: `ecs.system "reads" { every = 0.1, run = read }`, now: `local E = ecs.event("F", { n = 1 }) ecs.system "reads" { every = 0.1, run = function() end }`, note: `E: 3 events wait to be read, and no file declares it any more: unseen, until one declares "E" again`},
	} {
		r := loaded(t, "a.lua", head+test.old+rest)
		r.step(16)
		r.write("a.lua", head+test.now+rest)
		if test.note != "" && strings.Contains(test.now, `"F"`) {
			r.write("a.lua", test.now)
		}
		if test.file != "" {
			r.folder[test.file] = r.folder["a.lua"]
			delete(r.folder, "a.lua")
			r.host.Stage([]string{test.file}, []string{"a.lua"})
		} else {
			r.host.Stage([]string{"a.lua"}, nil)
		}
		r.step(1)
		v := r.reloads[0]
		if v.Err != nil {
			t.Fatal(v.Err)
		}
		if notes := strings.Join(v.Notes, "\n"); !strings.Contains(notes, test.note) || strings.Contains(notes, "events wait") != (test.note != "") {
			t.Errorf("%s → %s: verdict %q, want %q", test.old, test.now, notes, test.note)
		}
		if test.note != "" {
			continue
		}
		r.step(8)
		r.save("look.lua", `local s = ecs.state("s") ecs.on_start(function() ecs.log(s.got) end)`)
		r.step(1)
		if got, want := r.logged(), cmp.Or(test.read, "25"); got != want {
			t.Errorf("%s → %s: %s events read, want %s", test.old, test.now, got, want)
		}
	}
}

// TestNotesOfManyNamesAreFew: a step waits until they are written.
func TestNotesOfManyNamesAreFew(t *testing.T) {
	const names = 50
	text := func(prefix, off string) string {
		return fmt.Sprintf(`local E = ecs.event("E", { x = 0 })
for i = 1, %d do
  ecs.handler("%[2]sh" .. i, function() end)
  ecs.system("%[2]sr" .. i, { on = E, every = 1000, each = function() end })
  ecs.system("%[2]ss" .. i, { enabled = false, run = function() end })
end
ecs.on_start(function()
  for i = 1, %[1]d do %[3]s end
end)
ecs.system("send", { every = 0.01, run = function() ecs.emit(E) ecs.emit(E) end })`, names, prefix, off)
	}
	r := loaded(t, "a.lua", text("a", `ecs.after(1000, "ah" .. i) ecs.enable("as" .. i, true)`))
	r.run(3)
	r.save("a.lua", text("b", ""))
	r.accepted()
	verdict := r.reloads[0].String()
	for _, want := range []string{
		"1 timer waits for the handler \"ah1\"", "so 30 timers do for 30 other handlers",
		"so 30 other systems are",
		"events wait for system \"ar1\"", "events do for 30 other readers: they are dropped",
	} {
		if !strings.Contains(verdict, want) {
			t.Errorf("%q is not in the verdict:\n%s", want, verdict)
		}
	}
	if lines := strings.Count(verdict, "\n"); lines > 3*21+3 {
		t.Errorf("the verdict has %d lines", lines)
	}
}
