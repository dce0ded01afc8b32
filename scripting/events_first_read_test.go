package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestFirstLookAtEvents: what the first ecs.events of a system gives are the events of
// this tick so far, whoever else reads them, in whatever files and however late; after
// that, it is what was sent since the look before.
func TestFirstLookAtEvents(t *testing.T) {
	const kinds = `return ecs.event("Ev", { n = ecs.u32(0) })`
	const use = `local Ev = require "m_kinds" `
	const send = `ecs.system %q { run = function(ctx) ecs.emit(Ev { n = ctx.tick }) end }`
	reader := once("m.read", `if ctx.tick %% 3 == 0 then for e in ecs.events(Ev) do ecs.log(ctx.tick, e.n) end end`)
	others := map[string]string{
		"nobody":    "",
		"a reader":  once("%[1]s.other", "for e in ecs.events(Ev) do end"),
		"late":      once("%[1]s.other", "if ctx.tick == 5 then for e in ecs.events(Ev) do end end"),
		"on":        `ecs.system "%[1]s.other" { on = Ev, each = function() end }`,
		"rarely on": `ecs.system "%[1]s.other" { every = 100, on = Ev, each = function() end }`,
		"off":       `ecs.system "%[1]s.other" { enabled = false, on = Ev, each = function() end }`,
		"start":     `ecs.on_start(function() for e in ecs.events(Ev) do end end)`,
	}
	for _, c := range []struct{ sender, want string }{
		{"a.send", "3 3 6 4 6 5 6 6"}, // before the reader
		{"z.send", "6 3 6 4 6 5"},     // after it
	} {
		for who, text := range others {
			for _, file := range []string{"a.lua", "n.lua", "z.lua"} {
				r := newGame(t, scripting.Limits{LogLines: -1})
				if text != "" {
					name := strings.TrimSuffix(file, ".lua")
					if strings.Contains(text, "%") {
						text = fmt.Sprintf(strings.ReplaceAll(text, "%[1]s", "%s"), name)
					}
					r.write(file, use+text)
				}
				r.write("m_kinds.lua", kinds, "b.lua", use+fmt.Sprintf(send, c.sender), "y.lua", use+strings.ReplaceAll(reader, "%%", "%"))
				if err := r.host.Load(r.folder); err != nil {
					t.Fatal(err)
				}
				r.run(6)
				if got := r.logged(); got != c.want {
					t.Errorf("sent by %s, with %s in %s: %q, want %q", c.sender, who, file, got, c.want)
				}
			}
		}
	}
}

// TestLooksOfOthers: handlers, observers and on_error remember their look, over reloads
// too; on_start looks once, and no events wait for it afterwards.
func TestLooksOfOthers(t *testing.T) {
	text := `local Ev = ecs.event("Ev", { n = ecs.u32(0) })
local function look(who, ctx) local words = who for e in ecs.events(Ev) do words = words .. " " .. e.n end ecs.log(words) end
ecs.on_start(function(ctx) ecs.emit(Ev { n = 100 }) ecs.every(2 / 64, "h") end)
ecs.on_start(function(ctx) look("start", ctx) end)
ecs.handler("h", function(_, ctx) look("timer", ctx) end)
ecs.on_add(P, function(e, p, ctx) look("observer", ctx) end)
ecs.on_error(function(err, ctx) look("error", ctx) end)
ecs.system "send" { run = function(ctx) ecs.emit(Ev { n = ctx.tick }) end }
ecs.system "t" { run = function(ctx) if ctx.tick % 3 == 0 then ecs.spawn(P) error("told once at a time" .. ctx.tick) end end }
ecs.system "u" { run = function(ctx) if ctx.tick % 3 == 0 then ecs.spawn(P) end end }`
	r := newGame(t, scripting.Limits{LogLines: -1})
	r.write("a.lua", text, "b.lua", "")
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(4)
	r.save("b.lua", `ecs.log("saved")`)
	r.step(3)
	if got, want := strings.Join(r.logs, "|"), "start 100|timer|observer 3|error|timer 2 3|saved|timer 4 5|observer 4 5 6"; got != want {
		t.Errorf("logged %q, want %q", got, want)
	}
}

// TestFirstLookThatFails: it has not read, so that the next run gets the same events.
func TestFirstLookThatFails(t *testing.T) {
	r := loaded(t, "a.lua", `local Ev = ecs.event("Ev", { n = ecs.u32(0) })
ecs.system "a" { run = function(ctx) ecs.emit(Ev { n = ctx.tick }) end }
ecs.system "b" { run = function(ctx)
  local words = ""
  for e in ecs.events(Ev) do words = words .. " " .. e.n end
  if ctx.tick == 1 then error("first") end
  ecs.log(ctx.tick .. ":" .. words)
end }`)
	r.step(2)
	r.wantLog("2: 1 2")
}

// TestNoEventsWaitForOnStart: what looks once does not hold back events for good.
func TestNoEventsWaitForOnStart(t *testing.T) {
	r := loaded(t, "a.lua", `local Ev = ecs.event("Ev", { n = ecs.u32(0) })
ecs.on_start(function() for e in ecs.events(Ev) do end end)
ecs.system "a" { run = function(ctx) for i = 1, 5000 do ecs.emit(Ev) end end }`)
	r.step(30)
	if len(r.errors) > 0 {
		t.Errorf("%v", r.errors)
	}
}
