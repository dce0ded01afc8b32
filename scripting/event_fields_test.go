package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Hit is an event with an array of structs.
type Hit struct {
	At   struct{ X, Y float32 }
	Path [2]struct{ X, Y float32 }
}

// TestEventFields: writing to an event or to what an observer gets, and names that are
// no fields, are errors; what was sent stays as it is for the others.
func TestEventFields(t *testing.T) {
	for body, want := range map[string]string{
		`ecs.system "s" { on = Ev, each = function(e) e.n = 300 end }`:                                 `field "n" of "Ev": an event cannot be changed`,
		`ecs.system "s" { on = Ev, each = function(e) e.list[1] = 9 end }`:                             `field "list" of "Ev": an event cannot be changed`,
		`ecs.system "s" { on = Ev, kernel = "off", each = function(e) local l = e.list l[3] = 9 end }`: `field "list" of "Ev": an event cannot be changed`,
		`ecs.system "s" { on = Ev, each = function(e) rawset(e.list, 2, 9) end }`:                      `field "list" of "Ev": an event cannot be changed`,
		`ecs.system "s" { on = Ev, each = function(e) table.sort(e.list) end }`:                        `field "list" of "Ev": an event cannot be changed`,
		`ecs.system "s" { on = Ev, each = function(e) table.insert(e.list, 9) end }`:                   `field "list" of "Ev": an event cannot be changed`,
		`ecs.system "s" { on = Ev, each = function(e) e.list.x = 9 end }`:                              `field "list" of "Ev": an event cannot be changed`,
		`ecs.system "s" { on = Hit, each = function(e) e.at.x = 9 end }`:                               `field "at" of "Hit": an event cannot be changed`,
		`ecs.system "s" { on = Hit, each = function(e) e.path[2].y = 9 end }`:                          `field "path" of "Hit": an event cannot be changed`,
		`ecs.on_add(L, function(e, l) l.list[1] = 5 end) ecs.on_start(function() ecs.spawn(L) end)`:    `field "list" of "L": what an observer gets is a copy`,
		`ecs.system "s" { on = Ev, each = function(e) rawset(e, "n", 3) end }`:                         "an event cannot be changed",
		`ecs.system "s" { on = Ev, each = function(e) e.foo = 3 end }`:                                 `unknown field "foo" of "Ev"`,
		`ecs.system "s" { on = Ev, each = function(e) local x = e.foo end }`:                           `unknown field "foo" of "Ev"`,
		`ecs.system "s" { run = function() for e in ecs.events(Ev) do local x = e.foo end end }`:       `unknown field "foo" of "Ev"`,
		`ecs.system "s" { run = function() for e in ecs.events(Ev) do e.foo = 1 end end }`:             `unknown field "foo" of "Ev"`,
		`ecs.on_add(P, function(e, p) p.x = 5 end) ecs.on_start(function() ecs.spawn(P) end)`:          "what an observer gets is a copy",
		`ecs.on_add(P, function(e, p) local n = p.xx end) ecs.on_start(function() ecs.spawn(P) end)`:   `unknown field "xx" of "Position"`,
		`ecs.system "s" { on = Ev, each = function(e) error("n" .. e.n) end }`:                         "n7",
	} {
		r := newGame(t, scripting.Limits{LogLines: -1})
		ecs.RegisterEvent[Hit](r.world)
		r.write("a.lua", `local Ev, Hit = ecs.event("Ev", { n = ecs.u8(7), list = ecs.array(ecs.u8(), 3) }), ecs.native_event("Hit") local L = ecs.component("L", { list = ecs.array(ecs.u8(), 3) })
ecs.system "a" { run = function(ctx) if ctx.tick == 1 then ecs.emit(Ev { list = { 3, 2, 1 } }) ecs.emit(Hit) end end }
ecs.system "z" { on = Ev, each = function(e) ecs.log("z", e.n, e.list[1], #e.list, table.concat(e.list, "")) end }
`+body)
		if err := r.host.Load(r.folder); err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: refused: %v, want %q", body, err, want)
			}
			continue
		}
		r.step(2)
		if len(r.errors) == 0 || r.errors[0].Line != 5 || !strings.Contains(r.errors[0].Message, want) {
			t.Errorf("%s: %v, want %q", body, r.errors, want)
		}
		if got := strings.Join(r.logs, "\n"); !strings.Contains(got, "z 7 3 3 321") {
			t.Errorf("%s: logged %q", body, got)
		}
	}
}

// TestEventCopies: an event that ecs.events gave may be kept, in a state table too, and
// changed.
func TestEventCopies(t *testing.T) {
	r := loaded(t, "a.lua", `local Ev = ecs.event("Ev", { n = ecs.u8(7) })
local st = ecs.state("st", {})
ecs.system "a" { run = function(ctx) if ctx.tick == 1 then ecs.emit(Ev) end end }
ecs.system "s" { run = function()
  for e in ecs.events(Ev) do e.n = e.n + 1 st.last, st.list = e, { e } st.last.extra = 1 end
  ecs.log(st.last.n, st.list[1].extra)
end }`)
	r.run(2)
	if got := strings.Join(r.logs, "|"); got != "8 1|8 1" {
		t.Errorf("logged %q", got)
	}
}

// TestArraysOfEventsAreKept: an array that a system has kept from an event is its own, to
// be read, and a list of its own in a state table; so are structs.
func TestArraysOfEventsAreKept(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1})
	ecs.RegisterEvent[Hit](r.world)
	r.write("a.lua", `local Ev, Hit = ecs.event("Ev", { list = ecs.array(ecs.u8(), 3) }), ecs.native_event("Hit")
local L = ecs.component("L", { list = ecs.array(ecs.u8(), 3) })
local st, kept = ecs.state("st", {}), {}
ecs.system "a" { run = function(ctx) ecs.emit(Ev { list = { ctx.tick, 2, 1 } }) ecs.emit(Hit { at = { x = 4 } }) end }
ecs.system "b" { on = Ev, each = function(ev)
  kept[#kept + 1] = ev.list
  local words = {}
  for i, n in ipairs(ev.list) do words[#words + 1] = i .. "=" .. n end
  for name, list in pairs(ev) do words[#words + 1] = name .. #list end
  ecs.log(table.concat(words, " "), unpack(ev.list))
  ecs.spawn(L { list = ev.list })
end }
ecs.system "c" { on = Hit, each = function(hit) st.at, st.path = hit.at, hit.path end }
ecs.system "d" { after = { "c" }, query = { L }, each = function(e, l)
  st.at.x = st.at.x + 1
  st.path[1].y = 7
  ecs.log(l.list[1], kept[1][1], kept[#kept][1], st.at.x, st.path[1].y)
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(2)
	if got := strings.Join(r.logs, "|"); got != "1=1 2=2 3=1 list3 1 2 1|1 1 1 5 7|1=2 2=2 3=1 list3 2 2 1|1 1 2 5 7|2 1 2 6 7" {
		t.Errorf("logged %q", got)
	}
}

// TestRefusedStateLeavesEvents: an array of an event stays sealed when it does not become
// part of a state table, because something beside it cannot.
func TestRefusedStateLeavesEvents(t *testing.T) {
	for keep, sealed := range map[string]bool{
		`pcall(function() st.k = { ev.x, print } end)`:         true,
		`pcall(function() st.k = { { ev.x }, { print } } end)`: true,
		`st.k = { ev.x, 1 } st.k[1][1] = 8`:                    false,
		`st.k = { { ev.x } } st.k[1][1][2] = 8`:                false,
	} {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", `local Ev = ecs.event("Ev", { x = ecs.array(ecs.f64(), 3) })
local st = ecs.state("st")
ecs.system "send" { phase = "input", run = function(ctx) if ctx.tick == 1 then ecs.emit(Ev{ x = { 3, 2, 1 } }) end end }
ecs.system "take" { on = Ev, each = function(ev) `+keep+` ev.x[1] = 7 end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(2)
		if got := len(r.errors) == 1 && strings.Contains(r.errors[0].Error(), `field "x" of "Ev"`); got != sealed {
			t.Errorf("%s: sealed = %v, want %v: %v", keep, got, sealed, r.errors)
		}
	}
}
