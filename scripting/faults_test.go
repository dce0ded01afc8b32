package scripting_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

type (
	Armed    struct{ Guns uint8 }
	Peaceful struct{ Years uint8 }
)

// exclusive is a game whose world refuses entities that are both armed and peaceful.
func exclusive(t *testing.T, text string) *game {
	t.Helper()
	r := newGame(t, scripting.Limits{LogLines: -1})
	peaceful := ecs.Register[Peaceful](r.world)
	ecs.Register[Armed](r.world, ecs.Excludes(peaceful))
	r.write("a.lua", `local Armed, Peaceful = ecs.native("Armed"), ecs.native("Peaceful")`+"\n"+text)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWhatCannotBeAppliedHasAPlace: a command that the world refuses after the script
// has returned is told with the file and the line of whatever has recorded it.
func TestWhatCannotBeAppliedHasAPlace(t *testing.T) {
	const both = `ecs.spawn(Armed, Peaceful)`
	for name, text := range map[string]string{
		`a.lua:4: system "s": tick 1`: `
			ecs.system "s" { when = function(ctx) return ctx.tick == 1 end, run = function() %s end }`,
		`a.lua:5: system "on_start a.lua"`: `
			ecs.on_start(function() ecs.spawn(P) end)
			ecs.on_start(function() %s end)`,
		`a.lua:5: system "timer late": tick 1`: `
			ecs.on_start(function() ecs.after(0, "late") end)
			ecs.handler("late", function() %s end)`,
		`a.lua:5: system "timer often": tick 2`: `
			ecs.on_start(function() local id = ecs.every(0.02, "often") ecs.after(0.03, "end", { id = id }) end)
			ecs.handler("often", function() %s end)
			ecs.handler("end", function(data) ecs.cancel(data.id) end)`,
		`a.lua:5: system "a.lua:5 on_add Position"`: `
			ecs.on_start(function() ecs.spawn(P) end)
			ecs.on_add(P, function() %s end)`,
		`a.lua:5: system "a.lua:mine"`: `
			ecs.on_start(function() ecs.spawn(P) end)
			ecs.on_spawn("mine", function() if ecs.count(V) == 0 then ecs.spawn(V) %s end end)`,
	} {
		r := exclusive(t, fmt.Sprintf(text, both))
		r.step(4)
		e := r.wantError("a.lua:", `"Armed" and "Peaceful" exclude each other`)
		if !strings.HasPrefix(byLine(e.Error()), name) || e.Script != "a.lua" || e.Source == "" {
			t.Errorf("%q, want it to begin with %q", e.Detail(), name)
		}
	}
}

// TestOnErrorThatCannotBeApplied: what deals with faults has a place, too.
func TestOnErrorThatCannotBeApplied(t *testing.T) {
	r := exclusive(t, `
		ecs.system "s" { when = function(ctx) return ctx.tick == 1 end, run = function() error("first") end }
		ecs.on_error(function() ecs.spawn(Armed, Peaceful) end)`)
	r.step(3)
	if len(r.errors) != 2 || !strings.HasPrefix(byLine(r.errors[1].Error()), `a.lua:5: system "on_error a.lua"`) {
		t.Errorf("%v", r.errors)
	}
}

// TestFarewellThatCannotBeApplied: so have on_unload and on_reload, and what could be
// done of them is done: the value is handed over.
func TestFarewellThatCannotBeApplied(t *testing.T) {
	text := `
		ecs.on_unload(function() ecs.spawn(Armed, Peaceful) return 7 end)
		ecs.on_reload(function(v) ecs.log("got", v) ecs.spawn(P) ecs.spawn(Armed, Peaceful) end)`
	r := exclusive(t, text)
	r.save("a.lua", `local Armed, Peaceful = ecs.native("Armed"), ecs.native("Peaceful")`+"\n\n"+text)
	r.step(2)
	if len(r.errors) != 2 || !strings.HasPrefix(byLine(r.errors[0].Error()), `a.lua:4: system "on_unload a.lua"`) ||
		!strings.HasPrefix(byLine(r.errors[1].Error()), `a.lua:6: system "on_reload a.lua"`) {
		t.Errorf("%v", r.errors)
	}
	if got := r.logged(); !strings.Contains(got, "got 7") || r.world.Len() != 1 {
		t.Errorf("logged %q, %d entities", got, r.world.Len())
	}
}

// TestWhatIsDoneIsNotDoneAgain: a timer or an on_start of which one command cannot be
// applied has done the others, and so has one at whose changes an observer fails:
// neither is tried again.
func TestWhatIsDoneIsNotDoneAgain(t *testing.T) {
	for name, text := range map[string]string{
		"timer": `ecs.on_start(function() ecs.after(0, "h", { n = 0 }) end)
			ecs.handler("h", function(data) data.n = data.n + 1 ecs.spawn(P) ecs.spawn(V) @ end)`,
		"every": `ecs.on_start(function() ecs.every(1.4, "h", { n = 0 }) end)
			ecs.handler("h", function(data) data.n = data.n + 1 if data.n == 1 then ecs.spawn(P) ecs.spawn(V) end @ end)`,
		"on_start": `ecs.on_start(function() ecs.spawn(P) ecs.spawn(V) @ end)
			ecs.on_start(function() ecs.log("second") end)`,
	} {
		for fault, more := range map[string]string{
			"ecs.spawn(Armed, Peaceful)": "",
			"":                           `ecs.on_add(V, function() error("observer") end)`,
		} {
			text := strings.ReplaceAll(text, "@", fault) + "\n" + more
			r := exclusive(t, text)
			r.step(4 * 64)
			r.save("a.lua", `local Armed, Peaceful = ecs.native("Armed"), ecs.native("Peaceful")`+"\n"+text+"\n")
			r.step(4 * 64)
			if got := r.world.Len(); got != 2 {
				t.Errorf("%s with %q: %d entities, want 2", name, fault+more, got)
			}
			if len(r.errors) == 0 || name == "on_start" && strings.Join(r.logs[:1], "") != "second" {
				t.Errorf("%s with %q: errors %v, logs %v", name, fault+more, r.errors, r.logs)
			}
		}
	}
}

// TestLostEventsAreTold of systems that are late in different ways, with the
// place of the system, and not of those that read.
func TestLostEventsAreTold(t *testing.T) {
	w, err := ecs.Open(ecs.Options{MaxUnread: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var told []string
	h := newHost(t, w, scripting.Options{OnError: func(e *scripting.Error) {
		if strings.Contains(e.Message, "were lost") {
			told = append(told, e.Error())
			if !errors.Is(e, scripting.ErrLimit) {
				t.Errorf("%v is no limit", e)
			}
		}
	}})
	defer h.Close()
	folder := fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
local E = ecs.event("E", { n = ecs.f32(0) })
ecs.system "send" { run = function() for i = 1, 40 do ecs.emit(E { n = i }) end end }
ecs.system "quick" { on = E, each = function() end }
ecs.system "rare" { every = 1000, on = E, each = function() end }
local first = true
ecs.system "asks" { run = function() if first then first = false for _ in ecs.events(E) do end end end }
ecs.system "parked" { on = E, each = function() error("broken") end }
`)}}
	if err := h.Load(folder); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		_ = h.Step(0.1) // the errors are told
	}
	all := byLine(strings.Join(told, "\n"))
	for _, want := range []string{`a.lua:5: system "rare": tick `, `a.lua:7: system "asks": tick `, `a.lua:8: system "parked": tick `} {
		if strings.Count(all, want) != 1 {
			t.Errorf("%q is told %d times:\n%s", want, strings.Count(all, want), all)
		}
	}
	if strings.Contains(all, "quick") || !strings.Contains(all, `events "E" were lost before it read them: at most 100 wait`) {
		t.Error(all)
	}
	if w.Raw().Dropped() == 0 {
		t.Error("nothing is counted")
	}
}

// TestLostEventsNameTheirBound: a system that loses events is told which bound was reached.
func TestLostEventsNameTheirBound(t *testing.T) {
	for _, c := range []struct {
		keep  ecs.Retention
		n     int // numbers in the event
		sent  int // in each tick
		limit string
		says  string
	}{
		{ecs.Retention{}, 1, 90, "MaxUnread", "at most 100 wait for a system that does not run, or runs too seldom (Options.MaxUnread)"},
		{ecs.Retention{Events: 50}, 1, 90, "Retention.Events", "at most 50 of them wait, as the host says for this event"},
		{ecs.Retention{Ticks: 2}, 1, 20, "Retention.Ticks", "an event waits for at most 2 ticks, as the host says for this one"},
		{ecs.Retention{Events: 5000}, 4096, 90, "", "events of one type that wait take at most 67,108,864 bytes: let it run more often, or make the event smaller"},
	} {
		w, err := ecs.Open(ecs.Options{MaxUnread: 100})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		var told []*scripting.Error
		h, err := scripting.New(w, scripting.Options{OnError: func(e *scripting.Error) { told = append(told, e) }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close() })
		text := fmt.Sprintf(`local ecs = require "ecs"
local E = ecs.event("E", { xs = ecs.array(ecs.f64(), %d) })
ecs.system "send" { run = function() for i = 1, %d do ecs.emit(E) end end }
ecs.system "rare" { every = 1000, on = E, each = function() end }`, c.n, c.sent)
		if err := h.Load(fstest.MapFS{"a.lua": {Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
		id, _ := w.Raw().EventNamed("E")
		if err := w.Raw().Retain(id, c.keep); err != nil {
			t.Fatal(err)
		}
		for range 30 {
			_ = h.Step(0.1) // the errors are told
		}
		if len(told) != 1 || told[0].Limit != c.limit || told[0].Script != "a.lua" || told[0].Line != 4 || !strings.Contains(told[0].Message, c.says) {
			t.Errorf("%+v: told %v, want %q of the limit %q", c.keep, told, c.says, c.limit)
		}
	}
}

// TestWhatIsRequiredStaysForScripts: a requirement that refuses removals is an error with a place for
// a script, in the VM and in kernels alike; one that takes the dependants along is seen at once.
func TestWhatIsRequiredStaysForScripts(t *testing.T) {
	for _, kernel := range []string{"off", "auto"} {
		r := newGame(t, scripting.Limits{LogLines: -1})
		peaceful := ecs.Register[Peaceful](r.world)
		armed := ecs.Register[Armed](r.world, ecs.Requirement{Components: []ecs.ComponentRef{peaceful}, OnRemove: ecs.Refuse})
		guarded := r.world.Spawn(armed.With(Armed{Guns: 2}))
		r.write("a.lua", `local Armed, Peaceful = ecs.native("Armed"), ecs.native("Peaceful")
			ecs.system "s" { query = { Armed }, kernel = "`+kernel+`", each = function(e, a)
				ecs.remove(e, Peaceful)
			end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		e := r.wantError("a.lua:", `"Peaceful" cannot be removed, for "Armed" requires it`)
		if e.Script != "a.lua" || !peaceful.Has(guarded) {
			t.Errorf("%q; it is there: %v", e.Detail(), peaceful.Has(guarded))
		}
	}
	r := newGame(t, scripting.Limits{LogLines: -1})
	peaceful := ecs.Register[Peaceful](r.world)
	armed := ecs.Register[Armed](r.world, ecs.Requirement{Components: []ecs.ComponentRef{peaceful}, OnRemove: ecs.Cascade})
	lost := r.world.Spawn(armed.With(Armed{Guns: 2}))
	r.write("a.lua", `local Armed, Peaceful = ecs.native("Armed"), ecs.native("Peaceful")
		ecs.system "s" { query = { Armed }, each = function(e, a)
			ecs.remove(e, Peaceful)
			ecs.log(ecs.has(e, Peaceful), ecs.has(e, Armed))
		end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if got := r.logged(); got != "false false" || armed.Has(lost) {
		t.Errorf("logged %q", got)
	}
}
