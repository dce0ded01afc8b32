package scripting_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestScriptsOfWhatHasChangedAreSkipped when nothing has; what has a when function, or
// entities to try again, is not.
func TestScriptsOfWhatHasChangedAreSkipped(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	h := newHost(t, w, scripting.Options{OnError: func(e *scripting.Error) {
		if !strings.Contains(e.Error(), "as planned") {
			t.Error(e)
		}
	}})
	defer h.Close()
	text := `
local ecs = require "ecs"
local Unit = ecs.component("Unit", { n = ecs.i32(0), seen = ecs.i32(0) })
local state = ecs.state("counts", { each = 0, batch = 0, failed = 0, asked = 0, tick = 0 })
ecs.on_start(function() for i = 1, 3 do ecs.spawn(Unit { n = i }) end end)
ecs.system "write" { phase = "input", run = function()
  state.tick = state.tick + 1
  if state.tick % 5 == 0 then for e in ecs.entities { Unit } do ecs.set(e, Unit { n = state.tick }) end end
end }
ecs.system "each" { query = { Unit, changed = { Unit } }, each = function(e, u) state.each = state.each + 1 end }
ecs.system "batch" { query = { Unit, changed = { Unit } }, batch = function(b) state.batch = state.batch + b.n end }
ecs.system "asked" { query = { Unit, changed = { Unit } }, when = function() state.asked = state.asked + 1 return true end, each = function(e, u) end }
ecs.system "failed" { query = { Unit, changed = { Unit } }, each = function(e, u)
  state.failed = state.failed + 1
  if u.n == 2 and state.tick < 3 then error("as planned") end
end }
ecs.system "report" { phase = "debug", run = function() ecs.log(state.each, state.batch, state.failed, state.asked) end }
`
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	for range 12 {
		_ = h.Step(0.5) // the row that fails is tried again after a second
	}
	turns := map[string]ecs.SystemStats{}
	for _, s := range w.Schedule().Stats(nil) {
		turns[s.Name] = s
	}
	// The first look, and two ticks in which all was written.
	for name, runs := range map[string]uint64{"each": 3, "batch": 3, "asked": 12, "report": 12} {
		if s := turns[name]; s.Runs != runs || s.Runs+s.Skipped != 12 {
			t.Errorf("%q has run %d times and was skipped %d times, want %d runs of 12", name, s.Runs, s.Skipped, runs)
		}
	}
	if s := turns["failed"]; s.Runs < 5 || s.Skipped < 3 {
		t.Errorf("the system with an entity to try again has run %d times and was skipped %d times", s.Runs, s.Skipped)
	}
}
