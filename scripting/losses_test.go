package scripting_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestLostEventsAreTold of systems that are late in different ways, with the
// place of the system, and not of those that read.
func TestLostEventsAreTold(t *testing.T) {
	w, err := ecs.Open(ecs.Options{MaxUnread: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var told []string
	h, err := scripting.New(w, scripting.Options{OnError: func(e *scripting.Error) {
		if strings.Contains(e.Message, "were lost") {
			told = append(told, e.Error())
			if !errors.Is(e, scripting.ErrLimit) {
				t.Errorf("%v is no limit", e)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
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
	all := strings.Join(told, "\n")
	for _, want := range []string{`a.lua:5: system "rare": tick `, `a.lua:7: system "asks": tick `, `a.lua:8: system "parked": tick `} {
		if strings.Count(all, want) != 1 {
			t.Errorf("%q is told %d times:\n%s", want, strings.Count(all, want), all)
		}
	}
	if strings.Contains(all, "quick") || !strings.Contains(all, `events "E" were lost before it read them: at most 100 wait`) {
		t.Error(all)
	}
	if w.Dropped() == 0 {
		t.Error("nothing is counted")
	}
}
