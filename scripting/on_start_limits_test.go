package scripting_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestOnStartOfALoadHasItsLimits fills a room in on_start with more instructions than a frame has. It
// runs as part of the load; beyond the limits of that, the fault says when it is tried again. The
// systems of the same step have their whole tick.
func TestOnStartOfALoadHasItsLimits(t *testing.T) {
	for name, c := range map[string]struct {
		loops string
		full  bool
	}{"beyond a frame": {"2e5", true}, "beyond a load": {"1e9", false}} {
		t.Run(name, func(t *testing.T) {
			w := ecs.NewWorld()
			defer w.Close()
			limits := scripting.ReleaseLimits(60)
			limits.Instructions, limits.TickInstructions, limits.Load = 1e5, 1e5, 5e6
			var faults []string
			host, err := scripting.New(w, scripting.Options{Limits: limits, OnError: func(e *scripting.Error) { faults = append(faults, e.Error()) }})
			if err != nil {
				t.Fatal(err)
			}
			defer host.Close()
			ran := 0
			if err := host.Expose("ran", func() { ran++ }); err != nil {
				t.Fatal(err)
			}
			if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
local host = require "host"
ecs.on_start(function() for i = 1, ` + c.loops + ` do end ecs.spawn() end)
ecs.system "a" { run = function() for i = 1, 2e4 do end host.ran() end }`)}}); err != nil {
				t.Fatal(err)
			}
			if err := host.Step(1); err != nil {
				t.Fatal(err)
			}
			if full := w.Len() == 1; full != c.full || ran != 1 {
				t.Errorf("the room is full: %v; the system has run %d times; faults %q", full, ran, faults)
			}
			if said := len(faults) == 1 && strings.Contains(faults[0], "Limits.Load") && strings.Contains(faults[0], "not tried again until its file is saved"); said == c.full || c.full && len(faults) > 0 {
				t.Errorf("faults %q", faults)
			}
		})
	}
}
