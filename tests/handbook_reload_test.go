package tests_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// clock.lua tells once a second who it is, what it has kept, and what not.
const clockScript = `
local ecs = require "ecs"
local words = require "words"

local Clock = ecs.component("Clock", { ticks = ecs.u32(0) })
local state = ecs.state("clock", { told = 0 })
local here = 0

ecs.on_start(function()
  ecs.spawn(Clock)
  ecs.every(1, "clock.tell")
end)

ecs.handler("clock.tell", function()
  state.told, here = state.told + 1, here + 1
  local ticks = ecs.get(ecs.find { Clock }, Clock, "ticks")
  ecs.log(words.first, "told " .. state.told, "here " .. here, "ticks " .. ticks)
end)

ecs.system "clock.tick" {
  every = 0.5, query = { Clock },
  each = function(e, clock)
    clock.ticks = clock.ticks + 1
  end,
}
`

// workshop is a playground whose files somebody edits.
type workshop struct {
	*playground
	t *testing.T
}

func newWorkshop(t *testing.T) *workshop {
	g := &workshop{newPlayground(t), t}
	g.files["clock.lua"] = &fstest.MapFile{Data: []byte(clockScript)}
	g.files["words.lua"] = &fstest.MapFile{Data: []byte(`return { first = "old" }`)}
	g.load(t)
	g.expect(1.5, "old told 1 here 1 ticks 1")
	return g
}

// save changes a file and tells whether the reload was taken.
func (g *workshop) save(name, text string) bool {
	g.files[name] = &fstest.MapFile{Data: []byte(text)}
	g.host.Stage([]string{name}, nil)
	g.play(1.0 / 60)
	return g.reloads[len(g.reloads)-1].Err == nil
}

func (g *workshop) edit(name, old, new string) bool {
	return g.save(name, strings.Replace(string(g.files[name].Data), old, new, 1))
}

// expect plays on and compares what is logged meanwhile.
func (g *workshop) expect(seconds float64, want ...string) {
	g.t.Helper()
	g.logs = nil
	g.play(seconds)
	if !slices.Equal(g.logs, want) {
		g.t.Errorf("logged %q, want %q", g.logs, want)
	}
	for _, f := range g.faults {
		g.t.Errorf("%s", f.Detail())
	}
}

// Each rule of the handbook's "What happens on a reload".
func TestHandbookReload(t *testing.T) {
	for name, rule := range map[string]func(g *workshop){
		"the new version runs, entities, state and timers stay, variables begin anew": func(g *workshop) {
			g.save("clock.lua", strings.Replace(clockScript, `ecs.log(words`, `ecs.log("new", words`, 1))
			g.expect(1, "new old told 2 here 1 ticks 3")
		},
		"files that require it are loaded again": func(g *workshop) {
			g.edit("words.lua", "old", "young")
			g.expect(1, "young told 2 here 1 ticks 3")
		},
		"a mistake is refused and the old version runs on": func(g *workshop) {
			if g.edit("clock.lua", "clock.ticks + 1", "clock.ticks + ") {
				t.Error("taken")
			}
			g.expect(1, "old told 2 here 2 ticks 3")
		},
		"all or nothing": func(g *workshop) {
			g.edit("clock.lua", "clock.ticks + 1", "clock.ticks + ")
			if g.edit("words.lua", "old", "young") {
				t.Error("half of a set was taken")
			}
			g.expect(1, "old told 2 here 2 ticks 3")
		},
		"state gets new keys from the defaults": func(g *workshop) {
			g.edit("clock.lua", "{ told = 0 }", "{ told = 0, mood = 7 }")
			g.edit("clock.lua", "ecs.log(words.first", "ecs.log(state.mood")
			g.expect(1, "7 told 2 here 1 ticks 3")
		},
		"fields of a component cannot change": func(g *workshop) {
			if g.edit("clock.lua", "ecs.u32(0)", "ecs.f32(0)") {
				t.Error("taken")
			}
			g.expect(1, "old told 2 here 2 ticks 3")
		},
		"a system that is gone ends": func(g *workshop) {
			g.edit("clock.lua", "ecs.system", "local _ =")
			g.edit("clock.lua", `local _ = "clock.tick" {`, "local _ = {")
			g.expect(1, "old told 2 here 1 ticks 3")
			g.expect(1, "old told 3 here 2 ticks 3")
		},
		"a deleted file takes its systems along": func(g *workshop) {
			g.save("clock.lua", strings.Replace(clockScript, `ecs.every(1, "clock.tell")`, "", 1))
			delete(g.files, "words.lua")
			delete(g.files, "clock.lua")
			g.host.Stage(nil, []string{"clock.lua", "words.lua"})
			g.play(0.1)
			if names := g.world.Schedule().Names(); slices.Contains(names, "clock.tick") {
				t.Errorf("systems %q", names)
			}
		},
		"a new file is loaded and started, once": func(g *workshop) {
			text := `local ecs = require "ecs" ecs.on_start(function() ecs.log("hello") end)`
			g.logs = nil
			g.save("late.lua", text)
			g.save("late.lua", text+" -- edited")
			if !slices.Equal(g.logs, []string{"hello"}) {
				t.Errorf("logged %q", g.logs)
			}
		},
	} {
		t.Run(name, func(t *testing.T) { rule(newWorkshop(t)) })
	}
}
