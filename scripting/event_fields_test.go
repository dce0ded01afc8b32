package scripting_test

import (
	"strings"
	"testing"
)

// TestEventFields: writing to an event or to what an observer gets, and names that are
// no fields, are errors; what was sent stays as it is for the others.
func TestEventFields(t *testing.T) {
	for body, want := range map[string]string{
		`ecs.system "s" { on = Ev, each = function(e) e.n = 300 end }`:                                 "an event cannot be changed",
		`ecs.system "s" { on = Ev, each = function(e) rawset(e, "n", 3) end }`:                         "an event cannot be changed",
		`ecs.system "s" { on = Ev, each = function(e) e.foo = 3 end }`:                                 `unknown field "foo" of "Ev"`,
		`ecs.system "s" { on = Ev, each = function(e) local x = e.foo end }`:                           `unknown field "foo" of "Ev"`,
		`ecs.system "s" { run = function() for e in ecs.events(Ev) do local x = e.foo end end }`:       `unknown field "foo" of "Ev"`,
		`ecs.system "s" { run = function() for e in ecs.events(Ev) do e.foo = 1 end end }`:             `unknown field "foo" of "Ev"`,
		`ecs.on_add(P, function(e, p) p.x = 5 end) ecs.on_start(function() ecs.spawn(P) end)`:          "what an observer gets is a copy",
		`ecs.on_add(P, function(e, p) local n = p.xx end) ecs.on_start(function() ecs.spawn(P) end)`:   `unknown field "xx" of "Position"`,
		`ecs.system "s" { on = Ev, each = function(e) for k, v in pairs(e) do error(k .. v) end end }`: "n7",
	} {
		r := loaded(t, "a.lua", `local Ev = ecs.event("Ev", { n = ecs.u8(7) })
ecs.system "a" { run = function(ctx) if ctx.tick == 1 then ecs.emit(Ev) end end }
ecs.system "z" { on = Ev, each = function(e) ecs.log("z", e.n) end }
`+body)
		r.step(2)
		if len(r.errors) == 0 || r.errors[0].Line != 5 || !strings.Contains(r.errors[0].Message, want) {
			t.Errorf("%s: %v, want %q", body, r.errors, want)
		}
		if got := strings.Join(r.logs, "\n"); !strings.Contains(got, "z 7") {
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
